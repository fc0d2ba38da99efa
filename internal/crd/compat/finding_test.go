// SPDX-License-Identifier: Apache-2.0

package compat_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/crdctl/crdctl/internal/crd/compat"
)

func TestFindingString(t *testing.T) {
	many := []string{"spec.a", "spec.b", "spec.c", "spec.d", "spec.e", "spec.f", "spec.g"}
	for want, finding := range map[string]compat.Finding{
		"default/x (v1): spec.a: Required value; spec.b: Required value": {Namespace: "default", Name: "x", Version: "v1", Kind: compat.Invalid,
			Messages: []string{"spec.a: Required value", "spec.b: Required value"}},
		"x (v1): spec: Invalid value: ERROR:  | a":                                {Name: "x", Version: "v1", Kind: compat.Invalid, Messages: []string{"spec: Invalid value: ERROR:\n | a"}},
		"x (v1): " + strings.Repeat("ä", 300) + "…":                               {Name: "x", Version: "v1", Kind: compat.Invalid, Messages: []string{strings.Repeat("ä", 301)}},
		"x: spec.a would be dropped":                                              {Name: "x", Version: "v1", Kind: compat.Dropped, Fields: []string{"spec.a"}},
		"n/x: spec.a, spec.b, spec.c, spec.d, spec.e and 2 more would be dropped": {Namespace: "n", Name: "x", Kind: compat.Dropped, Fields: many},
		"version v1 would be removed; objects of it: n/x":                         {Version: "v1", Kind: compat.Gone, Messages: []string{"objects of it: n/x"}},
	} {
		assert.Equal(t, want, finding.String())
	}
}

func TestText(t *testing.T) {
	var findings []compat.Finding
	var want []string
	for n := range 42 {
		findings = append(findings, compat.Finding{Name: fmt.Sprintf("object-%d", n), Kind: compat.Dropped, Fields: []string{"spec.a"}})
		want = append(want, fmt.Sprintf("object-%d: spec.a would be dropped", n))
	}
	assert.Empty(t, compat.Text(nil))
	assert.Equal(t, strings.Join(want[:5], "\n"), compat.Text(findings[:5]))
	assert.Equal(t, strings.Join(want[:5], "\n")+"\nand 37 more", compat.Text(findings))
}
