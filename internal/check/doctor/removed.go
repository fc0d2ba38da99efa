// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	_ "embed"
	"fmt"
	"go/ast"
	"maps"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/check/rule"
	"github.com/crdctl/crdctl/internal/text/lazyregexp"
)

// removedKind is a kind of Kubernetes that it serves no more.
type removedKind struct {
	apiVersion, kind, minor, replacement string // the replacement is - if there is none
}

//go:embed removed.txt
var removedTable string

// removedKinds are the kinds by "apiVersion kind".
var removedKinds = func() map[string]removedKind {
	all := map[string]removedKind{}
	for line := range strings.Lines(removedTable) {
		if f := strings.Fields(line); len(f) == 4 && f[0] != "#" {
			all[f[0]+" "+f[1]] = removedKind{f[0], f[1], f[2], f[3]}
		}
	}
	return all
}()

// release is a directory that keeps the manifests of an old release.
var release = lazyregexp.New(`(^|/)v?\d+\.\d+(\.\d+)?[^/]*/`)

// use is a place where a removed kind is used.
type use struct {
	at       rule.Place
	template bool
}

// removedAPIs finds objects, and calls in Go, of kinds that Kubernetes serves no more: one finding for each kind.
func removedAPIs(s *Source) (all []rule.Finding) {
	uses := map[string][]use{}
	for _, d := range s.documents() {
		if release.MatchString(d.file.Path) || d.template && guarded(d.file.Data) || d.apiVersion == "apiextensions.k8s.io/v1beta1" && s.judgesCRD(d.file.Path) {
			continue
		}
		if r, ok := removedKinds[d.apiVersion+" "+d.kind]; ok {
			key := r.apiVersion + " " + r.kind
			uses[key] = append(uses[key], use{d.at, d.template})
		}
	}
	for _, f := range s.Go {
		if f.Has("k8s.io/api/") && f.Has("beta") {
			for _, c := range f.calls(served...) {
				if r, at, ok := removedArgument(f, c); ok {
					key := r.apiVersion + " " + r.kind
					uses[key] = append(uses[key], use{at, false})
				}
			}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(uses)) {
		all = append(all, removedFinding(removedKinds[key], uses[key]))
	}
	return all
}

// guarded reports whether a template asks which versions the API server has.
func guarded(template []byte) bool {
	return strings.Contains(string(template), "Capabilities") || strings.Contains(string(template), "semverCompare")
}

// judgesCRD reports whether a file has a CRD that is judged as such.
func (s *Source) judgesCRD(file string) bool {
	if s.Project == nil {
		return false
	}
	for _, crd := range s.Project.CRDs {
		if crd.File == file {
			return true
		}
	}
	return false
}

func removedFinding(r removedKind, uses []use) rule.Finding {
	u := uses[0]
	if i := slices.IndexFunc(uses, func(u use) bool { return !u.template }); i >= 0 {
		u = uses[i]
	}
	more := ""
	if len(uses) > 1 {
		more = fmt.Sprintf(", and in %d more places", len(uses)-1)
	}
	f := rule.New("removed-api", u.at, r.apiVersion+" "+r.kind, "%s of %s is not in Kubernetes since 1.%s%s", r.kind, r.apiVersion, r.minor, more)
	if f.Fix = fmt.Sprintf("Use %s of %s, and compare the fields.", r.kind, r.replacement); r.replacement == "-" {
		f.Fix = "Remove it: no other version has the kind."
	}
	if u.template {
		f.Severity = rule.Note // a value may have to ask for it
	}
	return f
}

// served are the methods that ask the API server for objects of the type of an argument.
var served = []string{"For", "Owns", "Watches", "Get", "List", "Create", "Update", "Patch", "Delete"}

// removedArgument is the removed kind that an argument of a call has, as in Owns(&v1beta1.PodDisruptionBudget{}).
func removedArgument(f *GoFile, c *ast.CallExpr) (removedKind, rule.Place, bool) {
	for _, arg := range c.Args {
		importPath, name, at := f.literal(arg)
		rest, ok := strings.CutPrefix(importPath, "k8s.io/api/")
		if !ok {
			continue
		}
		for _, r := range removedKinds {
			group, version, _ := strings.Cut(r.apiVersion, "/")
			first, _, _ := strings.Cut(group, ".")
			if rest == first+"/"+version && (name == r.kind || name == r.kind+"List") {
				return r, at, true
			}
		}
	}
	return removedKind{}, rule.Place{}, false
}
