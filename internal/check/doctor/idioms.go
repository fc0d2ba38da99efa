// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"go/ast"
	"go/token"
	"path"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/check/rule"
	"github.com/crdctl/crdctl/internal/gen/gofield"
)

// kubernetesFinalizers are those that Kubernetes has itself.
var kubernetesFinalizers = []string{"orphan", "foregroundDeletion", "kubernetes"}

// finalizers finds finalizers that the API server warns of.
func finalizers(s *Source) (all []rule.Finding) {
	for _, f := range s.Go {
		if !f.Has("AddFinalizer(") || f.Generated() {
			continue
		}
		for _, c := range f.calls("AddFinalizer") {
			if importPath, _ := f.typeOf(c.Fun); len(c.Args) != 2 || importPath != controllerRuntime+"/pkg/controller/controllerutil" {
				continue
			}
			value, at, ok := s.constant(f, c.Args[1])
			if !ok || strings.Contains(value, "/") || slices.Contains(kubernetesFinalizers, value) {
				continue
			}
			found := rule.New("finalizer-name", at, value, "the finalizer %q has no path", value)
			if !strings.Contains(value, ".") {
				found.Severity, found.Message = rule.Warning, "the finalizer "+value+" has no domain"
			}
			all = append(all, found)
		}
	}
	return all
}

const (
	metav1Path = "k8s.io/apimachinery/pkg/apis/meta/v1"
	metaPath   = "k8s.io/apimachinery/pkg/api/meta"
)

// conditions finds conditions that lack what the schema of metav1.Condition requires.
func conditions(s *Source) (all []rule.Finding) {
	for _, f := range s.Go {
		if !f.Has("Condition{") || !f.Has(metav1Path) || f.Generated() {
			continue
		}
		for _, c := range f.calls("append", "SetStatusCondition") {
			set, _ := f.typeOf(c.Fun)
			required := []string{"Type", "Status", "Reason"}
			if len(c.Args) == 0 {
				continue // half typed
			}
			if name := called(c); name == "append" {
				if !f.ofStatus(c) {
					continue
				}
				required = append(required, "LastTransitionTime")
			} else if set != metaPath {
				continue
			}
			for _, arg := range c.Args[1:] {
				all = append(all, f.incomplete(arg, required)...)
			}
		}
	}
	return all
}

// incomplete finds the required fields that a condition lacks that is written as a literal.
func (f *GoFile) incomplete(arg ast.Expr, required []string) (all []rule.Finding) {
	if importPath, name, _ := f.literal(arg); importPath != metav1Path || name != "Condition" {
		return nil
	}
	if u, ok := arg.(*ast.UnaryExpr); ok {
		arg = u.X
	}
	fields := keys(arg.(*ast.CompositeLit))
	if len(fields) == 0 {
		return nil // without names, all are there
	}
	for _, name := range required {
		if value, there := fields[name]; !there || isEmpty(value) {
			all = append(all, rule.New("condition-incomplete", f.place(arg), f.Path, "the condition has no %s", name))
		}
	}
	return all
}

// ofStatus reports whether what is appended to becomes the conditions of an object: a field of that name, or a variable that the same function puts
// into one, and whose items it does not complete after that.
func (f *GoFile) ofStatus(appended *ast.CallExpr) bool {
	list, ok := appended.Args[0].(*ast.Ident)
	if !ok {
		field, ok := appended.Args[0].(*ast.SelectorExpr)
		return ok && field.Sel.Name == "Conditions"
	}
	isList := func(e ast.Expr) bool { id, ok := e.(*ast.Ident); return ok && id.Name == list.Name }
	put, completed := false, false
	for _, d := range f.AST().Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Pos() <= appended.Pos() && appended.End() <= fn.End() {
			ast.Inspect(fn, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.AssignStmt:
					for i, to := range n.Lhs {
						to, ok := to.(*ast.SelectorExpr)
						put = put || ok && to.Sel.Name == "Conditions" && len(n.Rhs) == len(n.Lhs) && isList(n.Rhs[i])
						completed = completed || ok && to.Sel.Name == "LastTransitionTime"
					}
				case *ast.KeyValueExpr:
					key, ok := n.Key.(*ast.Ident)
					put = put || ok && key.Name == "Conditions" && isList(n.Value)
				}
				return true
			})
		}
	}
	return put && !completed
}

func isEmpty(e ast.Expr) bool {
	value, ok := textOf(e)
	return ok && value == ""
}

