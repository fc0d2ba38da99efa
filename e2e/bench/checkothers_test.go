// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/crdctl/crdctl/e2e/internal/harness/program"
)

// comparedProject is a project for BenchmarkCheckOthers: where it has what the other tools are given. crdctl finds that itself, and more of it.
type comparedProject struct {
	name     string
	crds     []string // directories
	module   string   // the directory of the module with the API packages
	packages string
	samples  []string // directories
}

var comparedProjects = []comparedProject{
	{"kueue", []string{"config/components/crd/bases"}, ".", "./apis/...", []string{"site/static/examples"}},
	{
		"cluster-api",
		[]string{
			"core/config/crd/bases", "bootstrap/kubeadm/config/crd/bases", "controlplane/kubeadm/config/crd/bases", "cmd/clusterctl/config/crd/bases",
			"test/infrastructure/docker/config/crd/bases",
		},
		"api", "./...", []string{"test/infrastructure/docker/examples"},
	},
	{"cert-manager", []string{"deploy/crds"}, ".", "./pkg/apis/...", []string{"test/integration/validation/files"}},
	{"prometheus-operator", []string{"example/prometheus-operator-crd"}, "pkg/apis/monitoring", "./...", []string{"example/user-guides", "example/thanos", "example/shards"}},
}

// builtTools are the tools that the benchmark builds, from modules, where TOOLS does not have them.
var builtTools = map[string]string{
	"kubectl-validate":              "sigs.k8s.io/kubectl-validate@v0.0.4",
	"golangci-lint-kube-api-linter": "sigs.k8s.io/kube-api-linter/cmd/golangci-lint-kube-api-linter@v0.0.0-20260716143926-092fe0c72997",
}

// linterConfig is all of kube-api-linter with its defaults, and no other linter.
const linterConfig = `version: "2"
linters:
  default: none
  enable: [kubeapilinter]
  settings:
    custom:
      kubeapilinter: {type: module}
issues: {max-issues-per-linter: 0, max-same-issues: 0}
`

// BenchmarkCheckOthers measures "crdctl check --against", all families, and what else there is for them, one program after the other
// on the same project: crdify and crd-schema-checker for each CRD that the older revision has as well, kube-api-linter on the API packages, and
// kubectl-validate on the CRDs and samples. REPOS and BASE are as for BenchmarkCheck. TOOLS is the directory of the programs: crdify and crd-schema-checker
// have to be built by hand, from their repositories; without them, only the others are compared.
//
// kube-api-linter keeps what it found of a package. "others" has it with that, as in a second run; "others-first" without.
func BenchmarkCheckOthers(b *testing.B) {
	repos, base := checkRepos()
	if repos == "" {
		return
	}
	tools := otherTools(b)
	for _, p := range comparedProjects {
		b.Run(p.name, func(b *testing.B) {
			c := otherChecks{comparedProject: p, b: b, tools: tools, repo: filepath.Join(repos, p.name), tmp: b.TempDir()}
			c.prepare(base)
			sides := []func() program.Taken{func() program.Taken { return c.one(c.repo, 1, crdctl(b), "check", "--against", base) }, c.others}
			for _, side := range sides {
				side() // caches are warm from here on
			}
			c.s = samples{}
			for _, i := range rounds(b, len(sides)) {
				c.s.took([]string{"crdctl", "others"}[i], sides[i]())
			}
			c.s.report(b)
			for _, unit := range []string{"-sec", "-cpu-sec"} {
				c.s.ratio(b, "others"+unit, "crdctl"+unit, "others"+unit+"-ratio")
				c.s.ratio(b, "others-first"+unit, "crdctl"+unit, "others-first"+unit+"-ratio")
			}
		})
	}
}

// otherTools are the paths of the tools that there are.
func otherTools(b *testing.B) map[string]string {
	b.Helper()
	dir, built, tools := os.Getenv("TOOLS"), b.TempDir(), map[string]string{}
	for _, name := range []string{"crdify", "crd-schema-checker", "golangci-lint-kube-api-linter", "kubectl-validate"} {
		file := must(filepath.Abs(filepath.Join(dir, name)))(b)
		if _, err := os.Stat(file); dir != "" && err == nil {
			tools[name] = file
			continue
		}
		pkg, module := builtTools[name]
		if !module {
			progress("%s is not compared: build it from its repository, into the directory that TOOLS names", name)
			continue
		}
		progress("building %s", pkg)
		run(b, built, environ("GOBIN="+built), "go", "install", pkg)
		tools[name] = filepath.Join(built, name)
	}
	return tools
}

