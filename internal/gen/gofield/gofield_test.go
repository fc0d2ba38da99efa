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
