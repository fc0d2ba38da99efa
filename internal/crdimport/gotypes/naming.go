// SPDX-License-Identifier: Apache-2.0

package gotypes

import (
	"fmt"
	"slices"
	"strings"
)

// assemble gives the types their names and returns all texts, that of the root first.
func (b *builder) assemble(root string, taken Names) string {
	var pairs []string
	names := make([]string, len(b.types))
	for id, t := range b.types {
		if t != nil {
			names[id] = b.name(t, taken)
			pairs = append(pairs, mark(id), names[id])
		}
	}
	rename := strings.NewReplacer(append(pairs, "//"+said, "//")...)
	all := rename.Replace(root)
	for id, t := range b.types {
		if t != nil {
			all += rename.Replace(strings.ReplaceAll(t.text, self, names[id])) + "\n"
		}
	}
	return all
}

// name is the kind with as few words of the place as make it one of its own.
func (b *builder) name(t *typ, taken Names) string {
	if t.fixed() {
		return b.kind + t.words[0] // reserved
	}
	suffixes := append([]string{""}, t.suffixes...)
	free := func(name string) bool {
		if slices.ContainsFunc(suffixes, func(suffix string) bool { return taken[name+suffix] || reserved[name+suffix] }) {
			return false
		}
		for _, suffix := range suffixes {
			taken[name+suffix] = true
		}
		return true
	}
	for n := 1; n <= len(t.words); n++ {
		if name := b.prefixed(strings.Join(t.words[len(t.words)-n:], "")); free(name) {
			return name
		}
	}
	for i := 2; ; i++ {
		if name := fmt.Sprintf("%s%d", b.prefixed(strings.Join(t.words, "")), i); free(name) {
			return name
		}
	}
}

// fixed tells of the types of spec and status, which are called what they always are.
func (t *typ) fixed() bool {
	return len(t.words) == 1 && (t.place == "spec" && t.words[0] == "Spec" || t.place == "status" && t.words[0] == "Status")
}

// prefixed is a name that begins with the kind, once: kinds of one version share a package.
func (b *builder) prefixed(name string) string {
	if strings.HasPrefix(name, b.kind) && name != b.kind {
		return name
	}
	return b.kind + name
}
