// SPDX-License-Identifier: Apache-2.0

// Package archtest holds the rules of this repository that no compiler checks: who may import whom, which versions belong
// together, what go.mod must not have. It has tests only.
package archtest

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/modfile"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/gen/codegen"
	"github.com/crdctl/crdctl/internal/gen/crdform"
)

// root is this repository, seen from the directory of this package.
const root = "../.."

const modulePath = "github.com/crdctl/crdctl"

// rule says that only some packages of ours may import what a pattern matches.
type rule struct {
	imports string   // regular expression of an import path
	only    []string // packages, relative to the module; a trailing /... takes those below
	reason  string
}

var rules = []rule{
	{`^github.com/spf13/(cobra|pflag)$`, []string{"cmd", "internal/kubectl", "internal/gen/codegen", "internal/controlplane/standalone"}, "flags are parsed in one place; codegen hands upstream theirs, and standalone has those of kube-apiserver"},
	{`^k8s.io/(code-generator|gengo)`, []string{"internal/gen/codegen", "internal/gen/naming", "internal/archtest"}, "they exit, log and write on their own; codegen is where that ends, and naming asks for names only"},
	{`^sigs.k8s.io/controller-tools`, []string{"internal/gen/crdgen", "internal/gen/controllergen/host"}, "it prints errors instead of returning them; host, whose source engines of other versions have too, is where that ends, and crdgen asks for markers and names"},
	{`^(k8s.io/kubernetes|go.etcd.io/etcd/server|k8s.io/controller-manager)(/|$)`, []string{"internal/controlplane/...", "internal/startup/..."},
		"an API server is a big thing to link; one package knows how"},
	{`^k8s.io/apiserver(/|$)`, []string{"internal/controlplane/...", "internal/startup/...", "internal/check/compat", "internal/check/preflight", "internal/crd/write", "internal/crdimport/normalize", "internal/scaffold/fields"},
		"it belongs to the API server; write validates objects as it does, preflight compiles CEL rules as it does, and what writes or compares CEL rules escapes names as it does"},
	{`^(sigs.k8s.io/kube-api-linter|golang.org/x/tools/go/analysis)(/|$)`, []string{"internal/check/lint"}, "its analyzers panic, and are made for the types of Kubernetes itself; lint is where that ends"},
	{`^sigs.k8s.io/kustomize`, []string{"internal/run/kustomization"}, "it starts git and asks servers for what a kustomization names; kustomization is where that is refused"},
	{`^helm.sh/helm`, []string{"internal/run/chart"}, "chart renders and nothing else; the packages of Helm that install, download or validate by JSON schemas stay out of the program"},
	{`^k8s.io/kubectl`, []string{"internal/kubectl", "internal/startup/..."}, "kubectl is a program; one package makes it a function"},
	{`^k8s.io/client-go`, []string{"cmd", "internal/check/cluster", "internal/check/preflight", "internal/controlplane/...", "internal/crd/builtin", "internal/kubectl", "internal/operator/...", "internal/run", "internal/run/target", "e2e/..."},
		"what is generated or scaffolded does not talk to clusters; check/cluster reads the one that check --against-cluster names, and crd/builtin compares its table of kinds with client-go, and check/preflight parses JSON paths as the API server does"},
	{`^k8s.io/klog`, []string{"internal/logging", "internal/controlplane/..."}, "it is one for the process: logging decides what becomes of it; crdctl's own messages go to its streams"},
	{`^mvdan.cc/sh`, []string{"internal/config", "internal/detect/shell"}, "config splits a command into words, detect/shell reads scripts; nothing runs a shell"},
	{`^github.com/Masterminds/sprig`, []string{"internal/scaffold", "internal/operator/render"}, "templates are rendered in two places: a project's files, and the children of a user's templates"},
	{`^github.com/prometheus/client_golang`, []string{"internal/operator/metrics", "internal/startup/register/..."},
		"what is registered globally belongs to the API server; metrics has a registry of its own"},
	{`^github.com/go-json-experiment/json`, []string{"internal/controlplane/record", "internal/operator/object"}, "it has no release: it is for the two packages that read every object of a cluster, and whose time counts"},
	{`^github.com/crdctl/crdctl/cmd$`, []string{"."}, "the command line is on top: nothing below may need it"},
	{`^github.com/crdctl/crdctl/internal/operator/install$`, []string{"cmd"}, "it writes manifests for people; what runs, runs without them"},
	{`^github.com/crdctl/crdctl/internal/operator/`, []string{"internal/operator/...", "cmd", "e2e/..."}, "operator puts its parts together; others call operator"},
	{`^github.com/crdctl/crdctl/internal/controlplane$`, []string{"cmd", "internal/controlplane/daemon", "internal/controlplane/standalone", "internal/envtest", "internal/run", "e2e/..."}, "only what runs something needs a control plane"},
	{`^github.com/crdctl/crdctl/internal/controlplane/sockettest$`, nil, "it reads /proc to check the sockets of processes, for tests"},
	{`^github.com/crdctl/crdctl/internal/safefs/safefstest$`, nil, "it changes the environment of the process and fails tests"},
	{`^github.com/crdctl/crdctl/internal/operator/operatortest$`, nil, "it is a fake API server, for tests"},
	{`^github.com/crdctl/crdctl/internal/scripttest$`, nil, "it runs scripts, for tests"},
	{`^github.com/crdctl/crdctl/internal/check/checktest$`, nil, "it runs the examples of rules, for tests"},
	{`^github.com/crdctl/crdctl/internal/gen/gentest$`, nil, "it lays out projects, for tests"},
	{`^github.com/crdctl/crdctl/e2e/corpus/roundtrip$`, nil, "it is for tests, and runs the go command as a user would not expect of a command"},
}

