// SPDX-License-Identifier: Apache-2.0

package render

import (
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"text/template/parse"
)

// fnPrint is the name of a function that only refuseAbsent puts into templates.
const fnPrint = "_print"

// refuseAbsent makes a template fail with the position where it would print an absent value. It appends a function to each pipeline that
// prints, as html/template does for escaping: text/template itself prints "<no value>", and its missingkey=error also refuses a field
// that is passed to default, if or with.
func refuseAbsent(list *parse.ListNode) {
	if list == nil {
		return
	}
	for _, n := range list.Nodes {
		if action, ok := n.(*parse.ActionNode); ok && len(action.Pipe.Decl) == 0 {
			action.Pipe.Cmds = append(action.Pipe.Cmds, printCommand(action))
		}
		if branch := branchOf(n); branch != nil {
			refuseAbsent(branch.List)
			refuseAbsent(branch.ElseList)
		}
	}
}

// branchOf is what if, with and range have in common; nil for other nodes.
func branchOf(n parse.Node) *parse.BranchNode {
	switch n := n.(type) {
	case *parse.IfNode:
		return &n.BranchNode
	case *parse.WithNode:
		return &n.BranchNode
	case *parse.RangeNode:
		return &n.BranchNode
	}
	return nil
}

func printCommand(n *parse.ActionNode) *parse.CommandNode {
	what := n.Pipe.String()
	return &parse.CommandNode{NodeType: parse.NodeCommand, Pos: n.Pos, Args: []parse.Node{
		parse.NewIdentifier(fnPrint).SetPos(n.Pos),
		&parse.StringNode{NodeType: parse.NodeString, Pos: n.Pos, Quoted: strconv.Quote(what), Text: what},
	}}
}

// errAbsent is the end of a rendering that would print a missing value.
var errAbsent = errors.New("is absent: use default, if, with or required")

// printed is what fnPrint does. It is passed the text of what is printed, for the error.
func printed(what string, value any) (any, error) {
	if v := reflect.ValueOf(value); !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil() {
		return nil, fmt.Errorf("%s %w", what, errAbsent)
	}
	return value, nil
}
