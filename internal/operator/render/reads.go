// SPDX-License-Identifier: Apache-2.0

package render

import (
	"slices"
	"text/template"
	"text/template/parse"
)

// reader finds out whether a set of templates reads a field of the request. It says yes where it cannot tell: then nothing worse
// happens than that children are kept whole in memory.
type reader struct {
	set   *template.Template
	field string
	seen  map[string]bool // templates that were gone through with the request as their dot
}

func reads(set *template.Template, files []string, field string) bool {
	r := reader{set: set, field: field, seen: map[string]bool{}}
	return slices.ContainsFunc(files, func(f string) bool { return r.template(f, true) })
}

// template tells it of a template whose dot is the request, or something in it.
func (r *reader) template(name string, whole bool) bool {
	t := r.set.Lookup(name)
	key := name
	if whole {
		key += " "
	}
	if t == nil || t.Tree == nil || r.seen[key] {
		return false
	}
	r.seen[key] = true
	return r.list(t.Root, whole, whole)
}

// list tells it of nodes. dot and top report whether "." and "$" are the request.
func (r *reader) list(l *parse.ListNode, dot, top bool) bool {
	return l != nil && slices.ContainsFunc(l.Nodes, func(n parse.Node) bool { return r.node(n, dot, top) })
}

func (r *reader) node(n parse.Node, dot, top bool) bool {
	switch n := n.(type) {
	case *parse.ActionNode:
		return r.pipe(n.Pipe, dot, top)
	case *parse.IfNode, *parse.WithNode, *parse.RangeNode:
		_, isIf := n.(*parse.IfNode) // of others, the dot of the body is part of the request: with the whole of it, pipe says yes
		b := branchOf(n)
		return r.pipe(b.Pipe, dot, top) || r.list(b.List, dot && isIf, top) || r.list(b.ElseList, dot, top)
	case *parse.TemplateNode:
		if n.Pipe == nil {
			return r.template(n.Name, false)
		}
		if len(n.Pipe.Cmds) == 1 && len(n.Pipe.Cmds[0].Args) == 1 {
			return r.called(n.Name, n.Pipe.Cmds[0].Args[0], dot, top)
		}
		return r.pipe(n.Pipe, dot, top) || r.template(n.Name, false)
	}
	return false
}

// called tells it of a template that is passed an argument.
func (r *reader) called(name string, with parse.Node, dot, top bool) bool {
	if isWhole(with, dot, top) {
		return r.template(name, true)
	}
	return r.arg(with, dot, top) || r.template(name, false)
}

func (r *reader) pipe(p *parse.PipeNode, dot, top bool) bool {
	return p != nil && slices.ContainsFunc(p.Cmds, func(c *parse.CommandNode) bool {
		if id, ok := c.Args[0].(*parse.IdentifierNode); ok && id.Ident == "include" {
			// A template that is included by a name that is computed, or with what comes through a pipe, could be any.
			return len(c.Args) != 3 || c.Args[1].Type() != parse.NodeString || r.called(c.Args[1].(*parse.StringNode).Text, c.Args[2], dot, top)
		}
		return slices.ContainsFunc(c.Args, func(a parse.Node) bool { return r.arg(a, dot, top) })
	})
}

func (r *reader) arg(n parse.Node, dot, top bool) bool {
	switch n := n.(type) {
	case *parse.FieldNode:
		return slices.Contains(n.Ident, r.field)
	case *parse.VariableNode:
		return slices.Contains(n.Ident, r.field) || isWhole(n, dot, top)
	case *parse.ChainNode:
		return slices.Contains(n.Field, r.field) || r.arg(n.Node, dot, top)
	case *parse.StringNode: // index . "children"
		return n.Text == r.field
	case *parse.DotNode:
		return dot
	case *parse.PipeNode:
		return r.pipe(n, dot, top)
	}
	return false
}

// isWhole reports whether a node is the whole request.
func isWhole(n parse.Node, dot, top bool) bool {
	switch n := n.(type) {
	case *parse.DotNode:
		return dot
	case *parse.VariableNode:
		return top && len(n.Ident) == 1 && n.Ident[0] == "$"
	}
	return false
}