// A layer imports layers below it only. Packages of one directory below internal may import each other; exceptions has what else
// goes sideways, or up.
var layers = [][]string{
	{"main", "cmd", "e2e", "archtest", "scripttest"},
	{"gen", "detect", "scaffold", "crdimport", "run", "operator", "kubectl", "report", "envtest", "check", "apidocs"},
	{"crd", "controlplane", "config", "workspace", "tree", "view"},
	{"fswatch", "git", "lockfile", "tempdir"},
	{"logging", "proc", "safefs", "startup", "templates", "text", "trace", "ui"},
}

// exceptions are imports within a layer, each with its reason; a package stands for those below it, too.
var exceptions = []struct{ from, to, reason string }{
	{"internal/run", "internal/operator", "run --builtin runs the built-in controller"},
	{"internal/run", "internal/check/project", "it finds the CRDs of a project that has them in no usual directory"},
	{"internal/trace", "internal/safefs", "two runs must not write one recording, so it locks the file"},
	{"internal/trace", "internal/text", "errors count records in words"},
	{"internal/scaffold", "internal/crdimport", "create api --from-crd makes Go types of a CRD"},
	{"internal/scaffold", "internal/gen/naming", "the plural rules of gengo, without a generator"},
	{"internal/scaffold/change", "internal/gen", "it generates in a copy of the module before it writes"},
	{"internal/detect", "internal/gen/naming", "the plural rules of gengo, without a generator"},
	{"internal/detect", "internal/gen/controllergen/args", "the command line of controller-gen, without controller-tools"},
	{"internal/detect", "internal/gen/crdform", "the form of controller-gen's files, without controller-tools"},
	{"internal/check", "internal/detect/repo", "it walks a repository, and tells a project's own CRDs from those of others"},
	{"internal/check", "internal/gen/gofield", "it finds the Go field of a finding"},
	{"internal/check", "internal/gen/load", "it type-checks the API packages for linters, without the go command"},
	{"internal/check", "internal/gen/diag", "types that do not compile are reported as generate does"},
	{"internal/check", "internal/gen/markerlint", "what it finds are findings of the family lint"},
	{"internal/apidocs", "internal/check", "it describes the CRDs that check judges, with the samples that are valid, and what compat finds between versions"},
	{"internal/report", "internal/check/rule", "the rules and the form of the findings that it prints"},
}

type listed struct {
	ImportPath, Doc  string
	Imports, GoFiles []string
}

func packages(t *testing.T) (all []listed) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-json=ImportPath,Doc,Imports,GoFiles", "./...")
	cmd.Dir = root
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	require.NoError(t, err)
	for dec := json.NewDecoder(bytes.NewReader(out)); dec.More(); {
		var p listed
		require.NoError(t, dec.Decode(&p))
		all = append(all, p)
	}
	return all
}

func allowed(pkg string, only []string) bool {
	return slices.ContainsFunc(only, func(o string) bool {
		if below, ok := strings.CutSuffix(o, "/..."); ok {
			return pkg == below || strings.HasPrefix(pkg, below+"/")
		}
		return pkg == o
	})
}

// area is the directory below internal that a package is in, or the top directory of those that are elsewhere.
func area(pkg string) string {
	if pkg == "." {
		return "main"
	}
	first, _, _ := strings.Cut(strings.TrimPrefix(pkg, "internal/"), "/")
	return first
}

func layerOf(area string) int {
	return slices.IndexFunc(layers, func(l []string) bool { return slices.Contains(l, area) })
}

func mayImport(from, to string) bool {
	within := func(pkg, dir string) bool { return pkg == dir || strings.HasPrefix(pkg, dir+"/") }
	for _, e := range exceptions {
		if within(from, e.from) && within(to, e.to) {
			return true
		}
	}
	of, at := area(from), area(to)
	return of == at || layerOf(of) < layerOf(at) || of == "main" && at == "cmd"
}

