// SPDX-License-Identifier: Apache-2.0

package calls

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// cached is a value that leads into a cache.
type cached struct {
	call string
	// private is how many pointers, maps and lists one may follow before what is there is the cache's: a list that a lister returns
	// is the caller's, and its items are not.
	private int
}

// flow is what is known of the variables of a function, in the order of its lines. Branches are not told apart: what one of them
// copies is taken to be a copy from there on.
type flow struct {
	reader
	known map[types.Object]cached
}

// changes looks for changes of what a cache returned.
func (r reader) changes(body *ast.BlockStmt) {
	f := flow{r, map[types.Object]cached{}}
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			f.assign(n)
		case *ast.ValueSpec:
			for i, name := range n.Names {
				if i < len(n.Values) {
					f.set(name, n.Values[i])
				}
			}
		case *ast.IncDecStmt:
			f.written(n.X)
		case *ast.RangeStmt:
			if n.Value != nil {
				delete(f.known, f.variable(n.Value))
				if c, steps, ok := f.leads(n.X); ok {
					f.remember(n.Value, cached{c.call, max(0, c.private-steps-1)})
				}
			}
		case *ast.CallExpr:
			f.call(n)
		}
		return true
	})
}

func (f flow) assign(a *ast.AssignStmt) {
	for _, to := range a.Lhs {
		f.written(to)
	}
	if a.Tok != token.ASSIGN && a.Tok != token.DEFINE {
		return
	}
	if len(a.Lhs) == len(a.Rhs) {
		for i := range a.Lhs {
			f.set(a.Lhs[i], a.Rhs[i])
		}
		return
	}
	for i, to := range a.Lhs {
		if i == 0 {
			f.set(to, a.Rhs[0]) // the others are an error, or whether there is a value
		} else {
			delete(f.known, f.variable(to))
		}
	}
}

// set notes what a variable has now.
func (f flow) set(to, value ast.Expr) {
	c, steps, ok := f.leads(value)
	delete(f.known, f.variable(to))
	if ok {
		f.remember(to, cached{c.call, max(0, c.private-steps)})
	}
}

func (f flow) remember(to ast.Expr, c cached) {
	if v := f.variable(to); v != nil {
		f.known[v] = c
	}
}

// variable is that of a name; nil for any other expression.
func (f flow) variable(e ast.Expr) types.Object {
	id, ok := ast.Unparen(e).(*ast.Ident)
	if !ok || id.Name == "_" {
		return nil
	}
	if o := f.TypesInfo.Defs[id]; o != nil {
		return o
	}
	return f.TypesInfo.Uses[id]
}

// leads reports whether an expression leads into a cache, and how many pointers, maps and lists it follows on the way there.
func (f flow) leads(e ast.Expr) (c cached, steps int, ok bool) {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		c, ok = f.known[f.variable(e)]
		return c, 0, ok
	case *ast.SelectorExpr:
		if c, ok := f.event(e); ok {
			return c, 0, true
		}
		c, steps, ok = f.leads(e.X)
		if ok && isA[*types.Pointer](f.TypesInfo.TypeOf(e.X)) {
			steps++
		}
		return c, steps, ok
	case *ast.IndexExpr:
		c, steps, ok = f.leads(e.X)
		if t := f.TypesInfo.TypeOf(e.X); ok && t != nil {
			if _, isArray := t.Underlying().(*types.Array); !isArray {
				steps++
			}
		}
		return c, steps, ok
	case *ast.SliceExpr:
		return f.leads(e.X)
	case *ast.StarExpr:
		c, steps, ok = f.leads(e.X)
		return c, steps + 1, ok
	case *ast.UnaryExpr:
		if e.Op != token.AND {
			return c, 0, false
		}
		c, steps, ok = f.leads(e.X)
		return c, steps - 1, ok
	case *ast.TypeAssertExpr:
		return f.leads(e.X)
	case *ast.CallExpr:
		c, ok = f.source(e)
		return c, 0, ok
	}
	return c, 0, false
}

// isA reports whether a type is one of a form, such as a pointer; false for the type of code that does not compile.
func isA[Form types.Type](t types.Type) bool {
	if t == nil {
		return false
	}
	_, ok := t.Underlying().(Form)
	return ok
}

