package gen

import (
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/gen/codegen"
	"github.com/crdctl/crdctl/internal/gen/markerlint"
)

// Plan is what a generation will do: which generators run, in which order, with which flags, on which packages.
type Plan struct {
	// Generators are those that write Go code, in the order in which they run.
	Generators []codegen.Generator
	// Load are the import paths of the packages that the generators read. MayLoad are what tags name, of which they ask
	// for some while they run: packages, if there are such.
	Load, MayLoad []string
	// CRDs and RBAC are the import paths of the packages whose kinds get a CustomResourceDefinition, and of those
	// whose markers say what the controller may do.
	CRDs, RBAC []string
	// Notes say what the tags ask for and nothing is generated of, which upstream's script passes over in silence.
	Notes []string

	areas []codeArea
	// sources are the sums of the files in the API folders; reads are other files of the project that count.
	sources map[string][sha256.Size]byte
	reads   []string
	version Generators // that the plan is for
	ownCRDs bool
	ownRole bool
	groups  []string // of all API packages
	// crdDirs and clientTrees say of which packages there are CRDs and clients, whichever generators run this time.
	crdDirs     []string
	clientTrees []markerlint.ClientTree
}

// codeArea is a place where the files of one generator are all that generator's.
type codeArea struct {
	dir       string // slash-separated, relative to the root
	generator string
	// file is the one file that the generator writes in each folder; empty if it writes any Go file.
	file string
}

// planner makes a plan.
type planner struct {
	*Plan
	root     string
	settings *config.Project
	only     []string // the generators that were asked for by name; empty for all
	scan     *scanner
	apis     []apiPackage // of all API folders

	discovered bool // see Options
}

// NewPlan decides from the settings and from the tags in the API packages. It reads files and runs nothing.
func NewPlan(root string, p *config.Project, o Options) (*Plan, error) {
	b := &planner{Plan: &Plan{}, root: root, settings: p, only: o.Only, discovered: o.Discovered, scan: newScanner(root, p.Exclude)}
	var err error
	if b.version, err = VersionFor(root, p); err != nil {
		return nil, err
	}
	for _, api := range p.APIs {
		found, err := b.scan.below(api)
		if err != nil {
			return nil, err
		}
		b.addHelpers(api, found)
		b.apis = append(b.apis, found...)
	}
	pkgs := b.apis
	external := slices.ContainsFunc(p.Clients, func(c config.Client) bool { return len(c.Packages) > 0 })
	if !external && !slices.ContainsFunc(pkgs, apiPackage.generates) {
		return nil, fmt.Errorf("no API package in %s: no Go file there asks for anything with +genclient, +k8s:deepcopy-gen or +kubebuilder tags; add them, or name other folders in crdctl.yaml or with --api-dir", strings.Join(p.APIs, ", "))
	}
	for _, pkg := range pkgs {
		b.groups = append(b.groups, pkg.groups...)
		b.MayLoad = append(b.MayLoad, pkg.refers...)
		b.note(pkg)
	}
	b.noteLifecycle(pkgs)
	if err := b.addOpenAPI(pkgs); err != nil {
		return nil, err
	}
	for _, c := range p.Clients {
		if err := b.addClient(c); err != nil {
			return nil, fmt.Errorf("client tree %s: %w", c.Dir, err)
		}
	}
	if p.CRDs.Dir != "" {
		b.crdDirs = dirs(pkgs, apiPackage.hasKinds)
	}
	if p.CRDs.Dir != "" && b.wants("crd") {
		b.ownCRDs = true
		b.CRDs = importPaths(pkgs, apiPackage.hasKinds)
		b.need(b.CRDs...) // their files count, whatever else is generated
	}
	if p.RBAC.Dir != "" && b.wants("rbac") {
		b.ownRole = true
		all, err := b.scan.below(".")
		if err != nil {
			return nil, err
		}
		b.RBAC = importPaths(all, func(a apiPackage) bool { return a.asks["rbac"] && !a.ignored() })
	}
	b.sources = b.scan.sources
	slices.Sort(b.Load)
	b.Load = slices.Compact(b.Load)
	return b.Plan, nil
}

