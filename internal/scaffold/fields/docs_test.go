// SPDX-License-Identifier: Apache-2.0

package fields_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/safefs/safefstest"
	"github.com/crdctl/crdctl/internal/scaffold/fields"
)

// row is a line of a table of docs/fields.md in which there is a --field.
type row struct{ arg, goType string }

var (
	cell      = regexp.MustCompile("^`([a-z][^`]*:[^`]*)`$")
	structure = regexp.MustCompile("^`([A-Z]\\w*) (\\S+)`")
)

// rows reads the tables. The --field is in the first cell, or, where that has a rule, in the last.
func rows(t *testing.T) []row {
	t.Helper()
	var all []row
	for line := range strings.Lines(safefstest.Read(t, "../../../docs/fields.md")) {
		if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "|--") {
			continue
		}
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), " | ")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		first, last := cell.FindStringSubmatch(cells[0]), cell.FindStringSubmatch(cells[len(cells)-1])
		switch {
		case first != nil && structure.MatchString(cells[1]):
			all = append(all, row{first[1], structure.FindStringSubmatch(cells[1])[2]})
		case first != nil:
			all = append(all, row{first[1], strings.Trim(cells[1], "`")})
		case last != nil:
			all = append(all, row{last[1], ""})
		case !strings.Contains(line, "`--field`") && !strings.HasPrefix(line, "| rule") && !strings.HasPrefix(line, "| marker"):
			t.Errorf("no --field was found in %q", line)
		}
	}
	require.GreaterOrEqual(t, len(all), 40, "lines of tables with a --field")
	return all
}

// Every line of the tables is taken, and makes the type next to it.
func TestDocs(t *testing.T) {
	rules := map[string]bool{}
	for _, r := range rows(t) {
		withoutMarkers, _, _ := strings.Cut(r.arg, ":+kube")
		for _, part := range strings.Split(withoutMarkers, ":")[1:] {
			name, _, _ := strings.Cut(part, "=")
			rules[name] = true
		}
		set, err := fields.Parse([]string{r.arg}, fields.Options{Kind: "Widget", Status: true})
		require.NoError(t, err)
		path, _, _ := strings.Cut(r.arg, ":")
		assert.True(t, set.Has(path), "%s makes the field %s", r.arg, path)
		if before, _, nested := strings.Cut(strings.TrimPrefix(path, "status."), "."); nested {
			path = strings.NewReplacer("[]", "", "{}", "").Replace(before)
			if strings.HasPrefix(r.arg, "status.") {
				path = "status." + path
			}
		}
		if r.goType != "" {
			assert.Equal(t, r.goType, set.GoType(path), r.arg)
		}
	}
	// Every rule is shown at least once.
	_, err := fields.Parse([]string{"a:string:frobnicate"}, fields.Options{Kind: "Widget"})
	_, list, _ := strings.Cut(err.Error(), "the rules are ")
	for rule := range strings.SplitSeq(list, ", ") {
		assert.True(t, rules[rule], "docs/fields.md shows a line with the rule %s", rule)
	}
}
