// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"encoding/json"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/crdctl/crdctl/e2e/internal/harness/program"
)

// crdDir is where CRDs are written, in the root of a tree.
const crdDir = ".bench-crd"

// The stages of a round.
const (
	firstRun = "first-run"
	edited   = "one-field-edited"
	again    = "nothing-changed"
	withCRD  = "with-CRDs-against-controller-gen-alone"
	cold     = "empty-caches"
)

// BenchmarkGenerate compares "crdctl generate" with kube_codegen.sh on public modules: the same work, in trees of their own, which
// are compared byte by byte after each run. With CRDs it is compared with controller-gen, which makes deep copies and CRDs only.
func BenchmarkGenerate(b *testing.B) {
	g := newGenerators(b)
	for _, p := range projects {
		b.Run(p.name, func(b *testing.B) {
			c := g.comparison(b, p)
			for round := 0; b.Loop(); round++ {
				c.restore(b)
				c.both(b, firstRun, round, c.warm, c.warm)
				if len(p.crds) > 0 {
					copyTree(b, c.tree("upstream"), c.tree("plain"))
				}
				addField(b, p, c.tree("upstream"), round)
				addField(b, p, c.tree("crdctl"), round)
				c.both(b, edited, round, c.warm, c.warm)
				c.both(b, again, round, c.warm, c.warm)
				if len(p.crds) > 0 {
					c.crds(b, round)
				}
			}
			c.report(b, firstRun, edited, again, withCRD)
		})
	}
}

// BenchmarkGenerateCold compares first runs with nothing in any cache but modules, as on a fresh machine.
func BenchmarkGenerateCold(b *testing.B) {
	g := newGenerators(b)
	for _, p := range projects {
		b.Run(p.name, func(b *testing.B) {
			c := g.comparison(b, p)
			for round := 0; b.Loop(); round++ {
				c.restore(b)
				empty := func() caches {
					dir := b.TempDir()
					return caches{home: filepath.Join(dir, "home"), goCache: filepath.Join(dir, "go-build"), bin: filepath.Join(dir, "bin")}
				}
				c.both(b, cold, round, empty(), empty())
			}
			c.report(b, cold)
		})
	}
}

// generators are both sides, of the versions that crdctl is linked with.
type generators struct {
	dir, crdctl   string
	codeGenerator string // its version
	scripts, bin  string // the module of upstream's scripts, and the directory of its built binaries
	golang        struct{ GOPATH, GOMODCACHE, GOCACHE, GOENV string }
}

// newGenerators downloads and builds what upstream's side consists of.
func newGenerators(b *testing.B) *generators {
	b.Helper()
	g := newSides(b)
	versions := strings.Fields(goCommand(b, root, "list", "-m", "-f", "{{.Version}}", "k8s.io/code-generator", "sigs.k8s.io/controller-tools"))
	g.codeGenerator = versions[0]
	progress("building upstream's generators, %s", versions)
	g.scripts = g.download(b, "k8s.io/code-generator", g.codeGenerator)
	for _, name := range []string{"deepcopy", "defaulter", "conversion", "validation", "applyconfiguration", "client", "lister", "informer"} {
		run(b, g.scripts, environ("GOBIN="+g.bin), "go", "install", "./cmd/"+name+"-gen")
	}
	run(b, g.dir, environ("GOBIN="+g.bin), "go", "install", "sigs.k8s.io/controller-tools/cmd/controller-gen@"+versions[1])
	return g
}

// newSides finds crdctl and the go command's directories. Upstream's side is still to be built, into bin.
func newSides(b *testing.B) *generators {
	b.Helper()
	g := &generators{dir: b.TempDir(), crdctl: crdctl(b)}
	g.bin = filepath.Join(g.dir, "bin")
	check(b, json.Unmarshal([]byte(goCommand(b, root, "env", "-json", "GOPATH", "GOMODCACHE", "GOCACHE", "GOENV")), &g.golang))
	return g
}

// download returns the directory of a module in the module cache.
func (g *generators) download(b *testing.B, module, version string) string {
	b.Helper()
	var m struct{ Dir string }
	check(b, json.Unmarshal([]byte(goCommand(b, g.dir, "mod", "download", "-json", module+"@"+version)), &m))
	return m.Dir
}

// caches are the directories that a run may find something in.
type caches struct{ home, goCache, bin string }

// env is the environment of a run. Both sides have the same: nothing is downloaded, and crdctl's own cache is in a home that only
// the benchmark uses.
func (g *generators) env(c caches) []string {
	return environ("GOPROXY=off", "GOPATH="+g.golang.GOPATH, "GOMODCACHE="+g.golang.GOMODCACHE, "GOENV="+g.golang.GOENV,
		"GOCACHE="+c.goCache, "GOBIN="+c.bin, "HOME="+c.home, "XDG_CACHE_HOME="+filepath.Join(c.home, ".cache"))
}

