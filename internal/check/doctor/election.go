// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"go/ast"
	"path"
	"strings"

	"github.com/crdctl/crdctl/internal/check/rule"
)

// manyUse are names of a lease that examples have, or that say nothing of the project.
var manyUse = map[string]bool{
	"leader-election": true, "controller-leader-election": true, "controller-leader-election-helper": true, "leader-election-id": true, "leader": true, "lock": true,
	"operator": true, "operator-lock": true, "manager": true, "controller": true, "controller-manager": true, "my-operator": true,
	"80807133.tutorial.kubebuilder.io": true, "ecaf1259.my.domain": true, "86f835c3.example.com": true,
}

// locks are the locks of client-go that are gone, by their names in Go and by their values.
var locks = map[string]bool{
	"ConfigMapsResourceLock": true, "EndpointsResourceLock": true, "ConfigMapsLeasesResourceLock": true, "EndpointsLeasesResourceLock": true,
	"configmaps": true, "endpoints": true, "configmapsleases": true, "endpointsleases": true,
}

// locksGone is the minor version of client-go that has leases only.
const locksGone = 27

// elections finds managers whose leader election fails, or meets that of others.
func elections(s *Source) (all []rule.Finding) {
	var first *rule.Place
	ids := map[string]string{} // the directory of the program that has an ID
	for _, f := range s.Go {
		all = append(all, s.locksOf(f)...)
		if !f.Has("LeaderElection") || !f.Has("sigs.k8s.io/controller-runtime") || f.Generated() {
			continue
		}
		inspect(f, func(c *ast.CompositeLit) {
			importPath, name := f.typeOf(c.Type)
			if name != "Options" || importPath != controllerRuntime && importPath != controllerRuntime+"/pkg/manager" {
				return
			}
			fields := keys(c)
			wanted, ok := fields["LeaderElection"]
			if off, isName := wanted.(*ast.Ident); !ok || isName && off.Name == "false" {
				return
			}
			at := f.place(c)
			if first == nil {
				first = &at
			}
			all = append(all, s.lockID(f, c, fields["LeaderElectionID"], ids)...)
			all = append(all, s.lockKind(f, fields["LeaderElectionResourceLock"])...)
		})
	}
	if first != nil && !s.grants("leases") {
		all = append(all, rule.New("leader-election-rbac", *first, "leases.coordination.k8s.io", "the manager elects a leader, and no role of the project has leases"))
	}
	return all
}

func (s *Source) lockID(f *GoFile, c *ast.CompositeLit, id ast.Expr, ids map[string]string) []rule.Finding {
	if id == nil {
		if f.Has(".LeaderElectionID = ") {
			return nil
		}
		return []rule.Finding{rule.New("leader-election-id", f.place(c), f.Path, "the manager elects a leader, and has no LeaderElectionID")}
	}
	value, _, ok := s.constant(f, id)
	if !ok {
		return nil
	}
	if value == "" || manyUse[value] {
		return []rule.Finding{rule.New("leader-election-id", f.place(id), f.Path, "LeaderElectionID %q is one that other projects have, too", value)}
	}
	dir := path.Dir(f.Path)
	other, taken := ids[value]
	if ids[value] = dir; taken && other != dir {
		return []rule.Finding{rule.New("leader-election-id", f.place(id), f.Path, "LeaderElectionID %q is also that of the program in %s", value, other)}
	}
	return nil
}

// locksOf finds the locks that a Go file makes with client-go itself.
func (s *Source) locksOf(f *GoFile) (all []rule.Finding) {
	const path = "k8s.io/client-go/tools/leaderelection/resourcelock"
	if !f.Has(path) || f.Generated() {
		return nil
	}
	for _, call := range f.calls("New", "NewFromKubeconfig") {
		if importPath, _ := f.typeOf(call.Fun); importPath == path && len(call.Args) > 0 {
			all = append(all, s.lockKind(f, call.Args[0])...)
		}
	}
	return all
}

func (s *Source) lockKind(f *GoFile, lock ast.Expr) []rule.Finding {
	if lock == nil {
		return nil
	}
	_, name := f.typeOf(lock)
	if value, ok := textOf(lock); ok {
		name = value
	}
	if !locks[name] {
		return nil
	}
	found := rule.New("leader-election-lock", f.place(lock), f.Path, "the lock %s is not in client-go since v0.%d", name, locksGone)
	if m := s.moduleOf(f.Path); m != nil {
		if q := m.requirements()["k8s.io/client-go"]; minor(q.version) < locksGone {
			found.Severity = rule.Warning
		}
	}
	return []rule.Finding{found}
}

// grants reports whether a role of the project, or a marker that makes one, has a resource; also if there is no role at all, since it is
// elsewhere then.
func (s *Source) grants(resource string) bool {
	roles := false
	has := func(text string) bool {
		return strings.Contains(text, resource) || strings.Contains(text, `"*"`) || strings.Contains(text, `'*'`)
	}
	for _, d := range s.documents() {
		if d.kind == "Role" || d.kind == "ClusterRole" || d.kind == "ClusterServiceVersion" {
			roles = true
			if has(string(d.text)) {
				return true
			}
		}
	}
	for _, f := range s.Go {
		if f.Has("+kubebuilder:rbac:") && f.Has(resource) {
			return true
		}
	}
	return !roles
}
