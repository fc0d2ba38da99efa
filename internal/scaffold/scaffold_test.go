// SPDX-License-Identifier: Apache-2.0

package scaffold

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
	"sigs.k8s.io/yaml"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/safefs/safefstest"
	"github.com/crdctl/crdctl/templates"
)

var update = flag.Bool("update", false, "write the golden files anew")

// The whole tree of a scaffold, file by file. What the trees compile to is shown by the e2e tests.
func TestRender(t *testing.T) {
	for name, o := range map[string]APIOptions{
		"crontab": {
			Group: "stable.example.com", Version: "v1beta1", Kind: "CronTab", ShortNames: []string{"ct"},
			Fields: []string{"cronSpec:string", "image:string", "replicas:int32"},
		},
		"cluster": { // another in every respect
			Group: "foo-bar.k8s.io", Version: "v1", Kind: "IPPool", Scope: "cluster", NoStatus: true, Plural: "poolsofip",
			Categories: []string{"all", "net"}, Fields: []string{"podCIDRs:[]string", "ip:*string", "labels:map[string]string"},
		},
		"webhooks": {
			Group: "stable.example.com", Version: "v1", Kind: "CronTab", Fields: []string{"schedule:string", "replicas:int32"}, Defaulting: true, Validation: true,
		},
		"owner": {
			Group: "samplecontroller.k8s.io", Version: "v1alpha1", Kind: "Foo", Owns: []string{"apps/v1/Deployment", "v1/ConfigMap"},
			Fields: []string{"deploymentName:string", "replicas:int32"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			api, err := NewAPI(o)
			require.NoError(t, err)
			p := &Project{Module: "example.com/" + name, Folder: ".", Main: ".", ClientDir: "pkg/client", APIs: []*API{api}}
			files, err := p.Files(templates.FS)
			require.NoError(t, err)
			archive := &txtar.Archive{}
			for _, path := range files.Paths() {
				ofTheKind := strings.HasPrefix(path, "pkg/") || strings.HasPrefix(path, "config/samples/") || strings.HasPrefix(path, "internal/controller/"+api.Controller)
				if name == "webhooks" {
					ofTheKind = strings.Contains(path, "webhook") || strings.HasPrefix(path, "config/deploy/") || path == "Makefile"
				}
				if path == "go.sum" || name != "crontab" && !ofTheKind && path != "crdctl.yaml" && path != "zz_generated.wiring.go" {
					continue // the sums are kept by the go command, and the rest differs in names alone
				}
				data, _ := files.Content(path)
				archive.Files = append(archive.Files, txtar.File{Name: path, Data: data})
			}
			golden := filepath.Join("testdata", name+".txtar")
			got := txtar.Format(archive)
			if *update {
				require.NoError(t, os.WriteFile(golden, got, 0o644))
			}
			assert.Equal(t, safefstest.Read(t, golden), string(got), "the scaffold is not as in %s; look at the difference after go test ./internal/scaffold -update", golden)
		})
	}
}

func TestNewAPIRefuses(t *testing.T) {
	good := APIOptions{Group: "stable.example.com", Version: "v1", Kind: "CronTab"}
	for name, test := range map[string]struct {
		change func(*APIOptions)
		want   string
	}{
		"group without a dot": {func(o *APIOptions) { o.Group = "stable" },
			`--group "stable" must be a domain name in lower case with at least one dot, for example stable.example.com`},
		"group that leads elsewhere": {func(o *APIOptions) { o.Group = "../../etc.x" },
			`--group "../../etc.x" must be a domain name in lower case with at least one dot, for example stable.example.com`},
		"version": {func(o *APIOptions) { o.Version = "1.0" },
			`--version "1.0" must be like v1, v1alpha1 or v1beta2`},
		"kind in lower case": {func(o *APIOptions) { o.Kind = "cronTab" },
			`--kind "cronTab" must be UpperCamelCase of ASCII letters and digits, for example CronTab`},
		"kind of other letters": {func(o *APIOptions) { o.Kind = "Föö" },
			`--kind "Föö" must be UpperCamelCase of ASCII letters and digits, for example CronTab`},
		"kind that is taken": {func(o *APIOptions) { o.Kind = "SchemeBuilder" },
			`--kind "SchemeBuilder" is a name that every API package declares already (register.go); choose another`},
		"kind that is a generator's file": {func(o *APIOptions) { o.Kind = "Generated" },
			`--kind "Generated" is a name that every API package declares already (generated_expansion.go); choose another`},
		"kind that is a keyword": {func(o *APIOptions) { o.Kind = "Type" },
			`--kind "Type" is a Go keyword in lower case, which the generated clients use as a name; choose another`},
		"kind that is too long": {func(o *APIOptions) { o.Kind = strings.Repeat("A", 64) },
			`--kind "` + strings.Repeat("A", 64) + `" has 64 characters; the maximum is 63`},
		"scope": {func(o *APIOptions) { o.Scope = "global" }, `--scope "global" must be Namespaced or Cluster`},
		"plural": {func(o *APIOptions) { o.Plural = "Cron Tabs" },
			`--plural "Cron Tabs" must have at most 63 lower-case letters, digits and hyphens, and start with a letter`},
		"short name": {func(o *APIOptions) { o.ShortNames = []string{"crontab"} },
			`--short-names "crontab" is the plural or the singular already`},
		"a field": {func(o *APIOptions) { o.Fields = []string{"replicas"} },
			`--field "replicas": must be NAME:TYPE, for example replicas:int32`},
		"several at once": {func(o *APIOptions) { o.Group, o.Version = "x", "y" },
			`--group "x" must be a domain name in lower case with at least one dot, for example stable.example.com` + "\n" +
				`--version "y" must be like v1, v1alpha1 or v1beta2`},
	} {
		t.Run(name, func(t *testing.T) {
			o := good
			test.change(&o)
			_, err := NewAPI(o)
			assert.EqualError(t, err, test.want)
		})
	}
}

