// SPDX-License-Identifier: Apache-2.0

// Package corpus imports the CRDs of public projects, makes CRDs of the types again, and compares them.
package corpus

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/e2e/corpus/roundtrip"
	"github.com/crdctl/crdctl/internal/crd"
	"github.com/crdctl/crdctl/internal/crdimport"
)

var update = flag.Bool("update", false, "write the table in docs/from-crd.md anew")

const (
	doc      = "../../docs/from-crd.md"
	tableTop = "| project | CRD | versions | fields | round trip |\n|---|---|---|---|---|\n"
)

// TestCorpus imports the CRDs of public projects, makes CRDs of the types again, and compares: what differs is what is
// listed as lost, and nothing else. The table of that is in docs/from-crd.md.
func TestCorpus(t *testing.T) {
	rows := map[string]string{}
	count := 0
	for _, source := range roundtrip.Sources {
		t.Run(source.Name, func(t *testing.T) {
			all := imported(t, source)
			count += len(all)
			for i, again := range imported(t, source) {
				assert.Equal(t, all[i], again, "%s: read again it is another", again.CRD.Name)
			}
			equal(t, all)
			for _, d := range all {
				rows[source.Name] += row(source, d)
			}
		})
	}
	if t.Failed() || len(rows) < len(roundtrip.Sources) { // some were not run
		return
	}
	assert.GreaterOrEqual(t, count, 60, "CRDs")
	table := tableTop
	for _, source := range roundtrip.Sources {
		table += rows[source.Name]
	}
	checkTable(t, table)
}

// equal makes CRDs of the types of definitions, and holds that each is accepted and says what the original said.
func equal(t *testing.T, all []*crdimport.Definition) {
	t.Helper()
	for i, made := range back(t, all) {
		for _, difference := range unlisted(all[i], made) {
			t.Errorf("%s: %s", made.Name, difference)
		}
		assert.Empty(t, crd.Validate(made), "%s: the API server would refuse what was made", made.Name)
	}
}

func row(source roundtrip.Source, d *crdimport.Definition) string {
	var versions []string
	fields := 0
	for i, v := range d.Versions {
		versions = append(versions, v.Name)
		fields += fieldCount(d.CRD.Spec.Versions[i].Schema.OpenAPIV3Schema)
	}
	lost := map[string]int{}
	for _, v := range d.Versions {
		for _, l := range v.Losses {
			keyword, _, _ := strings.Cut(l.What, ":")
			lost[keyword]++
		}
	}
	result := "equal"
	var said []string
	for keyword, n := range lost {
		said = append(said, fmt.Sprintf("%d × %s", n, keyword))
	}
	if slices.Sort(said); len(said) > 0 {
		result = "equal but for " + strings.Join(said, ", ")
	}
	return fmt.Sprintf("| %s %s | %s | %s | %d | %s |\n", source.Name, source.Version, d.CRD.Name, strings.Join(versions, ", "), fields, result)
}

// checkTable holds the page to the table, or writes it there.
func checkTable(t *testing.T, table string) {
	t.Helper()
	page, err := os.ReadFile(doc)
	require.NoError(t, err)
	before, after, ok := bytes.Cut(page, []byte(tableTop))
	require.True(t, ok, "%s has no table", doc)
	for bytes.HasPrefix(after, []byte("|")) {
		_, after, _ = bytes.Cut(after, []byte("\n"))
	}
	want := slices.Concat(before, []byte(table), after)
	switch {
	case bytes.Equal(page, want):
	case *update:
		require.NoError(t, os.WriteFile(doc, want, 0o644))
	default:
		t.Errorf("the table in %s is another; look at what changed, and run this test with -update", doc)
	}
}
