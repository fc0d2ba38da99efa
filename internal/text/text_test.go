// SPDX-License-Identifier: Apache-2.0

package text

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
)

func TestDidYouMean(t *testing.T) {
	tags := []string{"genclient", "genclient:nonNamespaced", "genclient:noStatus", "k8s:deepcopy-gen", "k8s:required", "k8s:item", "k8s:minLength"}
	types := []string{"bool", "corev1.PodSpec", "int32", "int64", "metav1.Time", "resource.Quantity", "string"}
	for _, c := range []struct {
		name       string
		candidates []string
		want       string
	}{
		{"genclient:nonNamespace", tags, "genclient:nonNamespaced"},
		{"genclient:non-namespaced", tags, "genclient:nonNamespaced"},
		{"genclient.noStatus", tags, "genclient:noStatus"},
		{"genclinet", tags, "genclient"},
		{"k8s:deepcoyp-gen", tags, "k8s:deepcopy-gen"},
		{"k8s:items", tags, "k8s:item"},
		{"k8s:minWeight", tags, ""},
		{"genclient:frobnicate", tags, ""},
		{"k8s:maxLength", tags, ""}, // another word, not a slip
		{"string", types, "string"},
		{"String", types, "string"},
		{"sting", types, "string"},
		{"bol", types, "bool"},
		{"int3", types, "int32"}, // the first of two
		{"quantity", types, "resource.Quantity"},
		{"resource.Quantiy", types, "resource.Quantity"},
		{"float", types, ""},
		{"", types, ""},
		{"lst", []string{"get", "set", "list"}, "list"},
		{"git", []string{"get", "set"}, ""}, // every other word of 3 letters is one slip away
	} {
		assert.Equal(t, c.want, DidYouMean(c.name, c.candidates), "DidYouMean(%q) =", c.name)
	}
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"a", "", 1}, {"abc", "abc", 0}, {"abc", "acb", 1}, {"abc", "axc", 1}, {"kitten", "sitting", 3}, {"ca", "abc", 3},
	} {
		assert.Equal(t, c.want, Distance(c.a, c.b), "Distance(%q, %q) =", c.a, c.b)
		assert.Equal(t, c.want, Distance(c.b, c.a), "Distance(%q, %q) =", c.b, c.a)
	}
}

func TestShortenKeepsCharactersWhole(t *testing.T) {
	const limit = 20
	for _, s := range []string{"", "short", strings.Repeat("a", limit), strings.Repeat("ä", limit), "x" + strings.Repeat("ä", limit), strings.Repeat("€", limit)} {
		got := Shorten(s, limit)
		if !utf8.ValidString(got) || len(got) > limit || !strings.HasPrefix(s, strings.TrimSuffix(got, "…")) || len(s) <= limit && got != s {
			t.Errorf("%q became %q", s, got)
		}
		if got := Cut([]byte(s), limit); !utf8.Valid(got) || len(got) > limit || !strings.HasPrefix(s, string(got)) {
			t.Errorf("%q was cut to %q", s, got)
		}
	}
}

func TestPrintable(t *testing.T) {
	for s, want := range map[string]string{
		"":                           "",
		"hot loop: ↔ \"x\"":          "hot loop: ↔ \"x\"",
		"a\r\nb\nc\rd\u2028e":        "a b c d e",
		"\x1b]0;x\a\t\x7f\u009b2J":   `\u001b]0;x\u0007\u0009\u007f\u009b2J`,
		"\u202etxt.exe":              `\u202etxt.exe`,
		"not UTF-8: \xff\x9b31m end": "not UTF-8: \uFFFD\uFFFD31m end",
	} {
		if got := Printable(s); got != want {
			t.Errorf("%q: %q, want %q", s, got, want)
		}
	}
}

func TestCount(t *testing.T) {
	assert.Equal(t, "0 CRDs, 1 CRD, 2 CRDs", Count(0, "CRD", "CRDs")+", "+Count(1, "CRD", "CRDs")+", "+Count(2, "CRD", "CRDs"))
}

func TestFirst(t *testing.T) {
	list := []string{"a", "b", "c", "d"}
	for most, want := range map[int]string{1: "a and 3 more", 3: "a, b, c and 1 more", 4: "a, b, c, d", 5: "a, b, c, d"} {
		if got := First(list, most); got != want {
			t.Errorf("first %d: got %q, want %q", most, got, want)
		}
	}
	if got, want := FirstSaid(list, 2), "a; b; and 2 more"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
