// SPDX-License-Identifier: Apache-2.0

package calls

import (
	"go/ast"
	"go/types"
	"strings"

	"golang.org/x/tools/go/packages"
)

const clientGo = "k8s.io/client-go/"

// origins follows clients to where they were made: through variables, fields, parameters and results of functions, whichever order these are
// assigned in. It knows neither branches nor which object of a type a field is of: whatever is assigned anywhere counts.
type origins struct {
	packages map[*types.Package]bool
	assigned map[types.Object][]value
	results  map[types.Object][][]value
	dynamic  map[string][][]value // arguments of calls of methods of interfaces
	managers []value              // the configs that managers are made with
}

// value is an expression in its package, and which of its results is meant. Without an expression it is one that is not known.
type value struct {
	reader
	expr   ast.Expr
	result int
}

func originsOf(pkgs []*packages.Package) *origins {
	o := &origins{map[*types.Package]bool{}, map[types.Object][]value{}, map[types.Object][][]value{}, map[string][][]value{}, nil}
	var methods []*types.Func
	for _, p := range pkgs {
		o.packages[p.Types] = true
		r := reader{Package: p}
		for _, file := range p.Syntax {
			called := map[*ast.Ident]bool{}
			ast.Inspect(file, func(n ast.Node) bool {
				o.read(r, n, called)
				return true
			})
			for _, decl := range file.Decls {
				if fn, ok := decl.(*ast.FuncDecl); ok && fn.Body != nil {
					o.returns(r, fn)
					if f, ok := p.TypesInfo.Defs[fn.Name].(*types.Func); ok && fn.Recv != nil {
						methods = append(methods, f)
					}
				}
			}
		}
	}
	for _, m := range methods { // each could be what a call of an interface calls
		for _, args := range o.dynamic[m.Name()] {
			if len(args) == m.Signature().Params().Len() {
				o.pass(m, args)
			}
		}
	}
	return o
}

// read notes what a node assigns. called are the names of functions that are called where they are used.
func (o *origins) read(r reader, n ast.Node, called map[*ast.Ident]bool) {
	switch n := n.(type) {
	case *ast.AssignStmt:
		for i, to := range n.Lhs {
			o.assign(o.target(r, to), pick(r, n.Rhs, len(n.Lhs), i))
		}
	case *ast.ValueSpec:
		for i, name := range n.Names {
			if len(n.Values) > 0 {
				o.assign(r.TypesInfo.Defs[name], pick(r, n.Values, len(n.Names), i))
			}
		}
	case *ast.RangeStmt:
		for _, to := range []ast.Expr{n.Key, n.Value} {
			if to != nil {
				o.assign(o.target(r, to), value{})
			}
		}
	case *ast.CompositeLit:
		o.literal(r, n)
	case *ast.CallExpr:
		o.call(r, n, called)
	case *ast.Ident:
		if fn, ok := r.TypesInfo.Uses[n].(*types.Func); ok && !called[n] {
			for p := range fn.Origin().Signature().Params().Variables() {
				o.assign(p, value{}) // the caller is not known
			}
		}
	}
}

// pick is what one of several variables gets.
func pick(r reader, from []ast.Expr, n, i int) value {
	if len(from) == n {
		return value{r, from[i], 0}
	}
	return value{r, from[0], i}
}

func (o *origins) assign(to types.Object, v value) {
	if to == nil {
		return
	}
	if field, ok := to.(*types.Var); ok {
		to = field.Origin()
	}
	o.assigned[to] = append(o.assigned[to], v)
}

// target is the variable or field that is assigned to; nil for an element of something.
func (o *origins) target(r reader, e ast.Expr) types.Object {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		if d := r.TypesInfo.Defs[e]; d != nil {
			return d
		}
		return r.TypesInfo.Uses[e]
	case *ast.SelectorExpr:
		return r.TypesInfo.Uses[e.Sel]
	}
	return nil
}

func (o *origins) literal(r reader, lit *ast.CompositeLit) {
	t := r.TypesInfo.TypeOf(lit)
	if t == nil {
		return
	}
	s, ok := types.Unalias(t).Underlying().(*types.Struct)
	if !ok {
		return
	}
	for i, element := range lit.Elts {
		if pair, ok := element.(*ast.KeyValueExpr); ok {
			if key, ok := pair.Key.(*ast.Ident); ok {
				o.assign(r.TypesInfo.Uses[key], value{r, pair.Value, 0})
			}
		} else if i < s.NumFields() {
			o.assign(s.Field(i), value{r, element, 0})
		}
	}
}

func (o *origins) call(r reader, call *ast.CallExpr, called map[*ast.Ident]bool) {
	if id := calledName(call); id != nil {
		called[id] = true
	}
	importPath, name, callee := r.callee(call)
	var args []value
	for _, a := range call.Args {
		args = append(args, value{r, a, 0})
	}
	if name == "NewManager" && strings.HasPrefix(importPath, controllerRuntime) || name == "New" && importPath == controllerRuntime+"/pkg/manager" {
		o.managers = append(o.managers, args[:min(1, len(args))]...)
	}
	fn, ok := callee.(*types.Func)
	if !ok {
		return
	}
	fn = fn.Origin()
	if recv := fn.Signature().Recv(); recv != nil && types.IsInterface(recv.Type()) {
		o.dynamic[fn.Name()] = append(o.dynamic[fn.Name()], args)
		return
	}
	o.pass(fn, args)
}

// calledName is the name of what is called; nil if it has none.
func calledName(call *ast.CallExpr) *ast.Ident {
	fun := ast.Unparen(call.Fun)
	if index, ok := fun.(*ast.IndexExpr); ok {
		fun = index.X
	}
	switch fun := fun.(type) {
	case *ast.Ident:
		return fun
	case *ast.SelectorExpr:
		return fun.Sel
	}
	return nil
}

// pass notes the arguments of a call; those of a list of any length, and of a call with several results, are not known.
func (o *origins) pass(fn *types.Func, args []value) {
	params := fn.Signature().Params()
	fixed := params.Len()
	if fn.Signature().Variadic() {
		fixed--
	}
	for i := range params.Len() {
		if i < min(fixed, len(args)) && (len(args) > 1 || fixed == 1) {
			o.assign(params.At(i), args[i])
		} else {
			o.assign(params.At(i), value{})
		}
	}
}

// returns notes what a function returns.
func (o *origins) returns(r reader, decl *ast.FuncDecl) {
	fn, ok := r.TypesInfo.Defs[decl.Name].(*types.Func)
	if !ok {
		return
	}
	n := fn.Signature().Results().Len()
	all := make([][]value, n)
	ast.Inspect(decl.Body, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ReturnStmt:
			for i := range n {
				if len(node.Results) == 0 {
					all[i] = append(all[i], value{}) // named results
				} else {
					all[i] = append(all[i], pick(r, node.Results, n, i))
				}
			}
		}
		return true
	})
	o.results[fn] = all
}

// own reports whether a client, on which a call is made, certainly leads to the cluster that the controller runs in: whatever it may be
// was made of a manager's client or config, or of the config of a controller.
func (o *origins) own(r reader, call *ast.CallExpr) bool {
	t := trail{o, map[any]bool{}, 0, 0}
	t.receiver(r, call)
	return t.known > 0 && t.other == 0
}

// owns is the same of an expression.
func (o *origins) owns(r reader, e ast.Expr) bool {
	t := trail{o, map[any]bool{}, 0, 0}
	t.follow(value{r, e, 0})
	return t.known > 0 && t.other == 0
}
