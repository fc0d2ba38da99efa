// SPDX-License-Identifier: Apache-2.0

package crdimport

import (
	"bytes"
	"go/format"
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/crdimport/document"
	"github.com/crdctl/crdctl/internal/crdimport/gotypes"
)

// FuzzRead holds that whatever Read accepts becomes Go that parses and that gofmt leaves alone, and that nothing makes it
// panic.
func FuzzRead(f *testing.F) {
	for _, archive := range golden(f) {
		f.Add(archive.Files[0].Data)
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		all, err := Read("fuzz.yaml", content, nil)
		if err != nil {
			assert.NotContains(t, err.Error(), "a bug in crdctl", err)
			return
		}
		for _, d := range all {
			for _, v := range d.Versions {
				d.Sample(v.Name, "a") // must not panic either
				_, err = parser.ParseFile(token.NewFileSet(), "types.go", v.Types, parser.SkipObjectResolution)
				assert.NoError(t, err, "%s", v.Types)
				if again, err := format.Source(v.Types); err != nil || !bytes.Equal(again, v.Types) {
					t.Errorf("gofmt makes another file of it (%v):\n%s", err, v.Types)
				}
			}
		}
	})
}

// FuzzDescription holds that no description is more than a comment, and no name more than a name.
func FuzzDescription(f *testing.F) {
	f.Add("*/ var x int /*", "a`b")
	f.Add("+evil:marker\r\n//go:build x\n\n---", "../..")
	f.Add("\x01\x02self\x03\x020\x03", "type")
	f.Add("Deprecated: no\n# Head\n  1. a\n\tb\u2028c", "\u01c5x")
	f.Fuzz(func(t *testing.T, description, property string) {
		spec := schema{Type: "object", Description: description, Properties: map[string]schema{
			property: {Type: "string", Description: description, Title: property},
			"other":  {Type: "object", Description: property, Properties: map[string]schema{property: {Type: "string", Description: description}}},
		}}
		d := &document.Definition{Group: "example.com", Kind: "Fuzz", Plural: "fuzzes", Singular: "fuzz", Namespaced: true, CRD: crdOf("example.com", "Fuzz", spec)}
		all, err := gotypes.Make(d, []*schema{d.CRD.Spec.Versions[0].Schema.OpenAPIV3Schema}, func(string) gotypes.Names { return gotypes.Names{} })
		if err != nil {
			assert.NotContains(t, err.Error(), "a bug in crdctl", err)
			return
		}
		file, err := parser.ParseFile(token.NewFileSet(), "types.go", all[0].Types, parser.ParseComments)
		require.NoError(t, err, "%s", all[0].Types)
		markers := map[string]bool{}
		for _, group := range file.Comments {
			for _, line := range group.List {
				if text, ok := strings.CutPrefix(strings.TrimSpace(strings.TrimPrefix(line.Text, "//")), "+"); ok {
					markers[strings.SplitN(text, ":", 2)[0]] = true
				}
			}
		}
		for name := range markers {
			if name != "genclient" && name != "optional" && name != "k8s" && name != "kubebuilder" && name != "resourceName=fuzzes" {
				t.Errorf("the marker +%s in\n%s", name, all[0].Types)
			}
		}
	})
}
