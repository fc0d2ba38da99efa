// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/crdctl/crdctl/e2e/internal/harness/program"
)

// repository is a checkout in the directory that REPOS names, with the calls of controller-gen that its Makefile has.
type repository struct {
	name, version string
	// root is where the project is in the repository.
	root  string
	calls []call
	// generators are those that crdctl is asked for: all, where the repository has none of the other family.
	generators []string
	// untidy is set where go.sum is not checked in.
	untidy bool
	edit   place
}

// call is one run of controller-gen, in a directory of the project.
type call struct {
	dir  string
	args []string
}

const bases = "output:crd:artifacts:config=config/crd/bases"

var repositories = []repository{{
	name: "kubebuilder", version: "v0.21.0", root: "testdata/project-v4-multigroup", untidy: true,
	calls: []call{
		{".", []string{"rbac:roleName=manager-role", "crd", "webhook", "applyconfiguration:headerFile=hack/boilerplate.go.txt", "paths=./...", bases}},
		{".", []string{"object:headerFile=hack/boilerplate.go.txt,year=2026", "paths=./..."}},
	},
	edit: place{"api/crew/v1/captain_types.go", "type CaptainSpec struct {"},
}, {
	name: "source-controller", version: "v0.21.0",
	calls: []call{
		{".", []string{"crd:crdVersions=v1", "rbac:roleName=manager-role", "paths=./...", bases}},
		{"api", []string{"crd:crdVersions=v1", "rbac:roleName=manager-role", "paths=./...", "output:crd:artifacts:config=../config/crd/bases"}},
		{"api", []string{"object:headerFile=../hack/boilerplate.go.txt", "paths=./..."}},
	},
	edit: place{"api/v1/bucket_types.go", "type BucketSpec struct {"},
}, {
	name: "jobset", version: "v0.17.2", generators: []string{"object", "crd", "rbac", "webhook"},
	calls: []call{
		{".", []string{"rbac:roleName=manager-role", "output:rbac:artifacts:config=config/components/rbac", "crd:generateEmbeddedObjectMeta=true", "output:crd:artifacts:config=config/components/crd/bases", "paths=./api/..."}},
		{".", []string{"rbac:roleName=manager-role", "output:rbac:artifacts:config=config/components/rbac", "webhook", "output:webhook:artifacts:config=config/components/webhook", "paths=./pkg/..."}},
		{".", []string{"object:headerFile=hack/boilerplate.go.txt", "paths=./api/..."}},
	},
	edit: place{"api/jobset/v1alpha2/jobset_types.go", "type JobSetSpec struct {"},
}, {
	name: "kueue", version: "v0.20.1", generators: []string{"object", "crd", "rbac", "webhook"},
	calls: []call{
		{".", []string{"object:headerFile=hack/boilerplate.go.txt", "paths=./apis/..."}},
		{".", []string{"crd:generateEmbeddedObjectMeta=true", "output:crd:artifacts:config=config/components/crd/bases", "paths=./apis/..."}},
		{".", []string{"rbac:roleName=manager-role", "output:rbac:artifacts:config=config/components/rbac", "webhook", "output:webhook:artifacts:config=config/components/webhook", "paths=./pkg/controller/...;./pkg/webhooks/...;./pkg/util/cert/...;./pkg/visibility/...;./pkg/config/..."}},
		{"cmd/experimental/kueue-populator", []string{"rbac:roleName=kueue-populator-role", "output:rbac:artifacts:config=config/rbac", "paths=./pkg/controller/..."}},
		{"cmd/experimental/kueue-priority-booster", []string{"rbac:roleName=kueue-priority-booster-role", "output:rbac:artifacts:config=config/rbac", "paths=./pkg/controller/..."}},
	},
	edit: place{"apis/kueue/v1beta2/workload_types.go", "type WorkloadSpec struct {"},
}}

