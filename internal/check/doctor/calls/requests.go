// SPDX-License-Identifier: Apache-2.0

package calls

import (
	"go/ast"
	"go/constant"
	"go/types"
	"regexp"
	"slices"
	"strings"
)

const controllerRuntime = "sigs.k8s.io/controller-runtime"

// request reads a call that asks the API server for something, now or through an informer.
func (r reader) request(call *ast.CallExpr) {
	importPath, name, fn := r.callee(call)
	if fn == nil {
		return
	}
	before := len(r.found.Requests)
	defer func() {
		for i := range r.found.Requests[before:] {
			r.found.Requests[before+i].Own = r.isOwn(call, importPath)
		}
	}()
	switch importPath {
	case controllerRuntime + "/pkg/client":
		r.client(call, name)
	case controllerRuntime + "/pkg/builder":
		if slices.Contains([]string{"For", "Owns", "Watches"}, name) {
			r.watched(call, 0)
		}
	case controllerRuntime + "/pkg/source":
		if name == "Kind" {
			r.watched(call, 1)
		}
	case controllerRuntime + "/pkg/controller/controllerutil":
		switch name {
		case "CreateOrUpdate":
			r.object(call, 2, "", "create", "update")
		case "CreateOrPatch":
			r.object(call, 2, "", "create", "patch")
		}
	default:
		r.clientset(call, importPath, name)
	}
}

// isOwn reports whether a call certainly asks the cluster that the controller runs in.
func (r reader) isOwn(call *ast.CallExpr, importPath string) bool {
	switch {
	case elsewhere.MatchString(text(call.Fun)):
		return false
	case importPath == controllerRuntime+"/pkg/source":
		return r.origins.owns(r, call.Args[0])
	case importPath == controllerRuntime+"/pkg/controller/controllerutil":
		return r.origins.owns(r, call.Args[1])
	}
	return r.origins.own(r, call)
}

// add notes a request for the type of an object.
func (r reader) add(call *ast.CallExpr, of Type, request Request) {
	request.Type, request.At, request.Call = of, r.at(call), text(call.Fun)
	r.found.Requests = append(r.found.Requests, request)
}

// object notes a request for the object that is an argument.
func (r reader) object(call *ast.CallExpr, arg int, subresource string, verbs ...string) {
	if len(call.Args) <= arg {
		return
	}
	if of, ok := typeOf(r.TypesInfo.TypeOf(call.Args[arg])); ok {
		r.add(call, of, Request{Subresource: subresource, Verbs: verbs})
	}
}

// watched notes that an informer lists and watches the type of an argument.
func (r reader) watched(call *ast.CallExpr, arg int) { r.object(call, arg, "", "list", "watch") }

// reads are the verbs of which one is enough to read: a cache lists and watches, and a client without one gets or lists.
var reads = []string{"get", "list", "watch"}

// elsewhere matches the names of clients of other clusters, where other roles count.
var elsewhere = regexp.MustCompile(`(?i)remote|worker|target|guest|tenant|member|downstream`)

// client reads a call of controller-runtime's client.
func (r reader) client(call *ast.CallExpr, name string) {
	if len(call.Args) < 2 {
		return
	}
	subresource, known := r.subresource(call)
	if !known {
		return
	}
	switch name {
	case "Get":
		if of, ok := typeOf(r.TypesInfo.TypeOf(call.Args[len(call.Args[:min(3, len(call.Args))])-1])); ok && subresource == "" {
			r.add(call, of, Request{Verbs: reads, Any: true})
		}
	case "List":
		if of, ok := itemOf(r.TypesInfo.TypeOf(call.Args[1])); ok {
			r.add(call, of, Request{Verbs: reads, Any: true})
		}
	case "Create", "Update", "Patch", "Delete":
		r.object(call, 1, subresource, strings.ToLower(name))
	case "DeleteAllOf":
		r.object(call, 1, "", "deletecollection")
	}
}

// subresource is the one that a client is for, as in c.Status().Update; unknown for a client of subresources in a variable.
func (r reader) subresource(call *ast.CallExpr) (name string, known bool) {
	on := receiver(call)
	if n := named(r.TypesInfo.TypeOf(on)); n == nil || !strings.HasPrefix(n.Obj().Name(), "SubResource") && n.Obj().Name() != "StatusWriter" {
		return "", on != nil
	}
	of, ok := ast.Unparen(on).(*ast.CallExpr)
	if !ok {
		return "", false
	}
	switch _, name, _ := r.callee(of); name {
	case "Status":
		return "status", true
	case "SubResource":
		if len(of.Args) == 1 {
			if v := r.TypesInfo.Types[of.Args[0]].Value; v != nil && v.Kind() == constant.String {
				return constant.StringVal(v), true
			}
		}
	}
	return "", false
}

// ofClientset are the verbs of the methods of clients that client-gen makes.
var ofClientset = map[string]Request{
	"Create": {Verbs: []string{"create"}}, "Update": {Verbs: []string{"update"}}, "UpdateStatus": {Subresource: "status", Verbs: []string{"update"}},
	"Delete": {Verbs: []string{"delete"}}, "DeleteCollection": {Verbs: []string{"deletecollection"}}, "Get": {Verbs: []string{"get"}},
	"List": {Verbs: []string{"list"}}, "Watch": {Verbs: []string{"watch"}}, "Apply": {Verbs: []string{"patch"}},
	"ApplyStatus": {Subresource: "status", Verbs: []string{"patch"}},
}

// clientset reads a call of a client, or of an informer, that was generated.
func (r reader) clientset(call *ast.CallExpr, importPath, name string) {
	on := receiver(call)
	if on == nil {
		return
	}
	n := named(r.TypesInfo.TypeOf(on))
	if n == nil {
		return
	}
	switch {
	case strings.Contains(importPath, "/typed/") && strings.HasSuffix(n.Obj().Name(), "Interface"):
		request, ok := ofClientset[name]
		if name == "Patch" && len(call.Args) == 5 { // with more, it is of a subresource
			request, ok = Request{Verbs: []string{"patch"}}, true
		}
		if !ok {
			return
		}
		if of, ok := typeOf(resultOf(n, "Get", 0)); ok {
			r.add(call, of, request)
		} else if of, ok := typeOf(resultOf(n, "Create", 0)); ok {
			r.add(call, of, request)
		}
	case strings.Contains(importPath, "/informers/") && strings.HasSuffix(n.Obj().Name(), "Informer") && (name == "Informer" || name == "Lister"):
		list, ok := resultOf(named(resultOf(n, "Lister", 0)), "List", 0).(*types.Slice)
		if !ok {
			return
		}
		if of, ok := typeOf(list.Elem()); ok {
			r.add(call, of, Request{Verbs: []string{"list", "watch"}})
		}
	}
}

// resultOf is the type of a result of a method; nil if there is none.
func resultOf(n *types.Named, method string, result int) types.Type {
	if n == nil {
		return nil
	}
	o, _, _ := types.LookupFieldOrMethod(n, true, n.Obj().Pkg(), method)
	fn, ok := o.(*types.Func)
	if !ok || fn.Signature().Results().Len() <= result {
		return nil
	}
	return fn.Signature().Results().At(result).Type()
}
