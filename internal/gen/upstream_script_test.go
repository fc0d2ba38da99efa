package gen

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/gen/codegen"
	"github.com/crdctl/crdctl/internal/gen/crdform"
	"github.com/crdctl/crdctl/internal/workspace"
)

// upstream is upstream's kube_codegen.sh, and a folder for the binaries that it installs.
type upstream struct {
	root, bin string
}

// newUpstream finds the script in the module cache and builds what it does not build itself.
func newUpstream(t *testing.T) *upstream {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", "k8s.io/code-generator").Output()
	if err != nil {
		t.Fatal(err)
	}
	u := &upstream{root: strings.TrimSpace(string(out)), bin: t.TempDir()}
	if !strings.HasSuffix(u.root, "@"+codegen.Version) {
		t.Fatalf("code-generator is %s, and crdctl says that it is %s", u.root, codegen.Version)
	}
	u.bash(t, u.bin, "GOWORK=off", `
		go install sigs.k8s.io/controller-tools/cmd/controller-gen@`+crdform.Version+`
		cd "$CODEGEN_ROOT"
		go install ./cmd/{applyconfiguration,client,conversion,deepcopy,defaulter,informer,lister,prerelease-lifecycle,register,validation}-gen
		go install k8s.io/kube-openapi/cmd/openapi-gen`)
	return u
}

// prelude spares kube_codegen.sh what it does first in each of its functions, to install the generators; "tagged TAG
// FOLDER" is how it finds packages.
const prelude = `set -o errexit -o nounset -o pipefail
source "$CODEGEN_ROOT/kube_codegen.sh"
go() {
	[ "$1" = install ] || command go "$@"
}
tagged() {
	{ grep -rl --include '*.go' --exclude-dir vendor -e '^\s*//\s*+'"$1" "$2" || true; } |
		while read -r file; do dirname "$file"; done | LC_ALL=C sort -u |
		while read -r dir; do (cd "$dir" && go list -find .); done
}
`

// run runs, in the folder of the fixture's module, what a project's own script would: the functions of
// kube_codegen.sh with the flags of the settings. It tells whether that went well, and what was said.
func (u *upstream) run(t *testing.T, f fixture, root string, p *config.Project) {
	t.Helper()
	if out, err := u.try(t, f, root, p); err != nil {
		t.Fatalf("upstream: %v\n%s", err, out)
	}
}

func (u *upstream) try(t *testing.T, f fixture, root string, p *config.Project) (string, error) {
	t.Helper()
	work := "GOWORK=off"
	if f.workspace {
		work = "GOWORK="
	}
	return u.command(t, filepath.Join(root, f.module), work, prelude+script(t, root, p))
}

func (u *upstream) bash(t *testing.T, dir, work, text string) {
	t.Helper()
	if out, err := u.command(t, dir, work, text); err != nil {
		t.Fatalf("upstream: %v\n%s", err, out)
	}
}

