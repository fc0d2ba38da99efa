// SPDX-License-Identifier: Apache-2.0

package compat_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/check/checktest"
	"github.com/crdctl/crdctl/internal/check/compat"
	"github.com/crdctl/crdctl/internal/check/rule"
)

// What has one cause is one finding: that of the CRD if there is one, that of the field whose type went with it, that of the kind whose list did.
func TestGoHasOneCause(t *testing.T) {
	const (
		before = "package v1\n\nimport corev1 \"k8s.io/api/core/v1\"\n\n" +
			"type Spec struct {\n\tSize int `json:\"size\"`\n\tTLS *TLS `json:\"tls\"`\n\tMode Mode `json:\"mode\"`\n\tRef corev1.ObjectReference\n\tPort int\n\thidden int\n}\n\n" +
			"type TLS struct{ Cert Cert }\n\ntype Cert struct{}\n\ntype Mode string\n\nconst (\n\tFast Mode = \"Fast\"\n\tSlow Mode = \"Slow\"\n\tOther = 1\n)\n\n" +
			"type Job struct{ Spec JobSpec }\n\ntype JobSpec struct{}\n\ntype JobList struct{ Items []Job }\n"
		after = "package v1\n\nimport v1 \"k8s.io/api/core/v1\"\n\ntype Spec struct {\n\tMode Mode `json:\"mode\"`\n\tRef v1.ObjectReference\n\tPort *int\n}\n\ntype Mode string\n\nconst Fast Mode = \"Fast\"\n"
	)
	file := func(text string) map[string][]byte { return map[string][]byte{"api/v1/types.go": []byte(text)} }
	at := rule.Place{File: "api/v1/types.go", Line: 5, Col: 6}
	known := []rule.Finding{
		rule.New("field-dropped", at, "x", "size: the field was removed"),
		rule.New("enum-removed", at, "x", "mode: values are no longer allowed: more than are shown"),
	}
	known[1].Values = []string{`"Slow"`}
	found, note, err := compat.CompareGo("api/v1", file(before), file(after), known)
	require.NoError(t, err)
	assert.Empty(t, note)
	assert.Equal(t, []string{
		"api/v1/types.go:5:6: go-field-removed: the field TLS of Spec was removed",
		"api/v1/types.go:8:2: go-pointer-changed: the type of the field Port changed from int to *int",
		"api/v1/types.go:1: go-type-removed: the type Job was removed",
		"api/v1/types.go:1: go-const-removed: the constant Other was removed",
	}, sorted(found))

	// Of what does not parse, nothing is known to be gone.
	broken := map[string][]byte{"api/v1/a.go": []byte("not Go"), "api/v1/types.go": []byte("package v1")}
	_, _, err = compat.CompareGo("api/v1", file(before), broken, nil)
	require.ErrorContains(t, err, "compare the Go package api/v1: api/v1/a.go:1:1: ")
	found, note, err = compat.CompareGo("api/v1", broken, file(after), nil)
	require.NoError(t, err)
	assert.Empty(t, found)
	assert.Contains(t, note, "the Go package api/v1 was not compared: its older state: api/v1/a.go:1:1: ")
}

func sorted(found []rule.Finding) []string {
	var fields, others []rule.Finding
	for _, f := range found {
		if f.Place.Col > 0 {
			fields = append(fields, f)
		} else {
			others = append(others, f)
		}
	}
	return checktest.Lines(append(rule.Sort(fields), others...))
}

// Of an interface, the finding names the methods; comments, the layout and the order are no part of it.
func TestGoInterface(t *testing.T) {
	file := func(text string) map[string][]byte {
		return map[string][]byte{"api/v1/types.go": []byte("package v1\n\n" + text)}
	}
	const before = "import \"k8s.io/api/core/v1\"\n\ntype Accessor interface {\n\t// Policy is of all.\n\tPolicy() v1.PullPolicy\n\tName() string // in full\n\tGone()\n}\n"
	const after = "import corev1 \"k8s.io/api/core/v1\"\n\ntype Accessor interface {\n\tImage() string\n\tPolicy() corev1.PullPolicy\n\tName() (string, error)\n}\n"
	found, _, err := compat.CompareGo("api/v1", file(before), file(after), nil)
	require.NoError(t, err)
	assert.Equal(t, []string{
		"api/v1/types.go:5:6: go-type-changed: the interface Accessor changed: it no longer has Gone(), Name() string; it has Image() string, Name() (string, error)",
	}, sorted(found))

	const same = "import \"k8s.io/api/core/v1\"\n\ntype Accessor interface {\n\n\tName() string\n\n\tGone()\n\tPolicy() v1.PullPolicy // of all containers\n}\n"
	found, _, err = compat.CompareGo("api/v1", file(before), file(same), nil)
	require.NoError(t, err)
	assert.Empty(t, found)
}