// BenchmarkControllerGen compares "crdctl generate" with controller-gen, of the version that each repository pins, run by the
// repository's own calls one after the other. REPOS is the directory of the checkouts. Both sides begin with their tools built, and
// with a field added: on the checkout, without results in crdctl's cache; after another field; and with nothing changed. The trees are
// compared byte by byte after each run.
func BenchmarkControllerGen(b *testing.B) {
	repos := os.Getenv("REPOS")
	if repos == "" {
		progress("controller-gen is not compared: set REPOS to a directory with clones of kubebuilder, source-controller, jobset and kueue")
		return
	}
	for _, r := range repositories {
		b.Run(r.name, func(b *testing.B) {
			g := newSides(b)
			run(b, g.dir, environ("GOBIN="+g.bin), "go", "install", "sigs.k8s.io/controller-tools/cmd/controller-gen@"+r.version)
			c := &repositoryComparison{comparison: comparison{generators: g, p: project{name: r.name}, dir: b.TempDir(), stages: map[string]samples{}}, r: r}
			c.p.edit = []place{{filepath.ToSlash(filepath.Join(r.root, r.edit.file)), r.edit.line}}
			c.warm = caches{home: filepath.Join(c.dir, "home"), goCache: g.golang.GOCACHE, bin: g.bin}
			c.checkOut(b, filepath.Join(repos, r.name))
			for round := 0; b.Loop(); round++ {
				c.restore(b)
				c.field(b, 2*round)
				c.both(b, firstRun, round)
				c.field(b, 2*round+1)
				c.both(b, edited, round)
				c.both(b, again, round)
			}
			c.report(b, firstRun, edited, again)
		})
	}
}

// repositoryComparison is one repository with its trees: start, upstream and crdctl.
type repositoryComparison struct {
	comparison
	r repository
}

// checkOut makes the tree that both sides begin with, and has each side run once in it: the packages are compiled, modules and
// crdctl's engine are there.
func (c *repositoryComparison) checkOut(b *testing.B, clone string) {
	b.Helper()
	run(b, clone, environ(), "git", "checkout-index", "--all", "--prefix="+c.tree("start")+string(filepath.Separator))
	if c.r.untidy {
		run(b, filepath.Join(c.tree("start"), c.r.root), environ(), "go", "mod", "tidy")
	}
	copyTree(b, c.tree("start"), c.tree("upstream"))
	copyTree(b, c.tree("start"), c.tree("crdctl"))
	online := "GOPROXY=" + goCommand(b, root, "env", "GOPROXY")
	c.upstream(b, online)
	c.ours(b, online)
}

func (c *repositoryComparison) field(b *testing.B, n int) {
	b.Helper()
	addField(b, c.p, c.tree("upstream"), n)
	addField(b, c.p, c.tree("crdctl"), n)
}

// upstream runs the calls one after the other.
func (c *repositoryComparison) upstream(b *testing.B, env ...string) (all program.Taken) {
	b.Helper()
	for _, one := range c.r.calls {
		t := run(b, filepath.Join(c.tree("upstream"), c.r.root, one.dir), append(c.env(c.warm), env...), append([]string{filepath.Join(c.bin, "controller-gen")}, one.args...)...)
		all.Wall, all.CPU, all.Peak = all.Wall+t.Wall, all.CPU+t.CPU, max(all.Peak, t.Peak)
	}
	return all
}

func (c *repositoryComparison) ours(b *testing.B, env ...string) program.Taken {
	b.Helper()
	return run(b, filepath.Join(c.tree("crdctl"), c.r.root), append(c.env(c.warm), env...), append([]string{c.crdctl, "generate"}, c.r.generators...)...)
}

func (c *repositoryComparison) both(b *testing.B, name string, round int) {
	b.Helper()
	c.turn(b, name, round, func() program.Taken { return c.upstream(b) }, func() program.Taken { return c.ours(b) })
	c.compare(b, name, c.tree("upstream"))
}
