// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"cmp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPages(t *testing.T) {
	rules, err := all()
	require.NoError(t, err)
	require.NotEmpty(t, rules)
	seen := map[string]bool{}
	for _, r := range rules {
		assert.False(t, seen[r.ID], "two pages have the ID %s", r.ID)
		seen[r.ID] = true
		assert.Regexp(t, `^[a-z][a-z0-9-]*$`, r.ID)
		for _, sentence := range []string{r.Why, r.Fix, cmp.Or(r.Manifest, r.Fix)} {
			assert.Regexp(t, `^[A-Z+].*\.$`, sentence, r.ID)
		}
		inManifest := r.Family == Preflight || r.Family == Compat && !strings.HasPrefix(r.ID, "go-")
		if inManifest && (strings.Contains(r.Fix, "marker") || strings.Contains(r.Fix, "+")) || r.Manifest != "" {
			assert.Regexp(t, `^[^+]+$`, r.Manifest, "%s is read by those who have no Go types, too", r.ID)
		}
		assert.NotRegexp(t, `\.$`, r.Title, "a heading has no full stop")
	}
}

func TestPageLacks(t *testing.T) {
	const good = "# A title\n\nSeverity: note\n\nWhy: It\nmatters.\n\nFix: Do it.\n\n## Flagged\n\n```yaml\na: 1\n\nb: 2\n```\n\n## Not flagged\n\n```yaml\nc: 1\n```\n"
	r, err := parse(Preflight, "x", good)
	require.NoError(t, err)
	assert.Equal(t, "It matters.", r.Why)
	assert.Equal(t, []Block{{"yaml", "a: 1\n\nb: 2\n"}}, r.Flagged)
	assert.Equal(t, []Block{{"yaml", "c: 1\n"}}, r.Clean)
	_, err = parse(Compat, "x", good)
	assert.ErrorContains(t, err, "lacks Category")
	_, err = parse(Preflight, "x", "# A title\n\nSeverity: bad\n")
	assert.ErrorContains(t, err, `"bad" must be note, warning or error`)
}

// Findings are in the order of their places, and one that two versions share is there once, with both.
func TestSort(t *testing.T) {
	one := &Rule{ID: "one"}
	at := func(line int, subject string) Finding {
		return Finding{Rule: one, Place: Place{File: "a.go", Line: line}, Subject: subject, Message: "m"}
	}
	got := Sort([]Finding{at(2, "b"), at(1, "v2"), at(1, "v1"), at(0, "x"), at(0, "y")})
	shared := at(1, "v1")
	shared.Also = []string{"v2"}
	assert.Equal(t, []Finding{at(0, "x"), at(0, "y"), shared, at(2, "b")}, got)
	assert.NotEqual(t, at(0, "x").Fingerprint(), at(0, "y").Fingerprint())
	assert.Equal(t, at(1, "x").Fingerprint(), at(9, "x").Fingerprint(), "lines move")
	counted := func(n string) Finding { return Finding{Rule: one, Subject: "x", Message: n + " objects are invalid"} }
	assert.Equal(t, "Mark it.", Finding{Rule: &Rule{Fix: "Mark it.", Manifest: "Set it."}, Place: Place{File: "a.go"}}.Hint())
	assert.Equal(t, "Set it.", Finding{Rule: &Rule{Fix: "Mark it.", Manifest: "Set it."}, Place: Place{File: "a.yaml"}}.Hint())
	assert.Equal(t, counted("3").Fingerprint(), counted("12").Fingerprint(), "objects come")
}
