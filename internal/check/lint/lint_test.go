// SPDX-License-Identifier: Apache-2.0

package lint_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/check/allow"
	"github.com/crdctl/crdctl/internal/check/checktest"
	"github.com/crdctl/crdctl/internal/check/lint"
	"github.com/crdctl/crdctl/internal/check/rule"
	loader "github.com/crdctl/crdctl/internal/gen/load"
	"github.com/crdctl/crdctl/internal/gen/markerlint"
)

// Around an example there is a kind with a spec and a status, unless it has them.
const (
	head = `// +groupName=stable.example.com
package v1

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

`
	kind = `
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
type CronTab struct {
	metav1.TypeMeta   ` + "`json:\",inline\"`" + `
	metav1.ObjectMeta ` + "`json:\"metadata,omitempty\"`" + `

	// +required
	Spec CronTabSpec ` + "`json:\"spec\"`" + `
	// +optional
	Status CronTabStatus ` + "`json:\"status,omitempty\"`" + `
}
`
)

const dir = "internal/check/lint/testdata/api/v1"

func judge(t *testing.T, example string) []rule.Finding {
	t.Helper()
	root, err := filepath.Abs("../../..")
	require.NoError(t, err)
	text := head + example
	for name, declared := range map[string]string{"type CronTab struct": kind, "type CronTabSpec ": "\ntype CronTabSpec struct{}\n", "type CronTabStatus ": "\ntype CronTabStatus struct{}\n"} {
		if !strings.Contains(example, name) {
			text += declared
		}
	}
	r, err := lint.Check(t.Context(), lint.Source{Root: root, Dirs: []string{dir}, Files: map[string]map[string][]byte{dir: {"types.go": []byte(text)}},
		Tags: markerlint.Families{Kubebuilder: true, Gengo: true, Fields: true}})
	require.NoError(t, err)
	found, _, err := allow.Apply(r.Findings, nil, allow.Options{
		Files: []string{dir + "/types.go"}, Read: func(string) ([]byte, error) { return []byte(text), nil }, Judged: func(*rule.Rule) bool { return true },
	})
	require.NoError(t, err)
	return found
}

func TestExamples(t *testing.T) {
	checktest.Examples(t, rule.Lint, 1, func(t *testing.T, example []rule.Block) []rule.Finding { return judge(t, example[0].Text) })
}

// A required field without a JSON tag has findings: what kube-api-linter would change of its tag is of no account.
func TestFieldWithoutTag(t *testing.T) {
	found := judge(t, "type CronTabSpec struct {\n\t// +required\n\t// +kubebuilder:validation:MinLength=1\n\tName string\n}\n")
	require.NotEmpty(t, found)
	require.Contains(t, checktest.Lines(found)[0], "field CronTabSpec.Name is missing json tag")
}

// A field may have several CEL rules, also where controller-gen takes the value without quotes.
func TestSeveralRules(t *testing.T) {
	found := judge(t, "// CronTabSpec is one.\ntype CronTabSpec struct {\n\t// name is one.\n\t// +required\n\t// +kubebuilder:validation:MinLength=1\n"+
		"\t// +kubebuilder:validation:XValidation:rule=(size(self) > 0), message=\"a\"\n\t// +kubebuilder:validation:XValidation:rule=(self == oldSelf), message=\"b\"\n"+
		"\tName string `json:\"name\"`\n}\n")
	for _, line := range checktest.Lines(found) {
		require.NotContains(t, line, "multiple definitions")
	}
}

// controller-gen reads markers without a space as well: such a field is optional, and has only the finding about its tag.
func TestMarkerWithoutSpace(t *testing.T) {
	var of []string
	for _, f := range judge(t, "type CronTabSpec struct {\n\t//+optional\n\t// +kubebuilder:default=UTC\n\tTimeZone string `json:\"timeZone\"`\n}\n") {
		if f.Rule.ID == "defaults" {
			of = append(of, f.Message)
		}
	}
	require.Equal(t, []string{"field CronTabSpec.TimeZone has a default value but does not have omitempty in its json tag"}, of)
}

// asked is a memory of the settings of the go command, which is not started for each input.
type asked struct {
	loader.Memory
	vars map[string]string
}

func (a *asked) Vars(_ string, _ []string, ask func() (map[string]string, error)) (vars map[string]string, err error) {
	if a.vars == nil {
		a.vars, err = ask()
	}
	return a.vars, err
}

// Any Go source that parses can be judged, and one that does not is an error: nothing panics. Run it with -fuzzminimizetime 1x: coverage differs
// from run to run where goroutines do, and each minute of minimizing would find nothing.
func FuzzSource(f *testing.F) {
	root, err := filepath.Abs("../../..")
	require.NoError(f, err)
	for _, r := range rule.All() {
		if r.Family == rule.Lint && len(r.Flagged) > 0 {
			f.Add(r.Flagged[0].Text)
		}
	}
	f.Add("type CronTab struct { CronTab; Spec *CronTab `json:\"spec\"`; Status CronTabStatus[int] }\n\ntype CronTabStatus[T any] struct { *CronTabStatus[T]; T []T `json:\",inline\"` }\n")
	f.Add("// +crdctl:allow=\n// +kubebuilder:validation:XValidation:rule=\"\n// +kubebuilder:default={\n// +listMapKey=\ntype CronTabSpec struct { A, B map[string]map[string]CronTabSpec `json:`; _ func() }\n")
	memory := &asked{}
	f.Fuzz(func(t *testing.T, example string) {
		r, err := lint.Check(loader.WithMemory(t.Context(), memory), lint.Source{Root: root, Dirs: []string{dir}, Files: map[string]map[string][]byte{dir: {"types.go": []byte(head + example + kind)}},
			Tags: markerlint.Families{Kubebuilder: true, Gengo: true, Fields: true}})
		if err != nil {
			require.NotContains(t, err.Error(), "panic")
			return
		}
		_, _, err = allow.Apply(r.Findings, nil, allow.Options{
			Files: []string{"types.go"}, Read: func(string) ([]byte, error) { return []byte(head + example + kind), nil }, Judged: func(*rule.Rule) bool { return true },
		})
		require.NoError(t, err)
	})
}

// controller-gen takes the quotes off the value of a marker, which kube-api-linter compares with them.
func TestQuotedMarkersOfLists(t *testing.T) {
	const example = `
// +kubebuilder:validation:MaxItems=9
type CronTabSpec struct {
	// +optional
	// +kubebuilder:validation:MaxItems=9
	// +listType=MAP
	// +listMapKey=NAME
	Jobs []Job "json:\"jobs,omitempty\""
}

type Job struct {
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=9
	Name string "json:\"name\""
}

type CronTabStatus struct {
	// +optional
	// +listType=MAP
	// +listMapKey=TYPE
	Conditions []metav1.Condition "json:\"conditions,omitempty\""
}
`
	rules := func(text string) (all []string) {
		for _, f := range judge(t, text) {
			if f.Rule.ID == "ssatags" || f.Rule.ID == "conditions" {
				all = append(all, f.Message)
			}
		}
		return all
	}
	for _, quote := range []string{"", `"`, "`"} {
		require.Empty(t, rules(strings.NewReplacer("MAP", quote+"map"+quote, "NAME", quote+"name"+quote, "TYPE", quote+"type"+quote).Replace(example)))
	}
	require.NotEmpty(t, rules(strings.NewReplacer("MAP", "wrong", "NAME", "name", "TYPE", "type").Replace(example)))
}