// generates tells whether the package asks for anything at all that is generated.
func (p apiPackage) generates() bool {
	for name := range p.asks {
		if name != "register" && name != "rbac" {
			return true
		}
	}
	return false
}

// hasKinds tells whether the package may have kinds that get a CRD.
func (p apiPackage) hasKinds() bool {
	return (p.asks["client"] || p.asks["kinds"]) && p.versioned() && !p.ignored()
}

// ignored reports whether the package is in a directory that "./..." leaves out, and controller-gen with it: kube_codegen.sh's
// generators find it all the same.
func (p apiPackage) ignored() bool {
	return slices.ContainsFunc(strings.Split(p.dir, "/"), func(part string) bool {
		return part != "." && (part[0] == '_' || part[0] == '.' || part == "testdata")
	})
}

// noteLifecycle says, once, that lifecycles are asked for and not made.
func (b *planner) noteLifecycle(pkgs []apiPackage) {
	if slices.Contains(b.settings.Generators, "prerelease-lifecycle") {
		return
	}
	var asked []string
	for _, pkg := range pkgs {
		if pkg.asks["prerelease-lifecycle"] {
			asked = append(asked, pkg.dir)
		}
	}
	if n := len(asked); n > 0 {
		where := asked[0]
		if n > 1 {
			where = fmt.Sprintf("%s and %d more", where, n-1)
		}
		b.say("%s: +k8s:prerelease-lifecycle-gen is passed over; add prerelease-lifecycle to generators in crdctl.yaml if it is meant", where)
	}
}

// note says what a package asks for in vain.
func (b *planner) note(pkg apiPackage) {
	if pkg.asks["client"] && !pkg.versioned() && len(b.settings.Clients) > 0 {
		b.say("%s: +genclient is passed over; clients are made for folders named like v1, v1alpha1 or v1beta2", pkg.dir)
	}
	if pkg.asks["kinds"] && !pkg.versioned() && b.settings.CRDs.Dir != "" {
		b.say("%s: no CRD is made; they are made for folders named like v1, v1alpha1 or v1beta2", pkg.dir)
	}
}

func (b *planner) say(format string, args ...any) {
	if len(b.only) == 0 {
		b.Notes = append(b.Notes, fmt.Sprintf(format, args...))
	}
}

// wants tells whether a generator is to run, by its short name.
func (b *planner) wants(name string) bool { return len(b.only) == 0 || slices.Contains(b.only, name) }

// add adds a generator, unless it has nothing to read.
func (b *planner) add(name string, flags, inputs []string) {
	if len(inputs) > 0 {
		b.Generators = append(b.Generators, codegen.Generator{Name: name + "-gen", Flags: flags, Inputs: inputs})
		b.need(inputs...)
	}
}

// need notes packages that are loaded whole.
func (p *Plan) need(paths ...string) { p.Load = append(p.Load, paths...) }

// inputs are the import paths of the packages that generators of a name read.
func (p *Plan) inputs(name string) (paths []string) {
	for _, one := range p.Generators {
		if one.Name == name {
			paths = append(paths, one.Inputs...)
		}
	}
	return paths
}

func (b *planner) abs(dir string) string { return filepath.Join(b.root, filepath.FromSlash(dir)) }

// packageOf is the import path of a folder, unless the settings say it.
func (b *planner) packageOf(dir, said string) (string, error) {
	if said != "" {
		return said, nil
	}
	return b.scan.modules.importPath(b.abs(dir))
}

func importPaths(pkgs []apiPackage, want func(apiPackage) bool) []string {
	var paths []string
	for _, p := range pkgs {
		if want(p) && !slices.Contains(paths, p.importPath) {
			paths = append(paths, p.importPath)
		}
	}
	return paths
}

// dirs are the folders of some of the packages, each once.
func dirs(pkgs []apiPackage, want func(apiPackage) bool) []string {
	var all []string
	for _, p := range pkgs {
		if want(p) && !slices.Contains(all, p.dir) {
			all = append(all, p.dir)
		}
	}
	return all
}

func asking(name string) func(apiPackage) bool {
	return func(p apiPackage) bool { return p.asks[name] }
}

// flags puts a flag before each of the values.
func flags(name string, values []string) []string {
	var all []string
	for _, v := range values {
		all = append(all, name, v)
	}
	return all
}
