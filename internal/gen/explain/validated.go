// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"fmt"
	"go/types"
	"strings"

	"github.com/crdctl/crdctl/internal/gen/diag"
	"github.com/crdctl/crdctl/internal/gen/load"
	"github.com/crdctl/crdctl/internal/text/lazyregexp"
)

var (
	lintedType  = lazyregexp.New(`^type (\S+):$`)
	lintedField = lazyregexp.New(`^field (\w+): (.*)`)
	madeField   = lazyregexp.New(`\bfield (\S+?)(?: \([^)]*\))?: (.*)`)
)

// validated gives what validation-gen has against fields their places: it names types and fields.
func validated(c Context, said string) error {
	if !strings.HasPrefix(said, "validation-gen") {
		return nil
	}
	var lines []string
	var linted string
	for line := range strings.Lines(said) {
		line = strings.TrimSpace(line)
		if m := lintedType.FindStringSubmatch(line); m != nil {
			linted = m[1]
			continue
		}
		name, why := linted, line
		if m := lintedField.FindStringSubmatch(line); m != nil && linted != "" {
			name, why = linted+"."+m[1], m[2]
		} else if m := madeField.FindStringSubmatch(line); m != nil {
			name, why = m[1], m[2]
		}
		if at, short := fieldAt(c.Graph, name); at != "" {
			lines = append(lines, fmt.Sprintf("%s: %s: %s", at, short, why))
		}
	}
	return diag.WithHint("cannot generate the validations", c.Root, "correct the markers at these places", lines...)
}

// fieldAt is the place of a type or field that is called PACKAGE.TYPE.FIELD, with the field's name in Go or in JSON, and what it
// is called in its package.
func fieldAt(g *load.Graph, name string) (at, short string) {
	slash := strings.LastIndexByte(name, '/') + 1
	pkg, rest, _ := strings.Cut(name[slash:], ".")
	p := g.Packages[name[:slash]+pkg]
	parts := strings.Split(rest, ".")
	if p == nil || p.Types == nil {
		return "", ""
	}
	obj := p.Types.Scope().Lookup(parts[0])
	if obj == nil {
		return "", ""
	}
	for _, part := range parts[1:] {
		t := obj.Type()
		if elem, ok := types.Unalias(t).Underlying().(interface{ Elem() types.Type }); ok {
			t = elem.Elem()
		}
		s, ok := t.Underlying().(*types.Struct)
		if !ok {
			break
		}
		part, _, _ = strings.Cut(part, "[")
		for i := range s.NumFields() {
			if f := s.Field(i); f.Name() == part || strings.Contains(s.Tag(i), `json:"`+part+`,`) || strings.Contains(s.Tag(i), `json:"`+part+`"`) {
				obj = f
				break
			}
		}
	}
	return g.Fset.Position(obj.Pos()).String(), rest
}
