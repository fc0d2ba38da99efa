// SPDX-License-Identifier: Apache-2.0

package codegen

import (
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
	"k8s.io/gengo/v2/namer"
	"k8s.io/gengo/v2/parser"
	"k8s.io/gengo/v2/types"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/gen/gentest"
	"github.com/crdctl/crdctl/internal/gen/load"
)

// The fields of gengo's parser that are filled in from outside are there, and mean what this package assumes.
func TestPrimedParser(t *testing.T) {
	of := reflect.TypeFor[parser.Parser]()
	for name, want := range map[string]reflect.Type{
		"goPkgs": reflect.TypeFor[map[string]*packages.Package](),
		"fset":   reflect.TypeFor[*token.FileSet](),
	} {
		if f, ok := of.FieldByName(name); !ok || f.Type != want {
			t.Errorf("parser.Parser.%s is %v, want %v", name, f.Type, want)
		}
	}
	comments, ok := of.FieldByName("endLineToCommentGroup")
	if !ok || comments.Type.Kind() != reflect.Map || comments.Type.Elem() != reflect.TypeFor[*ast.CommentGroup]() {
		t.Fatalf("parser.Parser.endLineToCommentGroup is %v", comments.Type)
	}
	key := comments.Type.Key()
	file, hasFile := key.FieldByName("file")
	line, hasLine := key.FieldByName("line")
	if key.Kind() != reflect.Struct || key.NumField() != 2 || !hasFile || !hasLine || file.Type.Kind() != reflect.String || line.Type.Kind() != reflect.Int {
		t.Errorf("a key of parser.Parser.endLineToCommentGroup is %v", key)
	}
	// Whatever else LoadPackages fills in would be missing.
	known := []string{"goPkgs", "userRequested", "fullyProcessed", "buildTags", "fset", "endLineToCommentGroup"}
	for f := range of.Fields() {
		assert.Contains(t, known, f.Name, "parser.Parser has a new field; see whether LoadPackages fills it in")
	}
}

// A universe of pruned packages has the types that gengo's own load of everything has, with the same members, comments
// and methods; and of the inputs all else as well.
func TestPrunedUniverse(t *testing.T) {
	for name, inputs := range map[string][]string{
		"clients":     {"pkg/apis/farm/v1alpha1", "pkg/apis/farm/v1", "pkg/apis/hill/v1"},
		"conversion":  {"pkg/apis/zoo", "pkg/apis/zoo/v1", "pkg/apis/zoo/v1beta1", "pkg/apis/zoo/v2"},
		"copies":      {"pkg/apis/whole", "pkg/apis/single"},
		"definitions": {"pkg/apis/menu/v1", "pkg/apis/kitchen"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("GOFLAGS", "")
			root := gentest.Fixture{Archive: filepath.Join("..", "..", "..", "e2e", "upstream", "testdata", name+".txtar")}.Lay(t)
			var whole []string
			for _, dir := range inputs {
				whole = append(whole, "example.com/fixture/"+dir)
			}
			own := parser.NewWithOptions(parser.Options{BuildTags: []string{BuildTag}})
			require.NoError(t, own.LoadPackagesWithConfigForTesting(&packages.Config{Dir: root}, whole...))
			want, err := own.NewUniverse()
			require.NoError(t, err)
			env, err := load.NewEnv(t.Context(), root, BuildTag)
			require.NoError(t, err)
			graph, err := load.Packages(t.Context(), env, whole)
			require.NoError(t, err)
			base, _, err := New(graph).source.context(whole, false)
			require.NoError(t, err)
			sameUniverse(t, base.Universe, want, whole)
		})
	}
}

