// SPDX-License-Identifier: Apache-2.0

package preflight_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/check/checktest"
)

// A finding about cost has numbers, what makes the rule expensive, and a bound that was tried.
func TestCost(t *testing.T) {
	const name = `{"type": "string", ALLOF "x-kubernetes-validations": [{"rule": "self.matches('^[a-z]+$')"}]}`
	rules := strings.Repeat(`{"rule": "self.all(h, h.startsWith('a'))"},`, 40)
	for what, c := range map[string]struct{ schema, want string }{
		"in a list, with a bound in allOf": {
			`{"type": "array", "items": ` + strings.Replace(name, "ALLOF", `"allOf": [{"maxLength": 10}],`, 1) + "}",
			"may cost 660 billion, more than 100 times what the API server allows: 629 thousand for each of up to 1.05 million; spec has no maxItems, the maxLength of spec[] is in allOf, where it does not count",
		},
		"in a bounded list": {`{"type": "array", "maxItems": 100, "items": ` + strings.Replace(name, "ALLOF", `"maxLength": 10,`, 1) + "}", ""},
		"once, and bounded too high": {
			`{"type": "array", "maxItems": 200000, "items": {"type": "string"}, "x-kubernetes-validations": [{"rule": "self.all(h, size(h) > 1 && size(h) < 9)"}]}`,
			"is stopped at 1 million; the maxItems of spec is 200000",
		},
		"in characters": { // 1.04 million as the server estimates it, with four bytes for a character
			`{"type": "string", "maxLength": 2600000, "x-kubernetes-validations": [{"rule": "self == 'x' || self.contains('yyyyyyyyyy')"}]}`, "",
		},
		"together": {
			`{"type": "array", "maxItems": 600000, "items": {"type": "string", "maxLength": 20}, "x-kubernetes-validations": [` + rules + `{"rule": "true"}]}`,
			"all rules together may cost",
		},
	} {
		t.Run(what, func(t *testing.T) {
			lines := strings.Join(checktest.Lines(judge(t, withSchema(c.schema))), "\n")
			if c.want == "" {
				assert.NotContains(t, lines, "cel-")
			} else {
				assert.Contains(t, lines, c.want)
			}
		})
	}
}

// Versions with equal schemas are validated once by the server, and each has its finding.
func TestEqualVersions(t *testing.T) {
	version := `{"name": "%s", "served": true, "storage": %t, "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": {"type": "array"}}}}}`
	_, head, _ := strings.Cut(manifest, "{")
	head, _, _ = strings.Cut(head, `"versions"`)
	var subjects []string
	for _, f := range judge(t, "{"+head+`"versions": [`+fmt.Sprintf(version, "v1", true)+","+fmt.Sprintf(version, "v2", false)+"]}}") {
		subjects = append(subjects, f.Rule.ID+" "+f.Subject)
	}
	assert.ElementsMatch(t, []string{"refused-schema crontabs.stable.example.com/v1: spec", "refused-schema crontabs.stable.example.com/v2: spec"}, subjects)
}

var suggested = regexp.MustCompile(`(max\w+): (\d+) or less to spec(\S*) \(`)

// With the bounds that a finding suggests, the rule has no finding any more: neither is the CRD refused, nor is the rule stopped.
func TestBoundsSuffice(t *testing.T) {
	for what, of := range map[string]string{
		"one rule reads all pairs": `{"type": "array", "items": {"type": "string"}, "x-kubernetes-validations": [{"rule": "self.all(h, self.exists_one(o, o == h))"}]}`,
		"in a list":                `{"type": "array", "items": {"type": "string", "x-kubernetes-validations": [{"rule": "self.matches('^[a-z]+$') || self.matches('^([a-z]+b)+$')"}]}}`,
		"in lists of lists":        `{"type": "array", "items": {"type": "array", "items": {"type": "string"}, "x-kubernetes-validations": [{"rule": "self.all(a, self.all(b, a.contains(b)))"}]}}`,
		"bounded too high":         `{"type": "array", "maxItems": 200000, "items": {"type": "string"}, "x-kubernetes-validations": [{"rule": "self.all(h, size(h) > 1 && size(h) < 9)"}]}`,
	} {
		t.Run(what, func(t *testing.T) {
			var schema map[string]any
			require.NoError(t, json.Unmarshal([]byte(of), &schema))
			var all [][]string
			for _, f := range judge(t, withSchema(of)) {
				all = append(all, suggested.FindAllStringSubmatch(f.Fix, -1)...)
			}
			require.NotEmpty(t, all)
			for _, m := range all {
				at := schema
				for range strings.Count(m[3], "[]") {
					at = at["items"].(map[string]any)
				}
				at[m[1]] = json.Number(m[2])
			}
			bounded, err := json.Marshal(schema)
			require.NoError(t, err)
			assert.NotContains(t, strings.Join(checktest.Lines(judge(t, withSchema(string(bounded)))), "\n"), "cel-", "%s", bounded)
		})
	}
}
