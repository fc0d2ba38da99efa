// SPDX-License-Identifier: Apache-2.0

package upstream

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/e2e/internal/testcache"
	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/gen/codegen"
	"github.com/crdctl/crdctl/internal/gen/crdform"
	"github.com/crdctl/crdctl/internal/gen/gentest"
	"github.com/crdctl/crdctl/internal/workspace"
)

// upstream is upstream's kube_codegen.sh and a directory of the programs that it installs, both found when they are needed.
type upstream struct {
	once      sync.Once
	root, bin string
	err       error
}

// versions are all that upstream's output depends on besides the project.
var versions = []string{codegen.Version, crdform.Version, runtime.Version()}

// prepare finds the script in the module cache, and builds what it does not build itself.
func (u *upstream) prepare(ctx context.Context) error {
	u.once.Do(func() {
		out, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", "k8s.io/code-generator").Output()
		if err != nil {
			u.err = fmt.Errorf("find code-generator: %w", err)
			return
		}
		u.root = strings.TrimSpace(string(out))
		if !strings.HasSuffix(u.root, "@"+codegen.Version) {
			u.err = fmt.Errorf("code-generator is %s, and crdctl says that it is %s", u.root, codegen.Version)
			return
		}
		u.bin, u.err = testcache.Dir("generators", versions, func(dir string) error {
			said, err := u.command(ctx, dir, dir, "GOWORK=off", `
		go install sigs.k8s.io/controller-tools/cmd/controller-gen@`+crdform.Version+`
		cd "$CODEGEN_ROOT"
		go install ./cmd/{applyconfiguration,client,conversion,deepcopy,defaulter,informer,lister,prerelease-lifecycle,register,validation}-gen
		go install k8s.io/kube-openapi/cmd/openapi-gen`)
			if err != nil {
				return fmt.Errorf("build upstream's generators: %w\n%s", err, said)
			}
			return nil
		})
	})
	return u.err
}

// output is what upstream does with a project.
type output struct {
	// Err is how the script ended, if not well, and Said what it printed.
	Err, Said string
	// Written are the files that it wrote, Removed those that it took away.
	Written map[string]string
	Removed []string
}

// output runs what the project's own script would, in a copy of the fixture that is laid out at root, unless it has
// run for the same project before.
func (u *upstream) output(t *testing.T, f gentest.Fixture, root string) *output {
	t.Helper()
	before := content(t, root)
	text := script(t, root, gentest.Settings(t, root))
	key := keyOf(before, prelude, strings.ReplaceAll(text, root, "ROOT"), f.Module, fmt.Sprint(f.Workspace, f.Linked, f.Name))
	data, err := testcache.Bytes("upstream", key, func() ([]byte, error) {
		if err := u.prepare(t.Context()); err != nil {
			return nil, err
		}
		root := f.Lay(t)
		var o output
		work := "GOWORK=off"
		if f.Workspace {
			work = "GOWORK="
		}
		said, err := u.command(t.Context(), filepath.Join(root, f.Module), u.bin, work, prelude+script(t, root, gentest.Settings(t, root)))
		if o.Said = said; err != nil {
			o.Err = err.Error()
		}
		o.Written = content(t, root)
		for path, data := range before {
			now, ok := o.Written[path]
			if !ok {
				o.Removed = append(o.Removed, path)
			} else if now == data {
				delete(o.Written, path)
			}
		}
		return json.Marshal(o)
	})
	require.NoError(t, err)
	var o output
	require.NoError(t, json.Unmarshal(data, &o))
	return &o
}

// prelude spares kube_codegen.sh what it does first in each of its functions, to install the generators; "tagged TAG
// DIR" is how it finds packages.
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

// keyOf is all that upstream's output depends on: the files that it reads, its version, and the year in its headers.
func keyOf(files map[string]string, more ...string) []string {
	key := slices.Concat(versions, more, []string{fmt.Sprint(time.Now().UTC().Year())})
	for _, path := range slices.Sorted(maps.Keys(files)) {
		key = append(key, path, files[path])
	}
	return key
}

// command runs a script with upstream's programs in bin.
func (u *upstream) command(ctx context.Context, dir, bin, work, text string) (string, error) {
	cmd := exec.CommandContext(ctx, "bash", "-c", "set -o errexit\n"+text)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "CODEGEN_ROOT="+u.root, "GOBIN="+bin, "GOFLAGS=", work)
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
		require.NoError(t, err)
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
	for _, c := range p.OpenAPI.Calls {
		call(`"$GOBIN/openapi-gen"`, option("--go-header-file", at(p.Boilerplate)), option("--output-dir", at(c.Dir)),
			option("--output-pkg", importPath(c.Dir, c.Package)), option("--output-file", cmp.Or(c.File, config.OpenAPIFile)), option("--report-filename", "/dev/null"), c.Packages)
	}
	for _, c := range p.Clients {
		require.Len(t, c.APIs, 1, "client tree %s: gen_client takes one folder", c.Dir)
		var on []string
		for name, is := range map[string]bool{"--with-watch": c.Watch, "--with-applyconfig": c.ApplyConfiguration, "--prefers-protobuf": c.PrefersProtobuf} {
			if is {
				on = append(on, name)
			}
		}
		slices.Sort(on) // the text is a part of the key of what upstream writes
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
func flags(name string, values []string) (all []string) {
	for _, v := range values {
		all = append(all, name, v)
	}
	return all
}

// pairs is a map as the sorted key:value list of upstream's flags.
func pairs(m map[string]string) (all []string) {
	for _, k := range slices.Sorted(maps.Keys(m)) {
		all = append(all, k+":"+m[k])
	}
	return all
}