func (u *upstream) command(t *testing.T, dir, work, text string) (string, error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "bash", "-c", "set -o errexit\n"+text)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "CODEGEN_ROOT="+u.root, "GOBIN="+u.bin, "GOFLAGS=", work)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// script is the text of a project's update-codegen.sh.
func script(t *testing.T, root string, p *config.Project) string {
	t.Helper()
	var b strings.Builder
	call := func(name string, args ...[]string) {
		b.WriteString(name)
		for _, arg := range slices.Concat(args...) {
			b.WriteString(" '" + arg + "'")
		}
		b.WriteString("\n")
	}
	at := func(dir string) string { return filepath.Join(root, filepath.FromSlash(dir)) }
	importPath := func(dir, said string) string {
		if said != "" {
			return said
		}
		found, err := workspace.ImportPaths{}.Of(at(dir))
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	option := func(name, value string) []string {
		if value == "" {
			return nil
		}
		return []string{name, value}
	}
	header := option("--boilerplate", at(p.Boilerplate))
	lint := option("--lint-rules", strings.Join(p.LintRules, ","))
	for _, api := range p.APIs {
		call("kube::codegen::gen_helpers", header, lint, flags("--extra-peer-dir", p.Conversion.ExtraPeers), []string{at(api)})
		if slices.Contains(p.Generators, "register") {
			call("kube::codegen::gen_register", header, lint, []string{at(api)})
		}
		if slices.Contains(p.Generators, "prerelease-lifecycle") {
			fmt.Fprintf(&b, "found=$(tagged k8s:prerelease-lifecycle-gen= '%s')\n", at(api))
			fmt.Fprintf(&b, "\"$GOBIN/prerelease-lifecycle-gen\" --output-file %s --go-header-file '%s' %s $found\n",
				"zz_generated.prerelease-lifecycle.go", at(p.Boilerplate), strings.Join(lint, " "))
		}
	}
	if o := p.OpenAPI; o.Dir != "" {
		for _, pkg := range o.ExtraPackages {
			// Root may write in the module cache, and upstream would.
			if o.ModelNameFile != "" && !slices.Contains(p.Validation.ReadOnlyPackages, pkg) {
				t.Fatalf("openapi.extraPackages: upstream writes model names into %s", pkg)
			}
		}
		call("kube::codegen::gen_openapi", header, option("--output-dir", at(o.Dir)), option("--output-pkg", importPath(o.Dir, o.Package)),
			flags("--extra-pkgs", o.ExtraPackages), []string{"--report-filename", at(o.Report), "--update-report"},
			option("--output-model-name-file", o.ModelNameFile), []string{at(p.APIs[0])})
	}
	for _, c := range p.Clients {
		if len(c.APIs) != 1 {
			t.Fatalf("client tree %s: gen_client takes one folder", c.Dir)
		}
		var on []string
		for name, is := range map[string]bool{"--with-watch": c.Watch, "--with-applyconfig": c.ApplyConfiguration, "--prefers-protobuf": c.PrefersProtobuf} {
			if is {
				on = append(on, name)
			}
		}
		schema := ""
		if c.ApplyConfigurationOpenAPISchema != "" {
			schema = at(c.ApplyConfigurationOpenAPISchema)
		}
		call("kube::codegen::gen_client", header, on, option("--output-dir", at(c.Dir)), option("--output-pkg", importPath(c.Dir, c.Package)),
			option("--one-input-api", c.OneInputAPI), option("--lint-rules", strings.Join(c.LintRules, ",")),
			option("--clientset-name", c.ClientsetName), option("--versioned-name", c.VersionedName),
			option("--listers-name", c.ListersName), option("--informers-name", c.InformersName),
			option("--applyconfig-name", c.ApplyConfigurationName), option("--applyconfig-openapi-schema", schema),
			option("--applyconfig-externals", strings.Join(pairs(c.ApplyConfigurationExternals), ",")),
			option("--plural-exceptions", strings.Join(pairs(c.PluralExceptions), ",")), []string{at(c.APIs[0])})
	}
	if p.CRDs.Dir != "" {
		var paths []string
		for _, api := range p.APIs {
			paths = append(paths, "paths="+importPath(path.Clean(api), "")+"/...")
		}
		call(`"$GOBIN/controller-gen" crd`, paths, []string{"output:crd:dir=" + at(p.CRDs.Dir)})
	}
	if p.RBAC.Dir != "" {
		call(`cd`, []string{root})
		call(`"$GOBIN/controller-gen"`, []string{"rbac:roleName=" + p.RBAC.RoleName, "paths=./...", "output:rbac:dir=" + at(p.RBAC.Dir)})
	}
	return b.String()
}

// flags puts a flag before each of the values.
func flags(name string, values []string) []string {
	var all []string
	for _, v := range values {
		all = append(all, name, v)
	}
	return all
}

// pairs is a map as the sorted key:value list of upstream's flags.
func pairs(m map[string]string) []string {
	var all []string
	for _, k := range slices.Sorted(maps.Keys(m)) {
		all = append(all, k+":"+m[k])
	}
	return all
}
