// SPDX-License-Identifier: Apache-2.0

package fields_test

import (
	"fmt"
	"go/format"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/safefs/safefstest"
	"github.com/crdctl/crdctl/internal/scaffold/fields"
)

// goOf is what is made for the Go file of a kind Widget, with its fields and types.
func goOf(t *testing.T, set *fields.Set, spec, status, types string) string {
	t.Helper()
	source := "package v1\n\ntype WidgetSpec struct {\n" + spec + "}\n\ntype WidgetStatus struct {\n" + status + "}\n" + types
	code, err := format.Source([]byte(source))
	require.NoError(t, err, source)
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n--- markers of the spec\n%s\n--- columns\n", code, strings.Join(set.SpecMarkers(), "\n"))
	for _, c := range set.Columns() {
		fmt.Fprintf(&b, "%s, %s, %s, %d\n", c.Name, c.Type, c.JSONPath, c.Priority)
	}
	return b.String()
}

// Fields that a crdctl recorded when the language had a rule for everything make the same Go types, to the byte. The file has those
// fields and what that crdctl made of them; it is never written anew.
func TestRecorded(t *testing.T) {
	recorded, want, _ := strings.Cut(safefstest.Read(t, "testdata/recorded.txt"), "\n\n")
	var args []string
	for arg := range strings.Lines(recorded) {
		translated := fields.Translate(strings.TrimSuffix(arg, "\n"))
		require.Equal(t, translated, fields.Translate(translated))
		args = append(args, translated)
	}
	set, err := fields.Parse(args, fields.Options{Kind: "Widget", Status: true})
	require.NoError(t, err)
	require.Equal(t, want, goOf(t, set, set.SpecGo(), set.StatusGo(), set.TypesGo()), args)
}

// Comments and sample values were in the language; the files have them.
func TestTranslateDrops(t *testing.T) {
	for arg, want := range map[string]string{
		`tls:string:desc="how: it goes":required`:         "tls:string:required",
		"email:string:format=email:example=a@example.com": "email:string:+kubebuilder:validation:Format=email",
		"a:nonsense:nullable":                             "a:nonsense:nullable",
		"a:string:nullable:+custom=b":                     "a:string:+nullable:+custom=b",
		"a:int32:column=B:1:min=1":                        `a:int32:min=1:+kubebuilder:printcolumn:name="B",type=integer,JSONPath=".spec.a",priority=1`,
	} {
		require.Equal(t, want, fields.Translate(arg))
	}
}
