package load

import (
	"bytes"
	"go/ast"
	"go/parser"
)

// parseFile parses a file of the build. Where it can't change, and so is known to compile, function bodies are passed over:
// to parse what is dropped afterwards takes longer than to parse the rest.
func (l *loader) parseFile(file string, src []byte, mode parser.Mode, local bool) (*ast.File, error) {
	if !local {
		if f, err := parser.ParseFile(l.fset, file, blankBodies(src), mode); err == nil {
			return f, nil
		}
	}
	return parser.ParseFile(l.fset, file, src, mode)
}

// blankBodies is the source with spaces for the bodies of the functions that stand as gofmt writes them: from the brace that
// ends a line beginning with "func" to the next line that is a brace. Everything else keeps its place.
func blankBodies(src []byte) []byte {
	out := bytes.Clone(src)
	for at := 0; at < len(src); {
		if size := max(bytes.IndexByte(src[at:], '\n'), 0); opensBody(src[at : at+size]) {
			from := at + size
			if to, ok := bodyEnd(src, from); ok {
				blank(out[from:to])
				at = to
			}
		}
		at = lineEnd(src, at) + 1
	}
	return out
}

// opensBody tells whether a line is the head of a function, and its brace that of the body: not that of a type in the head, nor
// a word of the comment on a function that has no body, being written in assembly.
func opensBody(line []byte) bool {
	return bytes.HasPrefix(line, []byte("func ")) && bytes.HasSuffix(line, []byte(" {")) &&
		!bytes.HasSuffix(line, []byte("struct {")) && !bytes.HasSuffix(line, []byte("interface {")) &&
		!bytes.ContainsAny(line, "`;") && !bytes.Contains(line, []byte("//")) && !bytes.Contains(line, []byte("/*"))
}

// bodyEnd is the end of the line before the brace of a body that starts at from, if the body may go. A brace that has more
// on its line, such as a comment, may be the end of it as well: the next one that stands alone would be another's.
func bodyEnd(src []byte, from int) (int, bool) {
	size := bytes.Index(src[from:], []byte("\n}"))
	if size < 0 {
		return 0, false
	}
	end := from + size
	if brace := end + len("\n}"); brace < len(src) && src[brace] != '\n' {
		return 0, false
	}
	return end, !keepsBody(src[from:end])
}

// keepsBody tells whether a body must stay: it has a marker, or a comment right before its end, which generators find by
// lines; or the brace may stand in a string or comment.
func keepsBody(body []byte) bool {
	last := bytes.TrimSpace(body[bytes.LastIndexByte(body, '\n')+1:])
	return bytes.HasPrefix(last, []byte("//")) || bytes.Contains(body, []byte("/*")) ||
		bytes.Contains(body, []byte("// +")) || bytes.Contains(body, []byte("//+")) ||
		bytes.IndexByte(body, '`') >= 0 && !endsInCode(body)
}

func blank(body []byte) {
	for i, b := range body {
		if b != '\n' {
			body[i] = ' '
		}
	}
}
