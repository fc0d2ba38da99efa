// SPDX-License-Identifier: Apache-2.0

// Package postprocess compares what controller-gen makes with a file that a script changed afterwards: a header was added, yq wrote
// the YAML anew, an annotation was put in, a template was wrapped around it, imports were grouped.
//
// It works on bytes, and knows neither the scripts nor who made the file.
package postprocess

import (
	"bytes"
	"cmp"
	"go/parser"
	"go/scanner"
	"go/token"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

// Result is what a comparison found.
type Result struct {
	// Differences are the places where the file does not have what was generated, or has more than that where an earlier run may
	// have generated it, each with what is wrong. None means that the file is up to date.
	Differences []string
	// How says how the two relate where they do not differ.
	How Relation
	// Content reports whether the differences are in more than the white space of texts, and Object whether they are in more than that
	// and the metadata of an object. Neither does where the two cannot be compared.
	Content, Object bool
}

// Relation is how a file has what was generated.
type Relation string

// The relations, from the closest to the loosest.
const (
	Equal     Relation = "equal"
	Commented Relation = "equal except for comments, lines of dashes and templates around it"
	Imports   Relation = "equal except for comments and the form of imports"
	Tokens    Relation = "equal except for comments, the form of lines and the form of imports"
	Lists     Relation = "equal except for the form of lists in descriptions"
	Values    Relation = "the same values"
	More      Relation = "the same values, with additional metadata or a conversion"
)

// Fresh reports whether the file is up to date, but for what a script puts in.
func (r Result) Fresh() bool { return len(r.Differences) == 0 }

// Compare compares a file with what was generated for it; name is the file's.
func Compare(name string, generated, file []byte) Result {
	plain := plainGo
	yaml := slices.Contains([]string{".yaml", ".yml"}, path.Ext(name))
	if yaml {
		plain = func(text []byte) []byte { return plainYAML(text, false) }
	}
	switch {
	case bytes.Equal(generated, file):
		return Result{How: Equal}
	case bytes.Equal(plain(generated), plain(file)):
		return Result{How: Commented}
	case yaml:
		return compareValues(plainYAML(generated, true), plainYAML(file, true))
	}
	return compareGo(generated, file)
}

// plainGo is the text of a Go file without what stands above the package clause.
func plainGo(text []byte) []byte {
	text = withoutCR(text)
	if at := bytes.Index(text, []byte("\npackage ")); at >= 0 {
		return text[at+1:]
	}
	return text
}

// compareGo compares two Go files, which import the same packages where they do so by the names that formatters such as goimports give
// them or leave out.
func compareGo(generated, file []byte) Result {
	imports, body, ok := splitImports(generated)
	others, other, also := splitImports(file)
	paths := func(imports map[string]string) []string { return slices.Sorted(maps.Values(imports)) }
	switch {
	case !ok || !also:
	case !slices.Equal(paths(withMissing(imports, others, body)), paths(others)):
	case bytes.Equal(body, other):
		return Result{How: Imports}
	case slices.Equal(tokens(body, imports), tokens(other, others)):
		return Result{How: Tokens}
	}
	return Result{Differences: []string{"it differs in more than comments and the form of imports"}, Content: also, Object: also}
}

// withMissing adds to the imports of generated code those of a file that the code uses and lacks: it does not compile without them, and goimports
// finds them.
func withMissing(imports, others map[string]string, code []byte) map[string]string {
	for name, path := range others {
		if imports[name] == "" && regexp.MustCompile(`(^|[^\w.])`+regexp.QuoteMeta(name)+`\.[A-Z]`).Match(code) {
			imports[name] = path
		}
	}
	return imports
}

// tokens are the tokens of Go code, without comments and without what gofumpt and its kind change: semicolons, which line ends stand for, commas
// before a closing bracket, and whether variables are declared one by one or in brackets. The name of an import, which linters such as importas change, counts as its path.
func tokens(code []byte, imports map[string]string) (all []string) {
	var s scanner.Scanner
	s.Init(token.NewFileSet().AddFile("", -1, len(code)), code, func(token.Position, string) {}, 0)
	var brackets []bool // the open ones, and whether variables are declared in them
	last := token.EOF
	for {
		_, tok, text := s.Scan()
		leave := tok == token.SEMICOLON || tok == token.VAR
		switch tok {
		case token.EOF:
			return all
		case token.PERIOD:
			if n := len(all) - 1; n >= 0 && (n == 0 || all[n-1] != period) {
				all[n] = cmp.Or(imports[strings.TrimPrefix(all[n], token.IDENT.String()+" ")], all[n])
			}
		case token.LPAREN:
			leave = last == token.VAR
			brackets = append(brackets, leave)
		case token.RPAREN, token.RBRACE, token.RBRACK:
			if last == token.COMMA {
				all = all[:len(all)-1]
			}
			if n := len(brackets) - 1; tok == token.RPAREN && n >= 0 {
				leave, brackets = brackets[n], brackets[:n]
			}
		}
		if !leave {
			all = append(all, tok.String()+" "+text)
		}
		if last = tok; tok == token.SEMICOLON {
			last = token.EOF
		}
	}
}

// period is the token in front of a field or method.
var period = token.PERIOD.String() + " "

// splitImports are the import paths of a Go file, by the names that it has for the packages, and what comes after the imports.
func splitImports(text []byte) (imports map[string]string, body []byte, ok bool) {
	fset := token.NewFileSet()
	text = withoutCR(text)
	f, err := parser.ParseFile(fset, "", text, parser.ImportsOnly)
	if err != nil {
		return nil, nil, false
	}
	end := f.Name.End()
	for _, decl := range f.Decls {
		end = decl.End()
	}
	imports = map[string]string{}
	for _, spec := range f.Imports {
		name := path.Base(strings.Trim(spec.Path.Value, `"`))
		switch {
		case spec.Name == nil:
		case spec.Name.Name == "_":
			name = spec.Path.Value // there may be several
		default:
			name = spec.Name.Name
		}
		imports[name] = spec.Path.Value
	}
	return imports, bytes.TrimSpace(text[fset.Position(end).Offset:]), true
}

// plainYAML is the text without what a script puts around it: lines that are comments, actions of templates or, unless they are to be kept,
// dashes, and empty lines next to these. Other empty lines may belong to a text.
func plainYAML(text []byte, dashes bool) []byte {
	var out bytes.Buffer
	empty, around := 0, true
	for line := range bytes.Lines(withoutCR(text)) {
		s := strings.TrimRight(string(line), " \t\n")
		switch {
		case s == "":
			empty++
		case s == "---" && !dashes || s[0] == '#' || template(s):
			empty, around = 0, true
		default:
			if !around {
				out.WriteString(strings.Repeat("\n", empty))
			}
			out.Write(line)
			empty, around = 0, false
		}
	}
	return out.Bytes()
}

func withoutCR(text []byte) []byte { return bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")) }

// template reports whether a line has nothing but an action of a Go template.
func template(line string) bool {
	line = strings.TrimSpace(line)
	return strings.HasPrefix(line, "{{") && strings.HasSuffix(line, "}}")
}
