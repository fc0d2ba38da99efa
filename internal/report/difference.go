// SPDX-License-Identifier: Apache-2.0

package report

import (
	"bytes"
	"slices"
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
	// have and want are that line on disk and as it should be; nil stands for a line that does not exist.
	have, want []byte
}

// firstDifference finds it. A file that is missing or left over differs in its first line.
func firstDifference(c tree.Change) difference {
	if c.Op != tree.Update {
		return difference{line: 1}
	}
	have, want := slices.Collect(bytes.Lines(c.Old)), slices.Collect(bytes.Lines(c.New))
	n := 0
	for n < len(have) && n < len(want) && bytes.Equal(have[n], want[n]) {
		n++
	}
	d := difference{line: n + 1}
	if n < len(have) {
		d.have = have[n]
	} else {
		d.line = max(1, n)
	}
	if n < len(want) {
		d.want = want[n]
	}
	return d
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