// source is what a call returns that has it from a cache: those of listers and of the stores of informers.
func (f flow) source(call *ast.CallExpr) (c cached, ok bool) {
	importPath, name, fn := f.callee(call)
	on := receiver(call)
	if fn == nil || on == nil {
		return c, false
	}
	n := named(f.TypesInfo.TypeOf(on))
	if n == nil {
		return c, false
	}
	c.call = text(call.Fun)
	lister := strings.HasSuffix(n.Obj().Name(), "Lister") && (strings.Contains(importPath, "/listers/") || strings.HasPrefix(importPath, "k8s.io/client-go/"))
	store := importPath == "k8s.io/client-go/tools/cache" && slices.Contains([]string{"Store", "Indexer"}, n.Obj().Name())
	switch {
	case lister && name == "Get", store && slices.Contains([]string{"Get", "GetByKey"}, name):
		return c, true
	case lister && name == "List", store && slices.Contains([]string{"List", "ByIndex"}, name):
		c.private = 1
		return c, true
	}
	return c, false
}

// event is the object of an event of controller-runtime, which is that of the cache.
func (f flow) event(e *ast.SelectorExpr) (c cached, ok bool) {
	n := named(f.TypesInfo.TypeOf(e.X))
	if n == nil || n.Obj().Pkg() == nil || n.Obj().Pkg().Path() != controllerRuntime+"/pkg/event" {
		return c, false
	}
	return cached{call: text(e)}, strings.HasPrefix(e.Sel.Name, "Object")
}

// written notes a change if an expression that is assigned to is in a cache.
func (f flow) written(to ast.Expr) {
	if _, isName := ast.Unparen(to).(*ast.Ident); isName {
		return
	}
	if c, steps, ok := f.leads(to); ok && steps > c.private {
		f.found.Changes = append(f.found.Changes, Change{Object: text(to), Call: c.call, At: f.at(to)})
	}
}

// changers are functions that change what one of their arguments points to, by import path and name.
var changers = map[string]map[string]int{
	controllerRuntime + "/pkg/controller/controllerutil": {"AddFinalizer": 0, "RemoveFinalizer": 0, "SetControllerReference": 1, "SetOwnerReference": 1},
	controllerRuntime:                  {"SetControllerReference": 1},
	"k8s.io/apimachinery/pkg/api/meta": {"SetStatusCondition": 0, "RemoveStatusCondition": 0},
	"sort":                             {"Slice": 0, "SliceStable": 0, "Strings": 0},
	"slices":                           {"Sort": 0, "SortFunc": 0, "SortStableFunc": 0, "Reverse": 0},
}

// call notes a change by a function: those of changers, delete, and the setters of metadata.
func (f flow) call(call *ast.CallExpr) {
	if id, ok := call.Fun.(*ast.Ident); ok {
		if b, ok := f.TypesInfo.Uses[id].(*types.Builtin); ok && b.Name() == "delete" && len(call.Args) == 2 {
			f.changed(call, call.Args[0])
		}
		return
	}
	importPath, name, fn := f.callee(call)
	if fn == nil {
		return
	}
	if arg, ok := changers[importPath][name]; ok && arg < len(call.Args) {
		f.changed(call, call.Args[arg])
		return
	}
	if on := receiver(call); on != nil && importPath == metav1 && strings.HasPrefix(name, "Set") {
		f.changed(call, on)
	}
}

// changed notes a change of what an argument refers to, or of a receiver: of a variable of a struct, the method has its address.
func (f flow) changed(call *ast.CallExpr, arg ast.Expr) {
	c, steps, ok := f.leads(arg)
	if !ok {
		return
	}
	if !isA[*types.Struct](f.TypesInfo.TypeOf(arg)) {
		steps++
	}
	if steps > c.private {
		what := arg
		if u, isAddress := ast.Unparen(arg).(*ast.UnaryExpr); isAddress {
			what = u.X
		}
		f.found.Changes = append(f.found.Changes, Change{Object: text(what), Call: c.call, At: f.at(call)})
	}
}
