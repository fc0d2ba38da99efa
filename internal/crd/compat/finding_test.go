package compat_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/crdctl/crdctl/internal/crd/compat"
	"github.com/stretchr/testify/assert"
)

func TestFindingString(t *testing.T) {
	many := []string{"spec.a", "spec.b", "spec.c", "spec.d", "spec.e", "spec.f", "spec.g"}
	for _, c := range []struct {
		finding compat.Finding
		want    string
	}{
		{compat.Finding{Namespace: "default", Name: "x", Version: "v1", Kind: compat.Invalid, Messages: []string{"spec.a: Required value", "spec.b: Required value"}},
			"default/x (v1): spec.a: Required value; spec.b: Required value"},
		{compat.Finding{Name: "x", Version: "v1", Kind: compat.Invalid, Messages: []string{"spec: Invalid value: ERROR:\n | a"}}, "x (v1): spec: Invalid value: ERROR:  | a"},
		{compat.Finding{Name: "x", Version: "v1", Kind: compat.Invalid, Messages: []string{strings.Repeat("ä", 301)}}, "x (v1): " + strings.Repeat("ä", 300) + "…"},
		{compat.Finding{Name: "x", Version: "v1", Kind: compat.Dropped, Fields: []string{"spec.a"}}, "x: spec.a would be dropped"},
		{compat.Finding{Namespace: "n", Name: "x", Kind: compat.Dropped, Fields: many}, "n/x: spec.a, spec.b, spec.c, spec.d, spec.e and 2 more would be dropped"},
		{compat.Finding{Version: "v1", Kind: compat.Gone, Messages: []string{"objects of it: n/x"}}, "version v1 would be gone; objects of it: n/x"},
	} {
		assert.Equal(t, c.want, c.finding.String())
	}
}

func TestText(t *testing.T) {
	var findings []compat.Finding
	var want []string
	for n := range 42 {
		if n < 5 {
			want = append(want, fmt.Sprintf("object-%d: spec.a would be dropped", n))
		}
		if text := compat.Text(findings); n <= 5 && text != strings.Join(want[:min(n, len(want))], "\n")[:len(text)] {
			t.Errorf("%d findings:\n%s", n, text)
		}
		findings = append(findings, compat.Finding{Name: fmt.Sprintf("object-%d", n), Kind: compat.Dropped, Fields: []string{"spec.a"}})
	}
	assert.Equal(t, strings.Join(want, "\n")+"\nand 37 more", compat.Text(findings), "42 findings")
}
