// SPDX-License-Identifier: Apache-2.0

// Package checktest runs the examples of the pages of rules, in tests of the families.
package checktest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/crdctl/crdctl/internal/check/project"
	"github.com/crdctl/crdctl/internal/check/rule"
)

// Examples runs the examples of all rules of a family: each example under "Flagged" must have a finding of its rule, and none under "Not
// flagged" may. An example has as many blocks as judge takes. The finding must have a place, unless it is about a machine.
func Examples(t *testing.T, family rule.Family, blocks int, judge func(t *testing.T, example []rule.Block) []rule.Finding) {
	t.Helper()
	n := 0
	for _, r := range rule.All() {
		if r.Family != family {
			continue
		}
		n++
		run := func(name string, all []rule.Block, flagged bool) {
			require.Zero(t, len(all)%blocks, "%s: an example has %d blocks", r.ID, blocks)
			for i := 0; i < len(all); i += blocks {
				t.Run(fmt.Sprintf("%s/%s/%d", r.ID, name, i/blocks), func(t *testing.T) {
					found := of(r, judge(t, all[i:i+blocks]))
					if !flagged {
						assert.Empty(t, Lines(found))
						return
					}
					require.NotEmpty(t, found, "no finding of the rule")
					for _, f := range found {
						assert.True(t, f.Place.Line > 0 || family == rule.Doctor && f.Place == rule.Place{}, "a finding without a place: %s", f.Message)
						assert.NotEmpty(t, f.Subject)
					}
				})
			}
		}
		run("flagged", r.Flagged, true)
		run("clean", r.Clean, false)
	}
	require.NotZero(t, n, "the family has no rules")
}

func of(r *rule.Rule, findings []rule.Finding) (own []rule.Finding) {
	for _, f := range findings {
		if f.Rule == r {
			own = append(own, f)
		}
	}
	return own
}

// Lines are findings as lines: place, rule and message.
func Lines(findings []rule.Finding) (lines []string) {
	for _, f := range findings {
		lines = append(lines, fmt.Sprintf("%s: %s: %s", f.Place, f.Rule.ID, f.Message))
	}
	return lines
}

// Formatted asserts that the findings of a fuzz test have no mark of a wrong call of fmt. Inputs with a percent sign, written or escaped, may have
// that mark themselves, and are not judged.
func Formatted(t *testing.T, findings []rule.Finding, inputs ...string) {
	t.Helper()
	if given := strings.Join(inputs, " "); strings.Contains(given, "%") || strings.Contains(given, `\u`) {
		return
	}
	for _, line := range Lines(findings) {
		assert.NotContains(t, line, "%!")
	}
}

const base = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: crontabs.stable.example.com}
spec:
  group: stable.example.com
  scope: Namespaced
  names: {kind: CronTab, listKind: CronTabList, plural: crontabs, singular: crontab}
`

const version = `name: v1
served: true
storage: true
schema: {openAPIV3Schema: {type: object, properties: {apiVersion: {type: string}, kind: {type: string}, metadata: {type: object}, spec: {type: object}}}}
`

// CRD is the CRD of an example: the text laid over a minimal one, if it has spec or metadata at its top, or else the schema of its spec. Its first
// version is v1, served and stored; others are as the text has them.
func CRD(t *testing.T, text string) *project.CRD {
	t.Helper()
	parse := func(text string) (m map[string]any) {
		require.NoError(t, yaml.Unmarshal([]byte(text), &m), text)
		return m
	}
	over := parse(text)
	if over["spec"] == nil && over["metadata"] == nil {
		over = map[string]any{"spec": map[string]any{"versions": []any{map[string]any{
			"schema": map[string]any{"openAPIV3Schema": map[string]any{"properties": map[string]any{"spec": over}}},
		}}}}
	}
	made := merge(parse(base), over)
	spec := made["spec"].(map[string]any)
	versions, _ := spec["versions"].([]any)
	if len(versions) == 0 {
		versions = []any{map[string]any{}}
	}
	versions[0] = merge(parse(version), versions[0].(map[string]any))
	spec["versions"] = versions
	data, err := yaml.Marshal(made)
	require.NoError(t, err)
	crds, err := project.Parse("crd.yaml", data)
	require.NoError(t, err, "%s", data)
	require.Len(t, crds, 1, "%s", data)
	return crds[0]
}

// merge lays one object over another; lists replace each other, and null removes.
func merge(under, over map[string]any) map[string]any {
	for key, value := range over {
		below, ok := under[key].(map[string]any)
		if above, isMap := value.(map[string]any); ok && isMap {
			under[key] = merge(below, above)
		} else if value == nil {
			delete(under, key)
		} else {
			under[key] = value
		}
	}
	return under
}
