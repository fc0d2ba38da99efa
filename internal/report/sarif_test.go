package report

import (
	"encoding/json"
	"testing"

	"github.com/crdctl/crdctl/internal/tree"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What the standard's schema requires of the objects that are used, and what GitHub's code scanning requires besides.
func TestSARIF(t *testing.T) {
	r := Report{
		Files: 3, Version: "v1.2.3", Prefix: "a b/", Notes: []string{"a note"},
		Changes: []tree.Change{
			{Path: "missing.go", Op: tree.Create, New: []byte("x\n")}, update("c:d.go", "a\nb\n", "a\nc\n"),
			{Path: "old.go", Op: tree.Delete, Old: []byte("x\n")},
		},
	}
	log := decode(t, r)
	has(t, log, "$schema", "version", "runs")
	if log["version"] != "2.1.0" {
		t.Errorf("version %v", log["version"])
	}
	run := log["runs"].([]any)[0].(map[string]any)
	has(t, run, "tool", "results")
	driver := run["tool"].(map[string]any)["driver"].(map[string]any)
	has(t, driver, "name", "version", "rules")
	rules := driver["rules"].([]any)
	for _, rule := range rules {
		has(t, rule.(map[string]any), "id", "shortDescription", "fullDescription", "help")
		has(t, rule.(map[string]any)["help"].(map[string]any), "text")
	}
	for _, i := range run["invocations"].([]any) {
		has(t, i.(map[string]any), "executionSuccessful", "toolExecutionNotifications")
	}
	type place struct {
		rule, uri string
		line      float64
	}
	want := []place{{"missing", "a%20b/missing.go", 1}, {"stale", "a%20b/c:d.go", 2}, {"left-over", "a%20b/old.go", 1}}
	seen := map[any]bool{}
	for i, result := range run["results"].([]any) {
		result := result.(map[string]any)
		has(t, result, "ruleId", "message", "locations", "partialFingerprints")
		has(t, result["message"].(map[string]any), "text")
		rule := rules[int(result["ruleIndex"].(float64))].(map[string]any)
		physical := result["locations"].([]any)[0].(map[string]any)["physicalLocation"].(map[string]any)
		got := place{result["ruleId"].(string), physical["artifactLocation"].(map[string]any)["uri"].(string), physical["region"].(map[string]any)["startLine"].(float64)}
		if got != want[i] || rule["id"] != got.rule {
			t.Errorf("result %d: %v of rule %v, want %v", i, got, rule["id"], want[i])
		}
		hash := result["partialFingerprints"].(map[string]any)["primaryLocationLineHash"]
		assert.False(t, seen[hash], "two results have the fingerprint %v", hash)
		seen[hash] = true
	}
	// At the top of a repository a colon in the first part of a path would make it a URI of another scheme.
	r.Prefix = ""
	run = decode(t, r)["runs"].([]any)[0].(map[string]any)
	physical := run["results"].([]any)[1].(map[string]any)["locations"].([]any)[0].(map[string]any)["physicalLocation"].(map[string]any)
	if uri := physical["artifactLocation"].(map[string]any)["uri"]; uri != "./c:d.go" {
		t.Errorf("uri %v", uri)
	}
}

func decode(t *testing.T, r Report) map[string]any {
	t.Helper()
	data, err := r.SARIF()
	require.NoError(t, err)
	var log map[string]any
	require.NoError(t, json.Unmarshal(data, &log))
	return log
}

func has(t *testing.T, object map[string]any, names ...string) {
	t.Helper()
	for _, name := range names {
		if object[name] == nil || object[name] == "" {
			t.Errorf("no %s in %v", name, object)
		}
	}
}