// deepCopies finds kinds of API packages without the methods that make them objects.
func deepCopies(s *Source) (all []rule.Finding) {
	byDir := map[string][]*GoFile{}
	for _, f := range s.Go {
		byDir[path.Dir(f.Path)] = append(byDir[path.Dir(f.Path)], f)
	}
	objects := s.registered()
	for _, f := range s.Go {
		if !f.Has("+kubebuilder:object:root=true") && !f.Has("+k8s:deepcopy-gen:interfaces=") || f.Generated() || f.AST() == nil {
			continue
		}
		for decl, t := range gofield.Types(f.AST()) {
			method := "*" + t.Name.Name + ") DeepCopyObject()"
			if (isRoot(decl.Doc) || isRoot(detached(f, decl))) && !slices.ContainsFunc(byDir[path.Dir(f.Path)], func(g *GoFile) bool { return g.Has(method) }) {
				found := rule.New("deepcopy-missing", f.place(t), t.Name.Name, "no file of the package has DeepCopyObject of %s", t.Name.Name)
				if !objects[goType{path.Dir(f.Path), t.Name.Name}] {
					found.Severity, found.Message = rule.Note, found.Message+", for which its markers ask; no scheme is given one"
				}
				all = append(all, found)
			}
		}
	}
	return all
}

// goType is a type by the directory of its package.
type goType struct{ dir, name string }

// registered are the types that are given to a scheme, and so do not compile without DeepCopyObject.
func (s *Source) registered() map[goType]bool {
	all := map[goType]bool{}
	for _, f := range s.Go {
		if !f.Has("Register(") && !f.Has("AddKnownType") {
			continue
		}
		for _, c := range f.calls("Register", "AddKnownTypes", "AddKnownTypeWithName") {
			for _, arg := range c.Args {
				if importPath, name, _ := f.literal(arg); importPath != "" {
					if dir, own := s.dirOf(importPath); own {
						all[goType{dir, name}] = true
					}
				} else if name := localType(arg); name != "" {
					all[goType{path.Dir(f.Path), name}] = true
				}
			}
		}
	}
	return all
}

// localType is the type of a pointer to a composite literal, if it is of the same package.
func localType(e ast.Expr) string {
	if u, ok := e.(*ast.UnaryExpr); ok {
		if c, ok := u.X.(*ast.CompositeLit); ok {
			if name, ok := c.Type.(*ast.Ident); ok {
				return name.Name
			}
		}
	}
	return ""
}

// detached is the comment above the doc comment of a declaration: with the tags of code-generator, a blank line is between the two.
func detached(f *GoFile, decl *ast.GenDecl) *ast.CommentGroup {
	begin := decl.Pos()
	if decl.Doc != nil {
		begin = decl.Doc.Pos()
	}
	line := func(pos token.Pos) int { return f.fset.Position(pos).Line }
	for _, c := range f.AST().Comments {
		if c.End() < begin && line(c.End()) == line(begin)-2 {
			return c
		}
	}
	return nil
}

// isRoot reports whether a comment has a marker that asks for DeepCopyObject.
func isRoot(doc *ast.CommentGroup) bool {
	if doc == nil {
		return false
	}
	return slices.ContainsFunc(doc.List, func(c *ast.Comment) bool {
		marker := strings.TrimSpace(strings.TrimPrefix(c.Text, "//"))
		return marker == "+kubebuilder:object:root=true" || strings.HasPrefix(marker, "+k8s:deepcopy-gen:interfaces=") && strings.HasSuffix(marker, "runtime.Object")
	})
}

// schemes finds API packages whose kinds a controller asks for, and that no scheme is told of.
func schemes(s *Source) (all []rule.Finding) {
	type usage struct {
		at   rule.Place
		kind string
	}
	asked, added := map[string]usage{}, map[string]bool{}
	for _, f := range s.Go {
		if f.Has("AddToScheme") || f.Has("SchemeBuilder") || f.Has("Install(") || f.Has("AddKnownTypes") {
			inspect(f, func(e *ast.SelectorExpr) {
				if importPath, name := f.typeOf(e); strings.HasPrefix(name, "AddToScheme") || strings.HasSuffix(name, "SchemeBuilder") || strings.HasPrefix(name, "Install") {
					added[importPath] = true
				}
			})
		}
		if !f.Has(controllerRuntime) || !f.Has(".For(") && !f.Has(".Owns(") || f.Generated() {
			continue
		}
		for _, c := range f.calls("For", "Owns") {
			if len(c.Args) == 0 {
				continue
			}
			importPath, name, at := f.literal(c.Args[0])
			if _, own := s.dirOf(importPath); own && importPath != "" && asked[importPath].kind == "" {
				asked[importPath] = usage{at, name}
			}
		}
	}
	for importPath, u := range asked {
		dir, _ := s.dirOf(importPath)
		if !added[importPath] && slices.ContainsFunc(s.Go, func(f *GoFile) bool {
			return path.Dir(f.Path) == dir && (f.Has("AddToScheme") || f.Has("SchemeBuilder"))
		}) {
			all = append(all, rule.New("scheme-missing", u.at, importPath+"."+u.kind, "nothing adds the types of %s to a scheme", importPath))
		}
	}
	return all
}
