// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"go/ast"
	"strings"

	"github.com/crdctl/crdctl/internal/text/lazyregexp"
)

var (
	celRule    = lazyregexp.New(`\bXValidation:`)
	celMessage = lazyregexp.New("\\bmessage(?:Expression)?=(\"(?:[^\"\\\\]|\\\\.)*\"|`[^`]*`)")
	wording    = lazyregexp.New(`(?i)\b(must|may|cannot|can not|can only|required|immutable|not allowed|not permitted|forbidden|only|should|invalid|expected|(un)?supported|requires?|exclusive|reserved|needs?|unique|at (least|most))\b|can.t|don.t`)
)

func ruleMessages(_ *world, f field, report reporter) {
	messages(f.ast.Doc, "field "+f.name(), report)
}

func ruleMessagesOfType(_ *world, t typ, report reporter) {
	messages(t.doc, "type "+t.owner, report)
}

// messages looks at the messages of CEL rules.
func messages(doc *ast.CommentGroup, what string, report reporter) {
	for _, c := range comments(doc) {
		if !celRule.MatchString(c.Text) || !strings.HasPrefix(strings.TrimLeft(c.Text, "/ \t"), "+") {
			continue
		}
		m := celMessage.FindStringSubmatch(c.Text)
		switch {
		case m == nil:
			report("message-wording", c.Pos(), "a rule of %s has no message", what)
		case !strings.Contains(c.Text, "messageExpression=") && !wording.MatchString(m[1]):
			report("message-wording", c.Pos(), "the message %s of a rule of %s does not demand anything", m[1], what)
		}
	}
}
