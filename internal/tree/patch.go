// SPDX-License-Identifier: Apache-2.0

package tree

import (
	"bytes"
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// Patch returns a change as a unified diff that "git apply" and "patch -p1" accept, from the disk to the tree.
func (c Change) Patch() string {
	from, to := "a/"+c.Path, "b/"+c.Path
	if strings.HasPrefix(c.Path, "../") { // the go.work above a project, which these programs refuse to change from here
		from, to = c.Path, c.Path
	}
	switch c.Op {
	case Create:
		from = "/dev/null"
	case Delete:
		to = "/dev/null"
	case Update:
	}
	if bytes.IndexByte(c.Old, 0) >= 0 || bytes.IndexByte(c.New, 0) >= 0 {
		return "Binary files " + from + " and " + to + " differ\n"
	}
	edits := udiff.Lines(string(c.Old), string(c.New))
	text, err := udiff.ToUnified(from, to, string(c.Old), edits, udiff.DefaultContextLines)
	if err != nil { // edits computed from the very text they apply to
		return "--- " + from + "\n+++ " + to + "\n"
	}
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return text
}
