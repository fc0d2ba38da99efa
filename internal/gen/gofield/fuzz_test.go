// SPDX-License-Identifier: Apache-2.0

package gofield_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/gen/gofield"
)

// A field is found or not in any Go source that parses, types that embed themselves included: the search ends, and does not panic.
func FuzzSource(f *testing.F) {
	f.Add("type A struct {\n\tB `json:\",inline\"`\n\tC []*C `json:\"c\"`\n}\n\ntype B struct { *A; A `json:\",inline\"` }\n\ntype C = map[string]A\n\nconst X C = \"x\"", "c.[].c.{}")
	f.Add("type A B\n\ntype B = A\n\nfunc (a *A) Hub() {}", "a.b")
	f.Add("// A is one.\n// +kubebuilder:validation:Enum=a;b\ntype A[T any] struct { A2 map[A[T]][]T `json:\"a`; _ struct{ B int }; C, D chan<- func(A) A }", "a.A2.{}")
	f.Fuzz(func(t *testing.T, source, path string) {
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, "types.go"), []byte("package v1\n\n"+source), 0o600))
		p, err := gofield.Parse(dir)
		if err != nil {
			return
		}
		p.HasMethod("A", "Hub")
		p.Position("A", strings.Split(path, "."))
		for _, find := range []func(string, []string) (gofield.Field, bool){p.Field, p.TypeOf} {
			if field, ok := find("A", strings.Split(path, ".")); ok {
				field.Lines()
				field.Constants()
				field.Comment()
			}
		}
	})
}