// sameUniverse compares all that a generator can come to from its inputs. Private methods of types elsewhere, and what
// only they refer to, are not there.
func sameUniverse(t *testing.T, got, want types.Universe, whole []string) {
	t.Helper()
	seen := map[*types.Type]bool{}
	var walk func(*types.Type)
	compare := func(what string, a, b *types.Type) {
		if a, b := dump(a), dump(b); a != b {
			t.Errorf("%s:\n got %s\nwant %s", what, a, b)
		}
	}
	walk = func(one *types.Type) {
		if one == nil || seen[one] {
			return
		}
		seen[one] = true
		if one.Kind != types.DeclarationOf && one.Kind != types.Func && one.Kind != types.TypeParam { // these are in no package's list
			var have *types.Type
			if p := got[one.Name.Package]; p != nil {
				have = p.Types[one.Name.Name]
			}
			compare("type "+one.Name.String(), have, one)
		}
		refersTo(one, walk)
	}
	for _, path := range whole {
		p, have := want[path], got[path]
		require.NotNil(t, have, "package %s is missing", path)
		if have.Name != p.Name || have.Dir != p.Dir || !slices.Equal(have.Comments, p.Comments) {
			t.Errorf("package %s: %s %s %q, want %s %s %q", path, have.Name, have.Dir, have.Comments, p.Name, p.Dir, p.Comments)
		}
		for what, pair := range map[string][2]map[string]*types.Type{
			"type": {have.Types, p.Types}, "function": {have.Functions, p.Functions}, "constant": {have.Constants, p.Constants},
		} {
			assert.Equal(t, slices.Sorted(maps.Keys(pair[1])), slices.Sorted(maps.Keys(pair[0])), "%ss of %s", what, path)
			for name, one := range pair[1] {
				compare(what+" "+path+"."+name, pair[0][name], one)
				walk(one)
			}
		}
	}
	t.Logf("%d types", len(seen))
}

// refersTo calls walk with what a type is made of.
func refersTo(t *types.Type, walk func(*types.Type)) {
	for _, m := range t.Members {
		walk(m.Type)
	}
	for _, p := range t.TypeParams {
		walk(p)
	}
	walk(t.Elem)
	walk(t.Key)
	walk(t.Underlying)
	for name, m := range t.Methods {
		if !namer.IsPrivateGoName(name) {
			walk(m)
		}
	}
	if s := t.Signature; s != nil {
		walk(s.Receiver)
		for _, p := range slices.Concat(s.Parameters, s.Results) {
			walk(p.Type)
		}
	}
}

// dump is all that gengo knows of a type, without what it refers to by name.
func dump(t *types.Type) string {
	if t == nil {
		return "nothing"
	}
	comments := func(lines []string) []string {
		if first, _, _ := strings.Cut(t.Name.Package, "/"); !strings.Contains(first, ".") {
			return nil // Go's own are not read
		}
		return lines
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s %q %q", t.Kind, t.Name, comments(t.CommentLines), comments(t.SecondClosestCommentLines))
	for _, m := range t.Members {
		fmt.Fprintf(&b, "\n\t%s embedded=%v %q %q %s", m.Name, m.Embedded, m.Tags, comments(m.CommentLines), ref(m.Type))
	}
	fmt.Fprintf(&b, "\n\telem %s key %s underlying %s len %d", ref(t.Elem), ref(t.Key), ref(t.Underlying), t.Len)
	if t.ConstValue != nil {
		fmt.Fprintf(&b, " value %s", *t.ConstValue)
	}
	for _, name := range slices.Sorted(maps.Keys(t.TypeParams)) {
		fmt.Fprintf(&b, "\n\tparameter %s %s", name, ref(t.TypeParams[name]))
	}
	for _, name := range slices.Sorted(maps.Keys(t.Methods)) {
		if !namer.IsPrivateGoName(name) || t.Kind == types.Interface {
			fmt.Fprintf(&b, "\n\tmethod %s %q %s", name, comments(t.Methods[name].CommentLines), signature(t.Methods[name]))
		}
	}
	if t.Signature != nil {
		b.WriteString("\n\t" + signature(t))
	}
	return b.String()
}

func ref(t *types.Type) string {
	if t == nil {
		return "-"
	}
	return string(t.Kind) + " " + t.Name.String()
}

func signature(t *types.Type) string {
	s := t.Signature
	if s == nil {
		return ref(t)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "receiver %s variadic %v", ref(s.Receiver), s.Variadic)
	for _, p := range s.Parameters {
		fmt.Fprintf(&b, ", %s %s", p.Name, ref(p.Type))
	}
	for _, r := range s.Results {
		fmt.Fprintf(&b, " -> %s %s", r.Name, ref(r.Type))
	}
	return b.String()
}
