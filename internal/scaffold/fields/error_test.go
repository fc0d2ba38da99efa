// SPDX-License-Identifier: Apache-2.0

package fields_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/safefs/safefstest"
	"github.com/crdctl/crdctl/internal/scaffold/fields"
)

var update = flag.Bool("update", false, "write the golden files anew")

// refusals are fields that are refused: each line has fields that are given together, with spaces around the bars between them.
var refusals = []string{
	"replicas", ":int32", "replicas:", "replicas:int32:", "a::int32", "Foo`bar:string", "foo_bar:string", "1st:string", "deepCopy:string", "deepCopyInto:string",
	"ip:string | iP:string", "replicas:int32 | withReplicas:string", "a:int", "b:float64", "c:any", "d:map[int]string", "e:[][]string", "e:*[]string",
	"f:corev1.PodTemplateSpecc", "f:PodTemplateSpec", "f:corev1.Pod", "f:corev1.Frobnicator", "f:Secret", "f:strng", "f:metav1.Timestamp", "f:map[string",
	"p:enum()", "p:enum(A,a b!)", "p:enum(a-b,aB)", "p:enum(A", "p:enum(A,A)", "p:enum(A):min=1", "p:enum(A):pattern=x", "p:enum(A,B):default=C",
	"n:int32:requird", "n:int32:frob", "n:int32:=x", "n:int32:required=true", "n:int32:required:default=1", "n:int32:min", "n:int32:min=x", "n:int32:min=1:min=2",
	"n:int32:min=5:max=1", "n:int32:min=1:default=0", "n:int32:max=3:default=4", "n:int32:default=abc", "n:int32:default=3000000000", "n:int32:max=3000000000",
	"n:int64:max=9007199254740993", "n:int32:minLength=1", "n:int32:enum=1,x", "n:int32:enum=1,1", "n:int32:enum=1,2:default=3",
	"s:string:min=1", "l:[]string:min=1", "l:[]string:maxLength=1", "l:[]string:pattern=a", "m:map[string]string:min=1", "s:string:minLength=-1", "s:string:pattern=[", `s:string:pattern="[a`,
	`s:string:pattern="a"b`, "s:string:pattern=^a:required", "s:string:pattern=^a$:default=b", "s:string:maxLength=2:default=abc", `s:string:pattern="^a$":default=b`,
	"s:string:default=nginx:1.29:required", "b:bool:default=yes", "d:metav1.Duration:default=1", "t:metav1.Time:default=today", "q:resource.Quantity:default=1X",
	"l:[]string:default=a", "l:[]string:default=[a, 1]", "l:[]string:default=[a", "m:map[string]string:default=[a]", "l:[]string:default=[a]:+kubebuilder:validation:MinItems=2",
	"o:object", "o[]:object", "o{}:object", "o.p:string | o:string", "o:string | o.p:string", "o[].p:string | o.q:string", "o[].p:string | o:object", "o:object | o:object | o.a:string",
	"a.b.c.d.e.f.g.h.i:string", "o.p:string:required | o:object:default={}", "o.p:string | o:object:default=x", "o.p:int32 | o:object:default={p: x}",
	"e:corev1.EnvVar:default={nam: x}", "e:corev1.EnvVar:default=x", "spec.a:string", "status.conditions:string", "tab:string:default=a\tb", "zero:string:+custom=a\u200bb", "type:string | Type:string",
	"n:int32:min=null", "n:int32:enum=1,null", "b:bool:default=null", "n:int32:+required", "n:int32:+default=1", "n:int32:+kubebuilder:default=1", "n:int32:+kubebuilder:printcolumn:name=A",
	"n:int64:multipleOf=512:min=512", "l:[]string:minItems=1:maxItems=8", "s:string:desc=a text", "s:string:optional", "s:string:example=a", "s:string:column=A b:1", "e:[]corev1.EnvVar:listMapKey=name:required",
	`s:string:cel="self != 'off';must not be off"`,
}

// Everything that is refused, and in which words. The words are in a file, which is read as a page.
func TestRefusals(t *testing.T) {
	var b strings.Builder
	for _, r := range refusals {
		args := strings.Split(r, " | ")
		_, err := fields.Parse(args, fields.Options{Kind: "Widget", Status: true})
		require.Error(t, err, r)
		named(t, err)
		fmt.Fprintf(&b, "%s\n%s\n\n", strings.Join(args, " | "), err)
	}
	_, err := fields.Parse([]string{"status.a:string"}, fields.Options{Kind: "Widget"})
	fmt.Fprintf(&b, "status.a:string, with --no-status\n%v\n", err)
	golden(t, "refusals.txt", b.String())
}

// named holds that every line of an error names its --field.
func named(t *testing.T, err error) {
	t.Helper()
	for line := range strings.SplitSeq(err.Error(), "\n") {
		require.True(t, strings.HasPrefix(line, "--field "), line)
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
	}
	require.Equal(t, safefstest.Read(t, file), got, "go test ./internal/scaffold/fields -update writes %s anew", file)
}
