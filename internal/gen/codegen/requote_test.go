// SPDX-License-Identifier: Apache-2.0

package codegen

import (
	"go/parser"
	"go/token"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A schema with back quotes stays Go, and other files stay as they are.
func TestRequote(t *testing.T) {
	const src = "package internal\n\nvar schemaYAML = typed.YAMLObject(`default: \"`\"\nmore: ``\n`)\n"
	got, ok := requote(File{Generator: "applyconfiguration-gen", Content: []byte(src)})
	require.True(t, ok, "not requoted")
	_, err := parser.ParseFile(token.NewFileSet(), "", got, 0)
	assert.NoError(t, err, "%s", got)
	const want = "package internal\n\nvar schemaYAML = typed.YAMLObject(`default: \"` + \"`\" + `\"\nmore: ` + \"`\" + `` + \"`\" + `\n`)\n"
	assert.Equal(t, want, string(got))
	for _, file := range []File{{Generator: "client-gen", Content: []byte(src)}, {Generator: "applyconfiguration-gen", Content: []byte("package x\n")}} {
		if _, ok := requote(file); ok {
			t.Errorf("%s: requoted %q", file.Generator, file.Content)
		}
	}
}
