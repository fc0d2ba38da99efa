// SPDX-License-Identifier: Apache-2.0

package crdgen

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestReadMarkers(t *testing.T) {
	const src = `package v1

// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=get

// +kubebuilder:object:root=true
// +kubebuilder:printcolumn:nmae="Age"
// +kubebuilder:frobnicate
type Thing struct {
	// +kubebuilder:resource:path=things
	// +kubebuilder:validation:MaxLength=3
	A string
}
`
	file, err := parser.ParseFile(token.NewFileSet(), "types.go", src, parser.ParseComments)
	require.NoError(t, err)
	var comments []*ast.Comment
	for _, g := range file.Comments {
		comments = append(comments, g.List...)
	}
	before := texts(comments)
	read, err := ReadMarkers(file, comments)
	require.NoError(t, err)
	assert.Equal(t, texts(comments), before, "the comments are not as they were")
	for i, want := range []Marker{
		{Name: "kubebuilder:rbac", Read: true, Targets: []string{"package"}},
		{Name: "kubebuilder:object:root", Read: true, Targets: []string{"type"}},
		{Name: "kubebuilder:printcolumn", Read: true, Targets: []string{"type"}},
		{},
		{Name: "kubebuilder:resource", Targets: []string{"type"}},
		{Name: "kubebuilder:validation:MaxLength", Read: true, Targets: []string{"type", "field"}},
	} {
		got := read[i]
		if got.Name != want.Name || got.Read != want.Read || !slices.Equal(got.Targets, want.Targets) {
			t.Errorf("%s: %+v, want %+v", comments[i].Text, got, want)
		}
		assert.Equal(t, got.Err != nil, strings.Contains(comments[i].Text, "nmae"), "%s: %v", comments[i].Text, got.Err)
	}
	assert.Equal(t, `unknown argument "nmae"`, read[2].Err.Error())
}

// The one argument of a marker without named ones has no name.
func TestReadMarkerWithoutValue(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "types.go", "package v1\n\n// +kubebuilder:validation:Enum=\ntype Phase string\n", parser.ParseComments)
	require.NoError(t, err)
	read, err := ReadMarkers(file, file.Comments[0].List)
	require.NoError(t, err)
	assert.EqualError(t, read[0].Err, "missing value")
}

func texts(comments []*ast.Comment) []string {
	var all []string
	for _, c := range comments {
		all = append(all, c.Text)
	}
	return all
}
