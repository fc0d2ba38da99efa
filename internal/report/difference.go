package report

import (
	"bytes"
	"strings"

	"github.com/crdctl/crdctl/internal/text"
	"github.com/crdctl/crdctl/internal/tree"
)

// longLine is how much of a line of source a message quotes.
const longLine = 160

// difference is the first place where a file differs from what it should be.
type difference struct {
	// line counts from 1, in the file on disk; it is a line that is there, also where text is missing at the end.
	line int
	// have and want are that line on disk and as it should be; a nil one is not there.
	have, want []byte
}

// firstDifference finds it. A file that is missing or left over differs in its first line.
func firstDifference(c tree.Change) difference {
	have, want := c.Old, c.New
	if c.Op != tree.Update {
		return difference{line: 1}
	}
	for n := 1; ; n++ {
		h, moreHave, hasHave := cut(have)
		w, moreWant, hasWant := cut(want)
		switch {
		case !hasHave && !hasWant:
			return difference{line: max(1, n-1)}
		case !hasHave:
			return difference{line: max(1, n-1), want: w}
		case !hasWant:
			return difference{line: n, have: h}
		case !bytes.Equal(h, w):
			return difference{line: n, have: h, want: w}
		}
		have, want = moreHave, moreWant
	}
}

// cut takes the first line off a text, its newline included; there is none in an empty text.
func cut(text []byte) (line, rest []byte, ok bool) {
	if len(text) == 0 {
		return nil, nil, false
	}
	if i := bytes.IndexByte(text, '\n'); i >= 0 {
		return text[:i+1], text[i+1:], true
	}
	return text, nil, true
}

// String is the difference as a diff has it. It is empty where the two lines look alike.
func (d difference) String() string {
	var lines []string
	if d.have != nil {
		lines = append(lines, "-"+quote(d.have))
	}
	if d.want != nil {
		lines = append(lines, "+"+quote(d.want))
	}
	if len(lines) == 2 && lines[0][1:] == lines[1][1:] {
		return ""
	}
	return strings.Join(lines, "\n")
}

// quote is a line that can stand in a message: text, and not too long.
func quote(line []byte) string {
	return text.Shorten(strings.ToValidUTF8(strings.TrimRight(string(line), "\r\n"), "\uFFFD"), longLine)
}
