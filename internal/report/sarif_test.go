// SPDX-License-Identifier: Apache-2.0

package report

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/tree"
)

// What GitHub's code scanning requires of results. The whole of a log is in cmd/testdata/script/verify_outputs.txtar.
func TestSARIF(t *testing.T) {
	r := Report{
		Files: 3, Version: "v1.2.3", Prefix: "a b/", Notes: []string{"a note"},
		Changes: []tree.Change{
			{Path: "missing.go", Op: tree.Create, New: []byte("x\n")}, update("c:d.go", "a\nb\n", "a\nc\n"),
			{Path: "old.go", Op: tree.Delete, Old: []byte("x\n")},
		},
	}
	type result struct {
		RuleID    string
		RuleIndex int
		Locations []struct {
			PhysicalLocation struct{ ArtifactLocation, Region map[string]any }
		}
		Fingerprints map[string]string `json:"partialFingerprints"`
	}
	results := func() (rules []struct{ ID string }, all []result) {
		data, err := r.SARIF()
		require.NoError(t, err)
		var log struct {
			Runs []struct {
				Tool struct {
					Driver struct{ Rules []struct{ ID string } }
				}
				Results []result
			}
		}
		require.NoError(t, json.Unmarshal(data, &log))
		return log.Runs[0].Tool.Driver.Rules, log.Runs[0].Results
	}
	rules, all := results()
	type place struct {
		rule, uri string
		line      float64
	}
	var places []place
	seen := map[string]bool{}
	for _, one := range all {
		at := one.Locations[0].PhysicalLocation
		places = append(places, place{one.RuleID, at.ArtifactLocation["uri"].(string), at.Region["startLine"].(float64)})
		assert.Equal(t, one.RuleID, rules[one.RuleIndex].ID)
		seen[one.Fingerprints["primaryLocationLineHash"]] = true
	}
	assert.Equal(t, []place{{"missing", "a%20b/missing.go", 1}, {"stale", "a%20b/c:d.go", 2}, {"left-over", "a%20b/old.go", 1}}, places)
	assert.Len(t, seen, len(all), "fingerprints")
	// At the top of a repository a colon in the first part of a path would make it a URI of another scheme.
	r.Prefix = ""
	_, all = results()
	assert.Equal(t, "./c:d.go", all[1].Locations[0].PhysicalLocation.ArtifactLocation["uri"])
}
