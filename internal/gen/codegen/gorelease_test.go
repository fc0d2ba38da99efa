// SPDX-License-Identifier: Apache-2.0

package codegen

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestSameButGo(t *testing.T) {
	file := func(comment string) []byte {
		return fmt.Appendf(nil, "package v1\n\n// Spec is ``it``.\ntype Spec struct {\n%s\tName *string\n}\n", comment)
	}
	go126 := file("\t// Name is “it“,\n\t// by the way.\n")
	for _, test := range []struct {
		other string
		same  bool
	}{
		{"\t// Name is “it“,\n\t// by the way.\n", true},
		{"\t// Name is ``it``,\n\t// by the way.\n\t//\n", true}, // Go 1.27
		{"\t// Name is it,\n\t// by the way.\n", false},
		{"\t// Name is “it“,\n\t// by the way.\n\t// It is long.\n", false},
		{"\t// Name is “it“, by the way.\n", false},
		{"", false},
	} {
		assert.Equal(t, test.same, SameButGo(go126, file(test.other)), "%q", test.other)
	}
	assert.False(t, SameButGo([]byte("// Spec is ``it``.\ntype Spec struct{}\n"), []byte("// Spec is “it“.\ntype Spec struct{}\n")), "comments of declarations are the same in all releases")
}

func TestSameButGoJSON(t *testing.T) {
	file := func(imports, typ string) []byte {
		return fmt.Appendf(nil, "package v1\n\nimport (\n\t%s\n\n\tv1 \"k8s.io/api/core/v1\"\n)\n\nfunc f(in *v1.Pod) { _ = make(%s, 1) }\n", imports, typ)
	}
	go127 := file(`jsontext "encoding/json/jsontext"`, "jsontext.Value")
	assert.True(t, SameButGo(file(`json "encoding/json"`, "json.RawMessage"), go127))
	assert.True(t, SameButGo(file(`"encoding/json"`, "json.RawMessage"), go127), "as controller-gen writes it")
	assert.False(t, SameButGo(file(`json "encoding/json"`, "json.Number"), go127))
	assert.False(t, SameButGo(file(`json "encoding/json"`, "[]json.RawMessage"), go127))
}
