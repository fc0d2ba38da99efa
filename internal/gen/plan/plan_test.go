// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/gen/scan"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// project is a source without a disk: what the packages of a project ask for, by directory.
type project map[string][]string

func (p project) Below(dir string) (found []scan.Package, err error) {
	for at, asks := range p {
		if dir != "." && at != dir && !strings.HasPrefix(at, dir+"/") {
			continue
		}
		pkg := scan.Package{Dir: at, ImportPath: path.Join("example.com/m", at), Asks: map[string]bool{}, Groups: []string{"g.example.com"}}
		for _, name := range asks {
			pkg.Asks[name] = true
		}
		found = append(found, pkg)
	}
	slices.SortFunc(found, func(a, b scan.Package) int { return strings.Compare(a.Dir, b.Dir) })
	return found, nil
}

func (project) ImportPath(dir string) (string, error) { return path.Join("example.com/m", dir), nil }
func (project) Exists(file string) bool               { return file == "schema.json" }
func (project) MadeByOthers(file, generator string) bool {
	return file == "apis/g/v2/zz_generated.deepcopy.go"
}
func (p project) plan(t *testing.T, version string, o Options, change func(*config.Project)) (*Plan, error) {
	t.Helper()
	settings := &config.Project{APIs: []string{"apis"}, Clients: []config.Client{{Dir: "client", Watch: true}}}
	settings.CRDs.Dir, settings.RBAC.Dir, settings.RBAC.RoleName, settings.OpenAPI.Dir = "crds", "rbac", "manager", "openapi"
	if change != nil {
		change(settings)
	}
	require.NoError(t, settings.Complete("test"))
	return New("/root", settings, version, p, o)
}

// sample has two versions of a group, a package that no client is made for, and a controller.
var sample = project{
	"apis/g/v1":          {"deepcopy", "validation", "openapi", "openapi-gen", "client", "kinds"},
	"apis/g/v2":          {"deepcopy", "openapi", "client", "kinds"},
	"apis/g/internal":    {"deepcopy", "conversion", "client"},
	"apis/g/testdata/v3": {"kinds"},
	"controllers":        {"rbac"},
}

func names(p *Plan) string {
	var all []string
	for _, u := range p.Units {
		var dirs []string
		for _, input := range u.Inputs {
			dirs = append(dirs, strings.TrimPrefix(input, "example.com/m/"))
		}
		if u.Name == "openapi-gen" {
			dirs = dirs[len(dirs)-1:]
		}
		all = append(all, u.Name+" "+strings.Join(dirs, ","))
	}
	return strings.Join(all, "\n")
}

func TestUnits(t *testing.T) {
	const clients = "client-gen apis/g/v1,apis/g/v2\nlister-gen apis/g/v1,apis/g/v2\ninformer-gen apis/g/v1,apis/g/v2"
	const manifests = "crd apis/g/v1,apis/g/v2\nrbac controllers"
	for name, test := range map[string]struct {
		options Options
		change  func(*config.Project)
		want    string
		notes   int
	}{
		"all": {want: "deepcopy-gen apis/g/internal,apis/g/v1,apis/g/v2\nvalidation-gen apis/g/v1\nconversion-gen apis/g/internal\nopenapi-gen apis/g/v2\n" + clients + "\n" + manifests, notes: 1},
		"what another tool made stays its own where the tree is the configuration": {
			options: Options{Discovered: true},
			want:    "deepcopy-gen apis/g/internal,apis/g/v1\nvalidation-gen apis/g/v1\nconversion-gen apis/g/internal\nopenapi-gen apis/g/v2\n" + clients + "\n" + manifests, notes: 2,
		},
		"openapi-gen skips a directory": {
			options: Options{Only: []string{"openapi"}},
			change:  func(p *config.Project) { p.ExcludeFrom = map[string][]string{"openapi": {"apis/g/v2"}} },
			want:    "openapi-gen apis/g/v1",
		},
		"generators by name": {options: Options{Only: []string{"lister", "crd"}}, want: "lister-gen apis/g/v1,apis/g/v2\ncrd apis/g/v1,apis/g/v2"},
		"no client tree": {
			change: func(p *config.Project) { p.Clients, p.OpenAPI.Dir, p.Generators = nil, "", []string{"deepcopy"} },
			want:   "deepcopy-gen apis/g/internal,apis/g/v1,apis/g/v2\n" + manifests,
		},
		"apply configurations come before the clients that use them": {
			change: func(p *config.Project) {
				p.Clients[0].ApplyConfiguration, p.Generators, p.OpenAPI.Dir, p.CRDs.Dir, p.RBAC.Dir, p.RBAC.RoleName = true, []string{"deepcopy"}, "", "", "", ""
			},
			want: "deepcopy-gen apis/g/internal,apis/g/v1,apis/g/v2\napplyconfiguration-gen apis/g/v1,apis/g/v2\n" + clients, notes: 1,
		},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := sample.plan(t, "v0.37.1", test.options, test.change)
			require.NoError(t, err)
			assert.Equal(t, test.want, names(p), "units")
			assert.Len(t, p.Notes, test.notes, "notes")
		})
	}
}