// otherChecks is what is measured of a project.
type otherChecks struct {
	comparedProject
	b         *testing.B
	s         samples
	tools     map[string]string
	repo, tmp string
	changes   [][2]string // files of CRDs, at the older revision and now
}

// prepare writes what the tools are given and cannot find themselves.
func (c *otherChecks) prepare(base string) {
	writeFile(c.b, filepath.Join(c.tmp, "golangci.yaml"), []byte(linterConfig))
	for _, dir := range c.crds {
		files := must(filepath.Glob(filepath.Join(c.repo, dir, "*.yaml")))(c.b)
		if len(files) == 0 {
			c.b.Fatalf("no CRDs in %s of %s", dir, c.name)
		}
		for _, file := range files {
			rel := must(filepath.Rel(c.repo, file))(c.b)
			cmd := exec.CommandContext(c.b.Context(), "git", "-C", c.repo, "show", base+":"+filepath.ToSlash(rel))
			was, err := cmd.Output()
			if err != nil {
				progress("%s: %s is new", c.name, rel)
				continue
			}
			old := filepath.Join(c.tmp, "old", rel)
			writeFile(c.b, old, was)
			c.changes = append(c.changes, [2]string{old, file})
		}
	}
}

// one runs a program once; exit codes up to worst are those of findings.
func (c *otherChecks) one(dir string, worst int, argv ...string) program.Taken {
	script := `worst=$1; shift; "$@" > /dev/null 2>&1; code=$?; test $code -le $worst || { echo "exit code $code"; exit 1; }`
	return run(c.b, dir, environ("KUBECONFIG="+os.DevNull, "GOLANGCI_LINT_CACHE="+filepath.Join(c.tmp, "linter")),
		append([]string{"sh", "-c", script, "sh", string(rune('0' + worst))}, argv...)...)
}

// others runs all other tools, and returns what they took together.
func (c *otherChecks) others() (all program.Taken) {
	add := func(name string, runs ...program.Taken) {
		if c.tools[name] == "" {
			return
		}
		sum := total(runs...)
		if c.s != nil {
			c.s.took(name, sum)
		}
		all = total(all, sum)
	}
	var crdify, checker []program.Taken
	for _, change := range c.changes {
		if tool := c.tools["crdify"]; tool != "" {
			crdify = append(crdify, c.one(c.repo, 1, tool, "file://"+change[0], "file://"+change[1]))
		}
		if tool := c.tools["crd-schema-checker"]; tool != "" { // it panics on some CRDs
			checker = append(checker, c.one(c.repo, 2, tool, "check-manifests", "--existing-crd-filename="+change[0], "--new-crd-filename="+change[1]))
		}
	}
	add("crdify", crdify...)
	add("crd-schema-checker", checker...)
	validate := []string{c.tools["kubectl-validate"]}
	for _, dir := range c.crds {
		validate = append(validate, "--local-crds", filepath.Join(c.repo, dir))
	}
	add("kubectl-validate", c.one(c.repo, 1, append(append(validate, c.samples...), c.crds...)...))
	lint := func() program.Taken {
		return c.one(filepath.Join(c.repo, c.module), 1, c.tools["golangci-lint-kube-api-linter"], "run", "--config", filepath.Join(c.tmp, "golangci.yaml"), "--timeout", "0", c.packages)
	}
	check(c.b, os.RemoveAll(filepath.Join(c.tmp, "linter")))
	first := lint()
	again := lint()
	if c.s != nil {
		c.s.took("kube-api-linter-first", first)
		c.s.took("others-first", total(all, first))
		c.s.took("kube-api-linter", again)
	}
	return total(all, again)
}

// total is what programs take one after the other.
func total(runs ...program.Taken) (sum program.Taken) {
	for _, t := range runs {
		sum = program.Taken{Wall: sum.Wall + t.Wall, CPU: sum.CPU + t.CPU, Peak: max(sum.Peak, t.Peak)}
	}
	return sum
}
