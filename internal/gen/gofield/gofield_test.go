// SPDX-License-Identifier: Apache-2.0

package gofield

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const source = `package v1

type CronTab struct {
	metav1.TypeMeta ` + "`json:\",inline\"`" + `
	Spec   CronTabSpec ` + "`json:\"spec\"`" + `
}

type CronTabSpec struct {
	Common ` + "`json:\",inline\"`" + `
	Loop
	Items []*Item          ` + "`json:\"items,omitempty\"`" + `
	ByKey map[string]Item  ` + "`json:\"byKey\"`" + `
	Pod   corev1.PodSpec   ` + "`json:\"pod\"`" + `
	Alias ItemAlias        ` + "`json:\"alias\"`" + `
}

type Common struct {
	Image string ` + "`json:\"image\"`" + `
}

type Loop struct {
	Loop
	Deep struct {
		Inner int ` + "`json:\"inner\"`" + `
	} ` + "`json:\"deep\"`" + `
}

type Item struct {
	Name string ` + "`json:\"name\"`" + `
}

type ItemAlias Item
`

func TestPosition(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "types.go"), []byte(source), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "broken.go"), []byte("package"), 0o600))
	p, err := Parse(dir)
	require.NoError(t, err)
	for path, want := range map[string]string{
		"":                      "3:6",  // the type
		"spec":                  "5:2",  //
		"spec image":            "18:2", // embedded with a tag
		"spec deep inner":       "24:3", // embedded without one, in a struct without a name
		"spec items name":       "29:2", // behind a list and a pointer
		"spec byKey name":       "29:2", // behind a map
		"spec alias name":       "29:2", // behind another name
		"spec pod containers x": "13:2", // ends where the package does
		"spec nope":             "5:2",  // unknown
	} {
		at, ok := p.Position("CronTab", strings.Fields(path))
		if got := fmt.Sprintf("%d:%d", at.Line, at.Column); !ok || got != want {
			t.Errorf("%q: %s, %v; want %s", path, got, ok, want)
		}
	}
	if _, ok := p.Position("Nope", nil); ok || p.types["Nope"] != nil || p.types["Item"] == nil {
		t.Error("a type that is not declared was found, or one that is was not")
	}
}

// A path goes on in other packages of the module and of modules that replace others by a directory, and the lines of comments that can have
// markers come with the field.
func TestFieldOfOtherPackages(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":          "module example.com/m\n\nrequire example.com/other v1.0.0\n\nreplace example.com/other => ./other\n",
		"api/v1/types.go": "package v1\n\nimport (\n\tcorev1 \"k8s.io/api/core/v1\"\n\n\t\"example.com/m/shared\"\n\t\"example.com/other\"\n)\n\n// +one\n\n// CronTab runs.\n//\n//   +two\ntype CronTab struct {\n\t// +three\n\tSize *shared.Size `json:\"size\"`\n\tFar other.Far `json:\"far\"`\n\tPod corev1.PodSpec `json:\"pod\"`\n}\n",
		"shared/size.go":  "package shared\n\n// +four\ntype Size struct {\n\tMax int `json:\"max\"`\n}\n",
		"other/far.go":    "package other\n\ntype Far struct {\n\tNear int `json:\"near\"`\n}\n",
	} {
		file := filepath.Join(root, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	}
	p, err := Parse(filepath.Join(root, "api", "v1"))
	require.NoError(t, err)
	for path, want := range map[string]string{
		"":               "api/v1/types.go:15:6 CronTab. [14:6 +two] [10:4 +one]",
		"size":           "api/v1/types.go:17:2 CronTab.Size [16:5 +three] [3:4 +four]",
		"size max":       "shared/size.go:5:2 Size.Max",
		"far near":       "other/far.go:4:2 Far.Near",
		"pod containers": "api/v1/types.go:19:2 CronTab.Pod k8s.io/api/core/v1.PodSpec",
	} {
		f, ok := p.Field("CronTab", strings.Fields(path))
		require.True(t, ok)
		rel, err := filepath.Rel(root, f.Position.Filename)
		require.NoError(t, err)
		got := fmt.Sprintf("%s:%d:%d %s.%s", filepath.ToSlash(rel), f.Position.Line, f.Position.Column, f.Type, f.Name)
		for _, l := range f.Lines() {
			if strings.HasPrefix(l.Text, "+") {
				got += fmt.Sprintf(" [%d:%d %s]", l.Position.Line, l.Position.Column, l.Text)
			}
		}
		if f.Foreign != "" {
			got += " " + f.Foreign
		}
		require.Equal(t, want, got, path)
	}
}

// The type that declares the fields below a field is its struct type, or, for one of another module, the field.
func TestTypeOf(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "types.go"), []byte(source), 0o600))
	p, err := Parse(dir)
	require.NoError(t, err)
	for path, want := range map[string]string{
		"":           "3:6 CronTab",
		"spec":       "8:6 CronTabSpec",
		"spec items": "28:6 Item",
		"spec byKey": "28:6 Item",
		"spec alias": "28:6 Item",   // what it is another name for
		"spec deep":  "23:2 Loop",   // a struct without a name: the field
		"spec image": "18:2 Common", // no struct: the field
		"spec pod":   "13:2 CronTabSpec .PodSpec",
	} {
		at, ok := p.TypeOf("CronTab", strings.Fields(path))
		require.True(t, ok)
		require.Equal(t, want, strings.TrimSpace(fmt.Sprintf("%d:%d %s %s", at.Position.Line, at.Position.Column, at.Type, at.Foreign)), path)
	}
}

// Comments of fields, types and constants are those in the source, without markers.
func TestComments(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "types.go"), []byte(`package v1

// Kind is a kind.
// +marker
//
// With two paragraphs.
// ---
// For developers.
type Kind struct {
	// policy of it.
	// +kubebuilder:validation:Enum=A;B
	Policies []Policy `+"`json:\"policies\"`"+`
	Bare Policy `+"`json:\"bare\"`"+`
}

// Policy is one.
type Policy string

const (
	// A is the first.
	A Policy = "a"
	B Policy = "b" // B follows.
	C = Policy("c")
	Other = "d"
)

// E is alone.
const E Policy = "e"
`), 0o600))
	p, err := Parse(dir)
	require.NoError(t, err)
	comment := func(path ...string) string {
		f, ok := p.Field("Kind", path)
		require.True(t, ok)
		return f.Comment()
	}
	require.Equal(t, "Kind is a kind.\n\nWith two paragraphs.", comment())
	require.Equal(t, "policy of it.", comment("policies"))
	require.Empty(t, comment("bare"), "the comment of its type is not its own")
	of, ok := p.TypeOf("Kind", []string{"policies"})
	require.True(t, ok)
	require.Equal(t, "Policy is one.", of.Comment())
	require.Equal(t, map[string]string{"a": "A is the first.", "b": "B follows.", "c": "", "e": "E is alone."}, of.Constants())
	f, _ := p.Field("Kind", []string{"policies", "none"})
	require.True(t, f.Partial)
}
