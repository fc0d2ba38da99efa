package gotemplate

import (
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"text/template/parse"
)

// Names of functions that no template can write, since they are put into parsed templates: a name that begins so is not refused by
// text/template, but nobody has a reason to.
const (
	fnPrint = "_print" // refuses to print what is absent
	fnTick  = "_tick"  // ends a rendering that takes too long
	fnEnter = "_enter" // counts the depth of templates within templates
	fnLeave = "_leave"
)

// guard rewrites a parsed template, as html/template does for its own purpose: text/template has no place to hook in what an absent
// field prints ("<no value>", whatever missingkey is), nor a way to stop a loop that prints nothing, nor a bound on recursion that
// is safe for memory.
func guard(tree *parse.Tree) {
	guardList(tree.Root)
	pos := tree.Root.Pos
	tree.Root.Nodes = append([]parse.Node{action(fnEnter, pos)}, append(tree.Root.Nodes, action(fnLeave, pos))...)
}

func guardList(list *parse.ListNode) {
	if list == nil {
		return
	}
	for _, n := range list.Nodes {
		switch n := n.(type) {
		case *parse.ActionNode:
			if len(n.Pipe.Decl) == 0 {
				n.Pipe.Cmds = append(n.Pipe.Cmds, command(fnPrint, n.Pos, n.Pipe.String()))
			}
		case *parse.IfNode:
			guardList(n.List)
			guardList(n.ElseList)
		case *parse.WithNode:
			guardList(n.List)
			guardList(n.ElseList)
		case *parse.RangeNode:
			guardList(n.List)
			guardList(n.ElseList)
			n.List.Nodes = append([]parse.Node{action(fnTick, n.Pos)}, n.List.Nodes...)
		}
	}
}

func command(name string, pos parse.Pos, args ...string) *parse.CommandNode {
	c := &parse.CommandNode{NodeType: parse.NodeCommand, Pos: pos, Args: []parse.Node{parse.NewIdentifier(name).SetPos(pos)}}
	for _, a := range args {
		c.Args = append(c.Args, &parse.StringNode{NodeType: parse.NodeString, Pos: pos, Quoted: strconv.Quote(a), Text: a})
	}
	return c
}

func action(name string, pos parse.Pos) *parse.ActionNode {
	pipe := &parse.PipeNode{NodeType: parse.NodePipe, Pos: pos, Cmds: []*parse.CommandNode{command(name, pos)}}
	return &parse.ActionNode{NodeType: parse.NodeAction, Pos: pos, Pipe: pipe}
}

// errAbsent is the end of a rendering that would print what is not there.
var errAbsent = errors.New("is absent: give it a default, ask for it with if or with, or say that it is required")

// printed is what fnPrint does. It is told the text of what is printed, for the error.
func printed(what string, value any) (any, error) {
	if v := reflect.ValueOf(value); !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil() {
		return nil, fmt.Errorf("%s %w", what, errAbsent)
	}
	return value, nil
}
