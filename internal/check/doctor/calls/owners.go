// SPDX-License-Identifier: Apache-2.0

package calls

import (
	"go/ast"
	"go/types"
)

const metav1 = "k8s.io/apimachinery/pkg/apis/meta/v1"

// ownership reads a call that makes an object the owner of another one. stack are the nodes around the call.
func (r reader) ownership(call *ast.CallExpr, stack []ast.Node) {
	importPath, name, fn := r.callee(call)
	if fn == nil || len(call.Args) < 2 {
		return
	}
	owner, ok := typeOf(r.TypesInfo.TypeOf(call.Args[0]))
	if !ok {
		return
	}
	o := Ownership{Owner: owner, Call: text(call.Fun), At: r.at(call)}
	switch {
	case importPath == controllerRuntime+"/pkg/controller/controllerutil" || importPath == controllerRuntime:
		if name != "SetControllerReference" && name != "SetOwnerReference" {
			return
		}
		o.Refused = true
		o.Blocks = name == "SetControllerReference" && len(call.Args) == 3 // options may turn it off
		o.Dependent, _ = typeOf(r.TypesInfo.TypeOf(call.Args[1]))
	case importPath == metav1 && name == "NewControllerRef":
		o.Blocks = true
		o.Dependent = r.dependent(stack)
	default:
		return
	}
	r.found.Ownerships = append(r.found.Ownerships, o)
}

// dependent is the type of the object that the owner reference is written into: of the literal around it, of the variable that its references
// are assigned to, or of the object whose SetOwnerReferences is called.
func (r reader) dependent(stack []ast.Node) (of Type) {
	for i := len(stack) - 1; i >= 0; i-- {
		switch n := stack[i].(type) {
		case *ast.CompositeLit:
			if of, ok := typeOf(r.TypesInfo.TypeOf(n)); ok {
				return of
			}
		case *ast.AssignStmt:
			if len(n.Lhs) != 1 {
				return of
			}
			for e := n.Lhs[0]; ; {
				s, ok := ast.Unparen(e).(*ast.SelectorExpr)
				if !ok {
					return of
				}
				if of, ok := typeOf(r.TypesInfo.TypeOf(s.X)); ok {
					return of
				}
				e = s.X
			}
		case *ast.CallExpr:
			if s, ok := n.Fun.(*ast.SelectorExpr); ok && s.Sel.Name == "SetOwnerReferences" {
				of, _ = typeOf(r.TypesInfo.TypeOf(s.X))
				return of
			}
			if !isAppend(r.TypesInfo, n) {
				return of
			}
		case ast.Stmt, ast.Decl:
			return of
		}
	}
	return of
}

func isAppend(info *types.Info, call *ast.CallExpr) bool {
	id, ok := call.Fun.(*ast.Ident)
	if !ok {
		return false
	}
	b, ok := info.Uses[id].(*types.Builtin)
	return ok && b.Name() == "append"
}
