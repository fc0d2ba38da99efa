// SPDX-License-Identifier: Apache-2.0

package calls

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"
)

// trail counts the ends of the ways that lead to a client.
type trail struct {
	*origins
	seen         map[any]bool
	known, other int
}

// follow goes one step back.
func (t *trail) follow(v value) {
	if v.expr == nil {
		t.other++
		return
	}
	if field := t.client(v.TypesInfo.TypeOf(v.expr)); field != nil {
		t.variable(field)
		return
	}
	switch e := ast.Unparen(v.expr).(type) {
	case *ast.Ident:
		if e.Name != "nil" {
			t.variable(t.target(v.reader, e))
		}
	case *ast.SelectorExpr:
		t.variable(v.TypesInfo.Uses[e.Sel])
	case *ast.StarExpr:
		t.follow(value{v.reader, e.X, 0})
	case *ast.TypeAssertExpr:
		t.follow(value{v.reader, e.X, 0})
	case *ast.UnaryExpr:
		t.follow(value{v.reader, e.X, 0})
	case *ast.CallExpr:
		t.result(v.reader, e, v.result)
	default:
		t.other++
	}
}

// client is the client that is embedded in a struct of the project, which is a client by that; nil for another type.
func (t *trail) client(of types.Type) *types.Var {
	n := named(of)
	if n == nil || !t.packages[n.Obj().Pkg()] {
		return nil
	}
	if s, ok := n.Underlying().(*types.Struct); ok {
		for f := range s.Fields() {
			if f.Embedded() && (isType(f.Type(), controllerRuntime+"/pkg/client", "Client") || isType(f.Type(), controllerRuntime+"/pkg/client", "WithWatch")) {
				return f
			}
		}
	}
	return nil
}

func (t *trail) variable(of types.Object) {
	v, ok := of.(*types.Var)
	if !ok {
		t.other++
		return
	}
	v = v.Origin()
	if t.seen[v] {
		return
	}
	t.seen[v] = true
	from := t.assigned[v]
	switch {
	case isManager(v.Type()):
		from = t.managers
	case !t.packages[v.Pkg()]:
		from = nil // others assign it
	}
	if len(from) == 0 {
		t.other++
	}
	for _, f := range from {
		t.follow(f)
	}
}

func isManager(t types.Type) bool { return isType(t, controllerRuntime+"/pkg/manager", "Manager") }

func isType(t types.Type, importPath, name string) bool {
	n := named(t)
	return n != nil && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == importPath && n.Obj().Name() == name
}

// ownConfigs are functions that return the config of the cluster that a controller runs in, or of the kubeconfig that its user names.
var ownConfigs = map[string][]string{
	controllerRuntime:                        {"GetConfig", "GetConfigOrDie"},
	controllerRuntime + "/pkg/client/config": {"GetConfig", "GetConfigOrDie", "GetConfigWithContext"},
	clientGo + "rest":                        {"InClusterConfig"},
	clientGo + "tools/clientcmd":             {"BuildConfigFromFlags", "NewNonInteractiveDeferredLoadingClientConfig"},
}

// carriers are types of arguments that lead to a cluster.
var carriers = []string{"Client", "Reader", "WithWatch", "Config", "Interface", "Clientset", "SharedInformerFactory", "Cache", "Cluster", "Manager"}

// ofClients reports whether a package is one of controller-runtime or client-go, or one that client-gen and informer-gen make.
func ofClients(importPath string) bool {
	return importPath == controllerRuntime || strings.HasPrefix(importPath, controllerRuntime+"/") || strings.HasPrefix(importPath, clientGo) ||
		strings.Contains(importPath+"/", "/clientset/") || strings.Contains(importPath, "/typed/") || strings.Contains(importPath, "/informers/")
}

// result follows what a call returns.
func (t *trail) result(r reader, call *ast.CallExpr, result int) {
	if t.seen[call] {
		return
	}
	t.seen[call] = true
	if tv, ok := r.TypesInfo.Types[call.Fun]; ok && tv.IsType() && len(call.Args) == 1 {
		t.follow(value{r, call.Args[0], 0})
		return
	}
	importPath, name, callee := r.callee(call)
	if fn, ok := callee.(*types.Func); ok && t.results[fn.Origin()] != nil {
		if all := t.results[fn.Origin()]; result < len(all) {
			for _, v := range all[result] {
				t.follow(v)
			}
		}
		return
	}
	if slices.Contains(ownConfigs[importPath], name) {
		t.known++
		return
	}
	if !ofClients(importPath) {
		t.other++
		return
	}
	found := false
	for _, a := range call.Args {
		if n := named(r.TypesInfo.TypeOf(a)); n != nil && n.Obj().Pkg() != nil && ofClients(n.Obj().Pkg().Path()) && slices.Contains(carriers, n.Obj().Name()) {
			found = true
			t.follow(value{r, a, 0})
		}
	}
	if fn, ok := callee.(*types.Func); ok && fn.Signature().Recv() != nil {
		t.receiver(r, call)
	} else if !found {
		t.other++
	}
}

// receiver follows what a method is called on: the field that has the method, if it is that of an embedded one.
func (t *trail) receiver(r reader, call *ast.CallExpr) {
	s, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		t.other++
		return
	}
	if selection := r.TypesInfo.Selections[s]; selection != nil && len(selection.Index()) > 1 {
		if field := embedded(selection); field != nil {
			t.variable(field)
			return
		}
	}
	t.follow(value{r, s.X, 0})
}

// embedded is the last field on the way to a method that is promoted.
func embedded(selection *types.Selection) (field *types.Var) {
	at := selection.Recv()
	for _, i := range selection.Index()[:len(selection.Index())-1] {
		if p, ok := types.Unalias(at).Underlying().(*types.Pointer); ok {
			at = p.Elem()
		}
		s, ok := types.Unalias(at).Underlying().(*types.Struct)
		if !ok || i >= s.NumFields() {
			return nil
		}
		field = s.Field(i)
		at = field.Type()
	}
	return field
}