func TestNames(t *testing.T) {
	for _, test := range []struct{ group, kind, plural, folder, groupGo, goPlural string }{
		{"stable.example.com", "CronTab", "crontabs", "stable", "Stable", "CronTabs"},
		{"gateway.networking.k8s.io", "Gateway", "gateways", "gateway", "Gateway", "Gateways"},
		{"foo-bar.example.com", "Policy", "policies", "foobar", "FooBar", "Policies"},
		{"type.example.com", "HTTPRoute", "httproutes", "grouptype", "Type", "HTTPRoutes"},
		{"3d.example.com", "Class", "classes", "group3d", "Group3d", "Classes"},
		{"internal.example.com", "Series", "series", "groupinternal", "Internal", "Series"},
		{"meta.example.com", "Datum", "data", "groupmeta", "Meta", "Data"},
		{"crddemo.k8s.io", "Mydemo", "mydemos", "crddemo", "Crddemo", "Mydemos"},
		{"a.example.com", "SuperHero", "superheroes", "a", "A", "SuperHeroes"},
	} {
		a, err := NewAPI(APIOptions{Group: test.group, Version: "v1", Kind: test.kind})
		require.NoError(t, err)
		assert.Equal(t, []string{test.plural, test.folder, test.groupGo, test.goPlural}, []string{a.Plural, a.GroupFolder(), a.GroupGoName(), a.GoPlural()}, test.kind)
	}
}

func TestFakeFindsKind(t *testing.T) {
	for _, test := range []struct {
		kind, plural string
		want         bool
	}{
		{"CronTab", "", true}, {"Policy", "", true}, {"Class", "", true}, {"Endpoints", "endpoints", true},
		{"Fish", "", true}, {"IPPool", "poolsofip", false},
		{"Status", "", false}, // which it skips
	} {
		a, err := NewAPI(APIOptions{Group: "stable.example.com", Version: "v1", Kind: test.kind, Plural: test.plural})
		require.NoError(t, err)
		assert.Equal(t, test.want, a.FakeFindsKind(), "%s, %s", test.kind, a.Plural)
	}
}

func TestModulePath(t *testing.T) {
	for _, test := range []struct{ given, existing, folder, want, err string }{
		{"", "", "CronTab Demo", "example.com/crontab-demo", ""},
		{"github.com/you/x", "", "y", "github.com/you/x", ""},
		{"", "github.com/you/x", "y", "github.com/you/x", ""},
		{"a.com/b", "a.com/c", "y", "", `--module "a.com/b" differs from the module of the existing go.mod, a.com/c; omit --module`},
		{"a b", "", "y", "", `--module "a b" is not a module path, for example github.com/you/crontab: malformed import path "a b": invalid char ' '`},
		{"", "", "vendor", "", `the directory's name "vendor" does not make a module path; give one with --module, for example --module github.com/you/crontab`},
		{"", "", "vendors", "example.com/vendors", ""},
		{"a.com/vendor/b", "", "y", "", `--module "a.com/vendor/b" is not a module path, for example github.com/you/crontab: the path element vendor is reserved for vendor directories`},
		{"", "", "日本", "", `the directory's name "日本" does not make a module path; give one with --module, for example --module github.com/you/crontab`},
	} {
		got, err := ModulePath(test.given, test.existing, test.folder)
		if got != test.want || (err == nil) != (test.err == "") || err != nil && err.Error() != test.err {
			t.Errorf("ModulePath(%q, %q, %q) = %q, %v", test.given, test.existing, test.folder, got, err)
		}
	}
}

// What passes the checks makes Go and YAML that can be read again, whatever it is.
func FuzzNewAPI(f *testing.F) {
	f.Add("stable.example.com", "v1", "CronTab", "crontabs", "cronSpec:string")
	f.Add("a.b", "v1alpha1", "Map", "", "type:map[string]int64")
	f.Add("x-y.k8s.io", "v2", "IP", "i-p", "iP:[]bool")
	f.Add("foo-bar.example.com", "v1", "HTTPRoute", "", "rules[].name:string:required:pattern=^`a`\nrules:[]object:+listType=map:+listMapKey=name")
	f.Add("go.example.com", "v1", "Series", "", "func.range:enum(if,for):default=if\nstatus.type:string:+a=*/ +x \\n")
	f.Add("a.example.com", "v1", "Scheme", "", "builder:object:immutable\nbuilder.kind:corev1.PodSpec\ngroup.version:enum(a)")
	f.Fuzz(func(t *testing.T, group, version, kind, plural, fields string) {
		api, err := NewAPI(APIOptions{Group: group, Version: version, Kind: kind, Plural: plural, Fields: strings.Split(fields, "\n")})
		if err != nil {
			return
		}
		p := &Project{Module: "example.com/x", Folder: ".", Main: ".", ClientDir: "pkg/client", APIs: []*API{api}}
		files, err := p.Render(templates.FS)
		// go/format refuses what is not Go
		require.NoError(t, err)
		for _, file := range files.Paths() {
			data, _ := files.Content(file)
			if strings.HasSuffix(file, ".yaml") {
				require.NoError(t, yaml.UnmarshalStrict(data, &map[string]any{}), "%s:\n%s", file, data)
			}
		}
	})
}