// The directories of a client tree are the generators' even where settings no longer ask for what is in them.
func TestAreasOutliveTheirUnits(t *testing.T) {
	p, err := sample.plan(t, "v0.37.1", Options{}, func(p *config.Project) { p.Clients[0].Watch = false })
	require.NoError(t, err)
	assert.Empty(t, p.Inputs("lister-gen"), "lister-gen runs: %v", p.Units)
	for _, want := range []Area{
		{Dir: "client/listers", Generator: "lister-gen"}, {Dir: "client/applyconfiguration", Generator: "applyconfiguration-gen"},
		{Dir: "apis", Generator: "deepcopy-gen", File: "zz_generated.deepcopy.go"}, {Dir: "crds", Generator: CRD}, {Dir: "rbac", Generator: RBAC},
	} {
		assert.Contains(t, p.Areas, want, "areas")
	}
}

func TestRefuses(t *testing.T) {
	for want, test := range map[string]struct {
		source project
		change func(*config.Project)
	}{
		"no API package in apis": {source: project{"apis/g/v1": {"register"}}},
		"client tree client: applyConfigurationOpenAPISchema: none.json does not exist": {source: sample, change: func(p *config.Project) {
			p.Clients[0].ApplyConfiguration, p.Clients[0].ApplyConfigurationOpenAPISchema = true, "none.json"
		}},
	} {
		_, err := test.source.plan(t, "v0.37.1", Options{}, test.change)
		assert.ErrorContains(t, err, want)
	}
}

// The flags are those that the programs of a version know.
func TestFlagsOfVersions(t *testing.T) {
	for _, test := range []struct {
		version              string
		validation, readOnly bool
		openAPI              int // packages that openapi-gen reads
	}{
		{"v0.31.2", false, false, 4},
		{"v0.34.5", true, false, 4},
		{"v0.35.2", true, false, 6},
		{"v0.37.1", true, true, 6},
		{"a commit", true, true, 6},
	} {
		t.Run(test.version, func(t *testing.T) {
			p, err := sample.plan(t, test.version, Options{}, nil)
			require.NoError(t, err)
			for _, u := range p.Code() {
				readOnly := slices.Contains(u.Flags, "--readonly-pkg")
				assert.Equal(t, test.readOnly && (u.Name == "openapi-gen" || u.Name == "validation-gen"), readOnly, "%s has --readonly-pkg", u.Name)
				if all := strings.Join(u.Flags, " "); strings.Contains(all, "protobuf") || strings.Contains(all, "model-name") {
					t.Errorf("%s has flags without need: %s", u.Name, all)
				}
			}
			if n := len(p.Inputs("openapi-gen")); n != test.openAPI {
				t.Errorf("openapi-gen reads %v, want %d packages", p.Inputs("openapi-gen"), test.openAPI)
			}
			validation := len(p.Inputs("validation-gen")) > 0
			assert.Equal(t, test.validation, validation, "validation-gen runs")
		})
	}
}

// openapi-gen may have a version of its own, which may be older than the flag.
func TestReadOnlyTypes(t *testing.T) {
	settings := &config.Project{Validation: config.Validation{ReadOnlyPackages: []string{"example.com/leaves"}}}
	for version, want := range map[string]bool{"": true, "v0.0.0-20241105132330-32ad38e42d3f": false, "v0.0.0-20260127142750-a19766b6e2d4": false, "v0.0.0-20260317180543-43fb72c5454a": true} {
		settings.OpenAPI.Version = version
		b := &planner{settings: settings, version: "v0.37.1"}
		assert.Equal(t, want, len(b.readOnlyTypes()) > 0, version)
	}
}
