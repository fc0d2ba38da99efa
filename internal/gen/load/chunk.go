// SPDX-License-Identifier: Apache-2.0

package load

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
)

// chunk is a top-level declaration of an imported package: its source until it is reached, its syntax from then on.
type chunk struct {
	file   *file
	lead   []byte // the comments and empty lines before it
	src    []byte
	line   int // of lead
	decl   ast.Decl
	queued bool
	group  bool     // it has declarations in parentheses, and is not parsed
	names  []string // what it declares; of a method none
	recv   string   // the type of a method's receiver
	method string
}

// split cuts a file into its declarations by their lines, as gofmt writes them, and reports whether that worked: it is an
// order of magnitude faster than to parse what is thrown away afterwards. Its head is parsed once something of the file is reached.
func (w *program) split(f *file) bool {
	src := f.src
	var all []*chunk
	var starts []int
	lead, line := 0, 0 // where the comments before the next declaration begin, and how many lines there are before
	inRaw, inBlock, inComment := false, false, false
	special := nextSpecial(src, 0)
	for at, n := 0, 0; at < len(src); n++ {
		end := bytes.IndexByte(src[at:], '\n')
		if end < 0 {
			end = len(src)
		} else {
			end += at
		}
		text := src[at:end]
		switch {
		case !inRaw && !inBlock && startsDecl(text):
			starts = append(starts, lead)
			all = append(all, &chunk{file: f, lead: src[lead:at], line: line, src: src[at:]})
			inComment = false
		case !inRaw && !inBlock:
			inComment = len(text) == 0 || text[0] == '/'
		}
		if inRaw || inBlock || special < end {
			if inRaw, inBlock = scan(text, inRaw, inBlock); !inRaw && !inBlock {
				special = nextSpecial(src, end)
			}
		}
		at = end + 1
		if !inComment {
			lead, line = at, n+1
		}
	}
	if inRaw || inBlock {
		return false
	}
	head := len(src)
	for i, c := range all {
		at := len(src) - len(c.src)
		if i+1 < len(all) {
			c.src = src[at:starts[i+1]]
		}
		if bytes.HasPrefix(c.src, []byte("import")) {
			continue
		}
		head = min(head, at)
		if !f.index(c) {
			return false
		}
	}
	f.head = func() error {
		syntax, err := parser.ParseFile(w.fset, f.name, src[:head], parser.ImportsOnly|parser.SkipObjectResolution)
		if err == nil {
			f.syntax, f.specs, syntax.Decls = syntax, syntax.Imports, nil
		}
		return err
	}
	return true
}

// nextSpecial is the place of the first back quote or block comment from a place on, or the end.
func nextSpecial(src []byte, from int) int {
	next := len(src)
	if i := bytes.IndexByte(src[from:], '`'); i >= 0 {
		next = from + i
	}
	if i := bytes.Index(src[from:next], []byte("/*")); i >= 0 {
		next = from + i
	}
	return next
}

var keywords = [][]byte{[]byte("func "), []byte("type "), []byte("var "), []byte("const "), []byte("import ")}

func startsDecl(line []byte) bool {
	if len(line) < 5 || line[0] < 'c' || line[0] > 'v' {
		return false
	}
	return slices.ContainsFunc(keywords, func(k []byte) bool { return bytes.HasPrefix(line, k) })
}

// scan reports whether the end of a line is in a raw string or a block comment.
func scan(line []byte, inRaw, inBlock bool) (raw, block bool) {
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case inRaw:
			inRaw = c != '`'
		case inBlock:
			if c == '*' && i+1 < len(line) && line[i+1] == '/' {
				inBlock = false
				i++
			}
		case c == '`':
			inRaw = true
		case c == '/' && i+1 < len(line) && line[i+1] == '*':
			inBlock = true
			i++
		case c == '/' && i+1 < len(line) && line[i+1] == '/':
			return false, false
		case c == '"' || c == '\'':
			for i++; i < len(line) && line[i] != c; i++ {
				if line[i] == '\\' {
					i++
				}
			}
		}
	}
	return inRaw, inBlock
}

// index notes a chunk under the names that it declares, as far as its first line has them.
func (f *file) index(c *chunk) bool {
	switch src := c.src; {
	case bytes.HasPrefix(src, []byte("func (")):
		line, _, _ := bytes.Cut(src, []byte("\n"))
		in, rest, ok := bytes.Cut(line[len("func ("):], []byte(")"))
		if !ok {
			return false
		}
		if i := bytes.IndexByte(in, '['); i >= 0 {
			in = in[:i]
		}
		in = bytes.TrimSpace(in)
		at := bytes.LastIndexAny(in, " *")
		c.recv, c.method = string(in[at+1:]), firstName(bytes.TrimSpace(rest))
		if c.recv == "" || c.method == "" {
			return false
		}
		f.add(c)
		return true
	case bytes.HasPrefix(src, []byte("func ")):
		c.names = []string{firstName(src[len("func "):])}
	default:
		_, rest, _ := bytes.Cut(src, []byte(" "))
		switch rest = bytes.TrimLeft(rest, " "); {
		case len(rest) == 0:
			return false
		case rest[0] == '(':
			c.group = true
			for line := range bytes.Lines(rest[1:]) {
				c.names = appendNames(c.names, bytes.TrimLeft(line, " \t"))
			}
			f.add(c)
			return true
		case bytes.HasPrefix(src, []byte("type ")):
			c.names = []string{firstName(rest)}
		default:
			c.names = appendNames(nil, rest)
		}
	}
	if len(c.names) == 0 || c.names[0] == "" {
		return false
	}
	f.add(c)
	return true
}