// comparison is one project with its trees: start, upstream, crdctl, crd (controller-gen's) and plain (upstream's first run, to which
// the CRDs are added).
type comparison struct {
	*generators
	p      project
	dir    string
	warm   caches
	stages map[string]samples
}

func (g *generators) comparison(b *testing.B, p project) *comparison {
	b.Helper()
	c := &comparison{generators: g, p: p, dir: b.TempDir(), stages: map[string]samples{}}
	c.warm = caches{home: filepath.Join(c.dir, "home"), goCache: g.golang.GOCACHE, bin: g.bin}
	startTree(b, p, g.download(b, p.module, p.version), c.tree("start"))
	run(b, c.tree("start"), environ(), "go", "mod", "download")
	c.restore(b)
	c.ours(b, c.warm) // the first run reads all files from the disk
	return c
}

func (c *comparison) tree(name string) string { return filepath.Join(c.dir, name) }

// restore resets both trees to the start, and removes crdctl's results. Its engine stays, as upstream's binaries do.
func (c *comparison) restore(b *testing.B) {
	b.Helper()
	for _, tree := range []string{"upstream", "crdctl"} {
		copyTree(b, c.tree("start"), c.tree(tree))
	}
	check(b, os.RemoveAll(filepath.Join(c.warm.home, ".cache", "crdctl", "results")))
}

// upstream runs kube_codegen.sh, on one API directory and one client tree.
func (c *comparison) upstream(b *testing.B, in caches) program.Taken {
	b.Helper()
	argv := []string{"bash", must(filepath.Abs("flow.sh"))(b), c.scripts, headerFile, c.p.apiDir, c.p.clientDir, path.Join(c.p.module, c.p.clientDir)}
	return run(b, c.tree("upstream"), c.env(in), append(argv, c.p.flags...)...)
}

// ours runs crdctl. The flags of the clients are kube_codegen.sh's.
func (c *comparison) ours(b *testing.B, in caches, more ...string) program.Taken {
	b.Helper()
	argv := []string{c.crdctl, "generate", "--boilerplate", headerFile, "--api-dir", c.p.apiDir, "--client-dir", c.p.clientDir, "--code-generator-version", c.codeGenerator}
	return run(b, c.tree("crdctl"), c.env(in), slices.Concat(argv, c.p.flags, more)...)
}

// both runs the two sides, another one first in each round, and compares their trees.
func (c *comparison) both(b *testing.B, name string, round int, theirs, ours caches) {
	b.Helper()
	c.turn(b, name, round, func() program.Taken { return c.upstream(b, theirs) }, func() program.Taken { return c.ours(b, ours) })
	c.compare(b, name, c.tree("upstream"))
}

func (c *comparison) turn(b *testing.B, name string, round int, upstream, ours func() program.Taken) {
	b.Helper()
	s := record(c.stages, name)
	for i := range 2 {
		if (round+i)%2 == 0 {
			s.took("upstream", upstream())
		} else {
			s.took("crdctl", ours())
		}
	}
	progress("%s: %s: upstream %.2f s, crdctl %.3f s", c.p.name, name, s["upstream-sec"][round], s["crdctl-sec"][round])
}

// compare holds crdctl's tree to another.
func (c *comparison) compare(b *testing.B, name, upstream string) {
	b.Helper()
	outputs, differ := compare(b, c.tree("start"), upstream, c.tree("crdctl"), c.p.edit)
	c.stages[name].add(float64(outputs), "files")
	if len(differ) > 0 || outputs == 0 {
		b.Fatalf("%s: %d files, and these differ: %q", name, outputs, differ)
	}
}

// crds has crdctl make the CRDs, too. They are held to controller-gen's, and all other files to kube_codegen.sh's of a tree that
// began alike.
func (c *comparison) crds(b *testing.B, round int) {
	b.Helper()
	c.restore(b)
	copyTree(b, c.tree("start"), c.tree("crd"))
	argv := []string{filepath.Join(c.bin, "controller-gen"), "object", "crd", "output:crd:dir=" + crdDir}
	for _, dir := range c.p.crds {
		argv = append(argv, "paths="+dir)
	}
	c.turn(b, withCRD, round, func() program.Taken { return run(b, c.tree("crd"), c.env(c.warm), argv...) },
		func() program.Taken { return c.ours(b, c.warm, "--crd-dir", crdDir) })
	copyTree(b, filepath.Join(c.tree("crd"), crdDir), filepath.Join(c.tree("plain"), crdDir))
	c.compare(b, withCRD, c.tree("plain"))
}

// report reports each stage that there was.
func (c *comparison) report(b *testing.B, stages ...string) {
	for _, name := range stages {
		if s := c.stages[name]; s != nil {
			b.Run(name, func(b *testing.B) {
				s.report(b)
				s.ratio(b, "upstream-sec", "crdctl-sec", "ratio")
				s.ratio(b, "upstream-cpu-sec", "crdctl-cpu-sec", "cpu-ratio")
			})
		}
	}
}