// Packages import what they may, and each has a comment that says what it is, and what it is not.
func TestPackages(t *testing.T) {
	all := packages(t)
	require.GreaterOrEqual(t, len(all), 15, "only: packages listed")
	for _, p := range all {
		rel := "."
		if p.ImportPath != modulePath {
			rel = strings.TrimPrefix(p.ImportPath, modulePath+"/")
		}
		for _, r := range rules {
			if allowed(rel, r.only) {
				continue
			}
			for _, imported := range p.Imports {
				assert.False(t, regexp.MustCompile(r.imports).MatchString(imported), "%s imports %s: %s (allowed: %s)", rel, imported, r.reason, strings.Join(r.only, ", "))
			}
		}
		if layerOf(area(rel)) < 0 {
			t.Errorf("%s is in no layer: add %s to layers", rel, area(rel))
		}
		if len(p.GoFiles) > 0 {
			assert.NotEmpty(t, p.Doc, "%s has no package comment", rel)
		}
		for _, imported := range p.Imports {
			if to, ours := strings.CutPrefix(imported, modulePath+"/"); ours && !mayImport(rel, to) {
				t.Errorf("%s imports %s: %s is not in a layer below %s", rel, to, area(to), area(rel))
			}
		}
	}
}

func goMod(t *testing.T) *modfile.File {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root, "go.mod"))
	require.NoError(t, err)
	f, err := modfile.Parse("go.mod", data, nil)
	require.NoError(t, err)
	return f
}

func required(f *modfile.File, path string) string {
	for _, r := range f.Require {
		if r.Mod.Path == path {
			return r.Mod.Version
		}
	}
	return ""
}

// With a replace or an exclude, "go install github.com/crdctl/crdctl@VERSION" is refused.
func TestGoModHasNoReplaceOrExclude(t *testing.T) {
	f := goMod(t)
	assert.LessOrEqual(t, len(f.Replace)+len(f.Exclude), 0, "replace %v, exclude %v", f.Replace, f.Exclude)
}

// What crdctl says of itself is what is linked, and all of Kubernetes in it is of one patch version.
func TestVersions(t *testing.T) {
	f := goMod(t)
	assert.Equal(t, codegen.Version, required(f, "k8s.io/code-generator"), "code-generator: in codegen.Version")
	assert.Equal(t, crdform.Version, required(f, "sigs.k8s.io/controller-tools"), "controller-tools: in crdform.Version")
	kubernetes := required(f, "k8s.io/kubernetes")
	for _, r := range f.Require {
		if strings.HasPrefix(r.Mod.Path, "k8s.io/") && strings.HasPrefix(r.Mod.Version, "v0.3") && r.Mod.Version != strings.Replace(kubernetes, "v1.", "v0.", 1) {
			t.Errorf("%s %s does not belong to Kubernetes %s", r.Mod.Path, r.Mod.Version, kubernetes)
		}
	}
	scaffolded, err := os.ReadFile(filepath.Join(root, "templates", "project", "go.mod.tmpl"))
	require.NoError(t, err)
	want := "k8s.io/client-go " + required(f, "k8s.io/client-go")
	assert.Contains(t, string(scaffolded), want+"\n", "templates/project/go.mod.tmpl does not require %s", want)
}

// Tests that have files written under a seal do not read or make the key of the user who runs them.
func TestTestsKeepTheKeyOfTheUser(t *testing.T) {
	seals := regexp.MustCompile(`\b(tree\.Write|state\.(CreateCluster|OpenData|Open))\(`)
	own := regexp.MustCompile(`safefstest\.Run\(|"XDG_CONFIG_HOME"`)
	uses, keeps := map[string]bool{}, map[string]bool{}
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		data, err := os.ReadFile(path)
		uses[filepath.Dir(path)] = uses[filepath.Dir(path)] || seals.Match(data)
		keeps[filepath.Dir(path)] = keeps[filepath.Dir(path)] || own.Match(data)
		return err
	})
	require.NoError(t, err)
	require.NotEmpty(t, uses)
	for dir, used := range uses {
		if used && !keeps[dir] {
			t.Errorf("%s has no TestMain with safefstest.Run", dir)
		}
	}
}

// filepath.Glob reads the directory of a user as a pattern; workspace.Glob does not.
func TestDirectoriesAreNotPatterns(t *testing.T) {
	read := 0
	for _, dir := range []string{"cmd", "internal"} {
		err := filepath.WalkDir(filepath.Join(root, dir), func(path string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			data, err := os.ReadFile(path)
			read++
			if tool := filepath.Join("web", "fetch", "main.go"); bytes.Contains(data, []byte("filepath.Glob"+"(")) && !strings.HasSuffix(path, tool) { // of contributors
				t.Errorf("%s: filepath.Glob; use workspace.Glob, or fs.Glob on os.DirFS", path)
			}
			return err
		})
		require.NoError(t, err)
	}
	assert.Greater(t, read, 100)
}

// The page on the architecture names files and packages that exist.
func TestArchitectureNamesWhatExists(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(root, "docs", "architecture.md"))
	require.NoError(t, err)
	now, _, _ := strings.Cut(string(page), "## Old names")
	named := regexp.MustCompile("`((?:internal|cmd|e2e|templates)(?:/[A-Za-z0-9_./-]+)?)`").FindAllStringSubmatch(now, -1)
	require.GreaterOrEqual(t, len(named), 50, "only: names found")
	for _, name := range named {
		_, err = os.Stat(filepath.Join(root, filepath.FromSlash(name[1])))
		assert.NoError(t, err)
	}
}