// appendNames appends the names that a line may declare: of a group, any line may go on with a value. Too many do no harm.
func appendNames(names []string, line []byte) []string {
	for {
		name := firstName(line)
		if name == "" {
			return names
		}
		names = append(names, name)
		rest := bytes.TrimLeft(line[len(name):], " ")
		if len(rest) == 0 || rest[0] != ',' {
			return names
		}
		line = bytes.TrimLeft(rest[1:], " ")
	}
}

// ungroup replaces a group by what it consists of.
func (w *program) ungroup(c *chunk) {
	if c.queued {
		return
	}
	c.queued = true
	if parsed := w.parseDecls(c, c.src); parsed != nil {
		for _, d := range parsed.Decls {
			c.file.addDecl(d)
		}
	}
}

func (f *file) add(c *chunk) {
	f.chunks = append(f.chunks, c)
	if c.method != "" {
		f.pkg.members[c.recv] = append(f.pkg.members[c.recv], c)
	}
	for _, name := range c.names {
		f.pkg.decls[name] = append(f.pkg.decls[name], c)
	}
}

// addDecl notes a declaration that was parsed. Each type and variable of a group is one of its own; constants stay together.
func (f *file) addDecl(d ast.Decl) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if !f.all {
			d.Body = nil
		}
		c := &chunk{file: f, decl: d, names: []string{d.Name.Name}}
		if d.Recv != nil && len(d.Recv.List) > 0 {
			c.names, c.recv, c.method = nil, typeName(d.Recv.List[0].Type), d.Name.Name
		}
		f.add(c)
	case *ast.GenDecl:
		if d.Tok == token.IMPORT {
			return
		}
		if d.Tok == token.CONST {
			c := &chunk{file: f, decl: d}
			for _, s := range d.Specs {
				c.names = append(c.names, namesOf(s)...)
			}
			f.add(c)
			return
		}
		for _, s := range d.Specs {
			f.add(&chunk{file: f, decl: &ast.GenDecl{Tok: d.Tok, TokPos: s.Pos(), Specs: []ast.Spec{s}}, names: namesOf(s)})
		}
	}
}

func namesOf(s ast.Spec) (names []string) {
	switch s := s.(type) {
	case *ast.TypeSpec:
		names = append(names, s.Name.Name)
	case *ast.ValueSpec:
		for _, id := range s.Names {
			names = append(names, id.Name)
		}
	}
	return names
}

// typeName is the name of the type of a receiver.
func typeName(e ast.Expr) string {
	for {
		switch t := e.(type) {
		case *ast.StarExpr:
			e = t.X
		case *ast.ParenExpr:
			e = t.X
		case *ast.IndexExpr:
			e = t.X
		case *ast.IndexListExpr:
			e = t.X
		case *ast.Ident:
			return t.Name
		default:
			return ""
		}
	}
}

func firstName(src []byte) string {
	for i, b := range src {
		if b != '_' && (b < '0' || b > '9') && (b < 'a' || b > 'z') && (b < 'A' || b > 'Z') && b < 0x80 {
			return string(src[:i])
		}
	}
	return string(src)
}

// parse parses a chunk, if it is not parsed yet.
func (w *program) parse(c *chunk) ast.Decl {
	if c.decl != nil {
		return c.decl
	}
	parsed := w.parseDecls(c, signature(c.src), c.src)
	if parsed == nil || len(parsed.Decls) == 0 {
		w.torn = true
		return nil
	}
	c.decl = parsed.Decls[0]
	if fn, ok := c.decl.(*ast.FuncDecl); ok {
		fn.Body = nil
	}
	return c.decl
}

// parseDecls parses the first of the sources that is Go.
func (w *program) parseDecls(c *chunk, sources ...[]byte) *ast.File {
	p := c.file.pkg
	before, mode := []byte("package p;"), w.mode(p)
	if mode&parser.ParseComments != 0 {
		before = fmt.Appendf(nil, "package p\n//line %s:%d\n\n%s", c.file.name, c.line, c.lead)
	}
	for _, src := range sources {
		parsed, err := parser.ParseFile(w.fset, "", slices.Concat(before, src), mode)
		if err != nil {
			continue
		}
		if c.file.parseHead() && len(parsed.Comments) > 0 {
			c.file.syntax.Comments = append(c.file.syntax.Comments, parsed.Comments...)
		}
		return parsed
	}
	w.torn = true
	return nil
}

// signature is a function with an empty body instead of one of several lines: the source up to the first line that opens
// a block. Where that is not the body, the rest either does not parse, or is that of a type, which is left alone.
func signature(src []byte) []byte {
	i := bytes.Index(src, []byte("{\n"))
	if i < 0 || !bytes.HasPrefix(src, []byte("func ")) {
		return src
	}
	before := bytes.TrimRight(src[:i], " \t")
	if bytes.HasSuffix(before, []byte("interface")) || bytes.HasSuffix(before, []byte("struct")) {
		return src
	}
	return slices.Concat(before, []byte("{}"))
}
