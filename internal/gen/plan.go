package gen

import (
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"github.com/crdctl/crdctl/internal/gen/codegen"
	"github.com/crdctl/crdctl/internal/project"
)

// Plan is what a generation will do: which generators run, in which order, on which packages.
type Plan struct {
	// Generators are those that write Go code, in the order in which they run.
	Generators []codegen.Generator
	// Load are the import paths of the packages that the generators read.
	Load []string
	// CRDs are the import paths of the packages whose kinds get a CustomResourceDefinition.
	CRDs []string
	// Notes say what the tags ask for and nothing is generated of, which upstream's script passes over in silence.
	Notes []string

	areas  []codeArea
	groups []string // of all API packages
}

// codeArea is a place where the files of one generator are all that generator's.
type codeArea struct {
	dir       string // slash-separated, relative to the root
	generator string
	// file is the one file that the generator writes in each folder; empty if it writes any Go file.
	file string
}

// NewPlan decides from the settings and from the tags in the API packages. It reads files and runs nothing.
func NewPlan(root string, p *project.Project) (*Plan, error) {
	pkgs, err := scan(root, p.APIs)
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(pkgs, apiPackage.asks) {
		return nil, fmt.Errorf("no API package in %s: no Go file there asks for anything with +genclient, +k8s:deepcopy-gen or +kubebuilder tags", strings.Join(p.APIs, ", "))
	}
	plan := &Plan{}
	for _, pkg := range pkgs {
		plan.groups = append(plan.groups, pkg.groups...)
		plan.note(pkg)
	}
	if deepCopy := importPaths(pkgs, func(a apiPackage) bool { return a.deepCopy }); len(deepCopy) > 0 {
		plan.add(codegen.DeepCopy(deepCopy, nil))
	}
	for _, api := range p.APIs {
		plan.areas = append(plan.areas, codeArea{dir: api, generator: "deepcopy-gen", file: codegen.DeepCopyFile})
	}
	for _, c := range p.Clients {
		if err := plan.addClient(root, c); err != nil {
			return nil, fmt.Errorf("client tree %s: %w", c.Dir, err)
		}
	}
	if p.CRDs.Dir != "" {
		plan.CRDs = importPaths(pkgs, func(a apiPackage) bool { return (a.client || a.kinds) && a.versioned() })
	}
	return plan, nil
}

// note says what a package asks for in vain.
func (p *Plan) note(pkg apiPackage) {
	slices.Sort(pkg.others)
	for _, other := range slices.Compact(pkg.others) {
		p.Notes = append(p.Notes, fmt.Sprintf("%s: its tags ask for %s, which crdctl does not run yet; run upstream's", pkg.dir, other))
	}
	if pkg.client && !pkg.versioned() {
		p.Notes = append(p.Notes, fmt.Sprintf("%s: +genclient is passed over; clients are made for folders named like v1, v1alpha1 or v1beta2", pkg.dir))
	}
	if pkg.kinds && !pkg.versioned() {
		p.Notes = append(p.Notes, fmt.Sprintf("%s: no CRD is made; they are made for folders named like v1, v1alpha1 or v1beta2", pkg.dir))
	}
}

func (p *Plan) add(g codegen.Generator) {
	p.Generators = append(p.Generators, g)
	for _, in := range g.Inputs {
		if !slices.Contains(p.Load, in) {
			p.Load = append(p.Load, in)
		}
	}
	sort.Strings(p.Load)
}

// addClient adds the generators of a client tree, in the order of kube_codegen.sh.
func (p *Plan) addClient(root string, c project.Client) error {
	var apis []string
	for _, api := range c.APIs {
		apis = append(apis, path.Join(api, c.OneInputAPI))
	}
	pkgs, err := scan(root, apis)
	if err != nil {
		return err
	}
	tree := codegen.ClientTree{
		Dir:              filepath.Join(root, filepath.FromSlash(c.Dir)),
		Package:          c.Package,
		APIs:             importPaths(pkgs, func(a apiPackage) bool { return a.client && a.versioned() }),
		ClientsetName:    c.ClientsetName,
		VersionedName:    c.VersionedName,
		ListersName:      c.ListersName,
		InformersName:    c.InformersName,
		Externals:        pairs(c.ApplyConfigurationExternals),
		PluralExceptions: pairs(c.PluralExceptions),
		PrefersProtobuf:  c.PrefersProtobuf,
		Fake:             *c.FakeClientset,
		LintRules:        c.LintRules,
	}
	if tree.Package == "" {
		if tree.Package, err = (moduleFinder{}).importPath(tree.Dir); err != nil {
			return err
		}
	}
	// All four folders are the generators', whether the settings ask for them or no longer do.
	for folder, generator := range map[string]string{
		c.ClientsetName: "client-gen", c.ApplyConfigurationName: "applyconfiguration-gen",
		c.ListersName: "lister-gen", c.InformersName: "informer-gen",
	} {
		p.areas = append(p.areas, codeArea{dir: path.Join(c.Dir, folder), generator: generator})
	}
	makers := []func(codegen.ClientTree) (codegen.Generator, error){codegen.Clientset}
	if c.ApplyConfiguration {
		tree.ApplyConfigurationName = c.ApplyConfigurationName
		makers = slices.Insert(makers, 0, codegen.ApplyConfigurations)
	}
	if c.Watch {
		makers = append(makers, codegen.Listers, codegen.Informers)
	}
	if len(tree.APIs) == 0 {
		return nil // as upstream; what is left over of it is removed
	}
	for _, maker := range makers {
		g, err := maker(tree)
		if err != nil {
			return err
		}
		p.add(g)
	}
	return nil
}

func importPaths(pkgs []apiPackage, want func(apiPackage) bool) []string {
	var paths []string
	for _, p := range pkgs {
		if want(p) {
			paths = append(paths, p.importPath)
		}
	}
	return paths
}

// pairs turns a map into the sorted key:value list of upstream's flags.
func pairs(m map[string]string) []string {
	var all []string
	for _, k := range slices.Sorted(maps.Keys(m)) {
		all = append(all, k+":"+m[k])
	}
	return all
}
