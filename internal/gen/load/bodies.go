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
	quotes := 0 // an odd number of them is a string that goes on
	for at := 0; at < len(src); {
		if bytes.HasPrefix(src[at:], []byte("/*")) {
			at += max(bytes.Index(src[at:], []byte("*/")), 1) // there may be functions in it
		}
		size := bytes.IndexByte(src[at:], '\n')
		if size < 0 {
			break
		}
		line := src[at : at+size]
		at += size
		quotes += bytes.Count(line, []byte("`"))
		if quotes%2 == 0 && opensBody(line) {
			end := bytes.Index(src[at:], []byte("\n}\n"))
			if end < 0 {
				break
			}
			body := out[at : at+end]
			quotes += bytes.Count(body, []byte("`"))
			if !keepsBody(body) {
				blank(body)
			}
			at += end
		}
		at++
	}
	return out
}

// opensBody tells whether a line is the head of a function, and its brace not that of a type in the head.
func opensBody(line []byte) bool {
	return bytes.HasPrefix(line, []byte("func ")) && bytes.HasSuffix(line, []byte(" {")) &&
		!bytes.HasSuffix(line, []byte("struct {")) && !bytes.HasSuffix(line, []byte("interface {"))
}

// keepsBody tells whether a body must stay: it has a marker, or a comment right before its end, which generators find by
// lines; or the brace may stand in a string or comment.
func keepsBody(body []byte) bool {
	last := bytes.TrimSpace(body[bytes.LastIndexByte(body, '\n')+1:])
	return bytes.HasPrefix(last, []byte("//")) || bytes.Contains(body, []byte("*/")) ||
		bytes.Contains(body, []byte("// +")) || bytes.Contains(body, []byte("//+")) ||
		bytes.Count(body, []byte("`"))%2 != 0
}

func blank(body []byte) {
	for i, b := range body {
		if b != '\n' {
			body[i] = ' '
		}
	}
}
