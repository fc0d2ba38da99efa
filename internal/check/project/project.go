// SPDX-License-Identifier: Apache-2.0

// Package project reads what "crdctl check" judges: the CRDs of a project, the Go types that they are made of, and where each field of
// them stands.
//
// It judges nothing, generates nothing, and knows no rules.
package project

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"
	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/detect/repo"
	"github.com/crdctl/crdctl/internal/gen/gofield"
	"github.com/crdctl/crdctl/internal/safefs"
	"github.com/crdctl/crdctl/internal/text"
)

// Project is the API of a project as it is on disk.
type Project struct {
	Root     string // absolute
	Settings *config.Project
	CRDs     []*CRD // by group, kind and file
	// Packages are the directories of the Go packages with API types, relative to the root, sorted.
	Packages []string
	// Undecodable are the CRDs that cannot be judged.
	Undecodable []*UndecodableError
	// Skipped says which files have CRDs and are not judged, with the reason.
	Skipped []string

	repo    *repo.Repo
	kinds   repo.Kinds
	source  *gofield.Source
	copies  []duplicate // of CRDs that files before have
	patches []string    // what was skipped as a patch
	once    sync.Once
	known   map[string]*CRD // by the text of the document, for Parse
	// webhooks are the Go files that have webhooks; see findWebhooks.
	webhooks func() [][]byte
}

// Open reads the project in root, which is a real path. The settings may be those that were detected. Where all that is wrong is that CRDs
// cannot be decoded, there is an error and the project without them.
func Open(root string, settings *config.Project) (*Project, error) {
	r, err := repo.Open(root)
	if err != nil {
		return nil, err
	}
	r.CRDs = slices.DeleteFunc(r.CRDs, func(m repo.Manifest) bool { return m.Patch }) // it has no CRD, and changes one
	p := &Project{Root: root, Settings: settings, repo: r, kinds: r.KindsByGroup(), source: gofield.NewSource()}
	p.webhooks = sync.OnceValue(p.findWebhooks)
	for _, dirs := range p.kinds {
		for dir := range dirs {
			p.Packages = append(p.Packages, dir)
		}
	}
	slices.Sort(p.Packages)
	p.Packages = slices.Compact(p.Packages)
	files, err := p.manifests()
	if err != nil {
		return nil, err
	}
	problem := p.read(files)
	if problem != nil {
		only := false
		if p.Undecodable, only = undecodable(problem); !only {
			return nil, problem
		}
	}
	if len(p.patches) > 0 {
		note := p.patches[0] + " was skipped: without spec.group, spec.names and spec.versions it is a patch"
		if more := len(p.patches) - 1; more > 0 {
			note += fmt.Sprintf("; so %s", text.Count(more, "more CRD", "more CRDs"))
		}
		p.Skipped = append(p.Skipped, note)
	}
	if len(p.copies) > 0 {
		named, other := p.copies[0], ""
		if i := slices.IndexFunc(p.copies, func(d duplicate) bool { return d.other }); i >= 0 {
			named, other = p.copies[i], ", with another spec"
		}
		note := fmt.Sprintf("the CRD %s in %s was skipped: %s has it as well%s", named.name, named.file, named.judged, other)
		if more := len(p.copies) - 1; more > 0 {
			note += fmt.Sprintf("; so %s", text.Count(more, "more CRD", "more CRDs"))
		}
		p.Skipped = append(p.Skipped, note)
	}
	slices.SortStableFunc(p.CRDs, func(a, b *CRD) int { return strings.Compare(a.Name, b.Name) })
	return p, problem
}

// manifests are the files that may have CRDs of the project: those of the directories that generators write to and, where these have none of a
// group, all of that group, unless they are copies for a chart.
func (p *Project) manifests() (files []string, err error) {
	groups := map[string]bool{}
	for _, dir := range p.Settings.CRDDirs() {
		entries, err := os.ReadDir(filepath.Join(p.Root, filepath.FromSlash(dir)))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		for _, e := range entries {
			if !e.IsDir() && slices.Contains([]string{".yaml", ".yml", ".json"}, path.Ext(e.Name())) {
				files = append(files, path.Join(dir, e.Name()))
			}
		}
	}
	for _, m := range p.repo.CRDs {
		if slices.Contains(files, m.Path) {
			groups[groupOf(m)] = true
		}
	}
	named := map[string]bool{}
	candidates := slices.Clone(p.repo.CRDs)
	slices.SortStableFunc(candidates, func(a, b repo.Manifest) int { return copiesLast(a.Path) - copiesLast(b.Path) })
	for _, m := range candidates {
		if groups[groupOf(m)] || named[m.Name] || slices.Contains(files, m.Path) || !p.Declares(groupOf(m), m.Kind) {
			continue
		}
		named[m.Name] = true
		files = append(files, m.Path)
	}
	return files, nil
}

// copies are directories of charts and of releases, whose CRDs are copies as a rule.
var copies = regexp.MustCompile(`(^|/)(charts|templates|([\w-]+-)?releases?)/`)

// copiesLast is 1 for a file of such a directory.
func copiesLast(file string) int {
	if copies.MatchString(file) {
		return 1
	}
	return 0
}

func groupOf(m repo.Manifest) string {
	_, group, _ := strings.Cut(m.Name, ".")
	return group
}

// parsed is what parseFile returns, and the patches that it told of.
type parsed struct {
	crds     []*CRD
	patches  []string
	template bool
	problem  error
}

// parse reads a file of manifests.
func (p *Project) parse(file string) (r parsed) {
	data, err := safefs.ReadFile(filepath.Join(p.Root, filepath.FromSlash(file)), safefs.MaxFile)
	if err != nil {
		return parsed{problem: err}
	}
	r.crds, r.problem = parseFile(file, data, nil, func(c *CRD) {
		r.patches = append(r.patches, fmt.Sprintf("%s:%d: the CRD %s", file, c.Line, cmp.Or(c.Name, "without a name")))
	})
	r.template = r.problem != nil && strings.Contains(string(data), "{{")
	return r
}

// read adds the CRDs of files, which it parses at the same time. One that a file had already is left out, unless that is of v1beta1.
func (p *Project) read(files []string) error {
	all := make([]parsed, len(files))
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i, file := range files {
		group.Go(func() error {
			all[i] = p.parse(file)
			return nil
		})
	}
	_ = group.Wait() // the errors are in all
	var problems []error
	for i, r := range all {
		p.patches = append(p.patches, r.patches...)
		if r.template {
			p.Skipped = append(p.Skipped, files[i]+" was skipped: it is a template")
			continue
		}
		for _, crd := range r.crds {
			if p.isGone(crd) {
				p.Skipped = append(p.Skipped, fmt.Sprintf("the CRD %s in %s was skipped: it is of %s, and no Go type of the project is of its kind", crd.Name, crd.File, crd.APIVersion))
				continue
			}
			if k := slices.IndexFunc(p.CRDs, func(known *CRD) bool { return known.Name == crd.Name }); k >= 0 {
				known := p.CRDs[k]
				if v1 := apiextv1.SchemeGroupVersion.String(); crd.APIVersion == v1 && known.APIVersion != v1 {
					p.CRDs[k], crd, known = crd, known, crd
				}
				known.project = p
				p.copies = append(p.copies, duplicate{crd.Name, crd.File, known.File, !equality.Semantic.DeepEqual(crd.Spec, known.Spec)})
				continue
			}
			crd.project = p
			p.CRDs = append(p.CRDs, crd)
		}
		problems = append(problems, r.problem)
	}
	return errors.Join(problems...)
}

// isGone reports whether the project no longer has a CRD that one of its manifests has: that of an old release is for API servers of that time.
func (p *Project) isGone(crd *CRD) bool {
	return crd.APIVersion != apiextv1.SchemeGroupVersion.String() && !slices.Contains(p.Settings.CRDDirs(), path.Dir(crd.File)) && !p.Declares(crd.Spec.Group, crd.Spec.Names.Kind)
}

// duplicate is a CRD that is left out, and the file whose CRD of that name is judged.
type duplicate struct {
	name, file, judged string
	other              bool // its spec is another one
}

// HasManifest reports whether any manifest of the project, judged or not, is of the CRD with a name.
func (p *Project) HasManifest(name string) bool {
	return slices.ContainsFunc(p.repo.CRDs, func(m repo.Manifest) bool { return m.Name == name })
}

// WithCRDs are the directories in which the repository has CRDs, those with the most first. Those that have only copies for charts and releases
// of CRDs in others are not among them.
func (p *Project) WithCRDs() []string {
	own, n := map[string]bool{}, map[string]int{}
	for _, m := range p.repo.CRDs {
		own[m.Name] = own[m.Name] || copiesLast(m.Path) == 0
	}
	for _, m := range p.repo.CRDs {
		if copiesLast(m.Path) == 0 || !own[m.Name] {
			n[path.Dir(m.Path)]++
		}
	}
	return slices.SortedFunc(maps.Keys(n), func(a, b string) int { return cmp.Or(n[b]-n[a], strings.Compare(a, b)) })
}

// Package is the parsed Go package of a directory below the root.
func (p *Project) Package(dir string) (*gofield.Package, error) {
	return p.source.Package(filepath.Join(p.Root, filepath.FromSlash(dir)))
}

// typesOf is the package with the Go type of a version of a CRD; nil if there is none in the project.
func (p *Project) typesOf(crd *CRD, version string) *gofield.Package {
	var near *gofield.Package
	for _, dir := range p.Packages {
		if _, ok := p.kinds[crd.Spec.Group][dir]; !ok {
			continue
		}
		types, err := p.Package(dir)
		if err != nil || !types.Has(crd.Spec.Names.Kind) {
			continue
		}
		if types.Name == version || path.Base(dir) == version {
			return types
		}
		if len(crd.Spec.Versions) == 1 {
			near = types // its name may be in a marker
		}
	}
	return near
}

// Uses reports whether the project asks for permissions on the resource of a kind: it may be one that another project has in the same group.
func (p *Project) Uses(kind string) bool {
	resource := strings.ToLower(kind)
	return slices.ContainsFunc(p.repo.Files, func(f *repo.GoFile) bool {
		return bytes.Contains(f.Data, rbacMarker) && slices.ContainsFunc(rbacResources.FindAllSubmatch(f.Data, -1), func(m [][]byte) bool {
			return slices.ContainsFunc(strings.Split(string(m[1]), ";"), func(r string) bool { return r == resource+"s" || r == resource+"es" || r == resource })
		})
	})
}

var rbacMarker = []byte("+kubebuilder:rbac:")

// rbacResources are the resources of a marker for permissions.
var rbacResources = regexp.MustCompile(`(?m)^\s*//\s*\+kubebuilder:rbac:.*\bresources=["{]?([a-z0-9./;-]+)`)

// Declares reports whether a Go package of a group declares the type of a kind. A kind may begin with a small letter.
func (p *Project) Declares(group, kind string) bool {
	for dir := range p.kinds[group] {
		if types, err := p.Package(dir); err == nil && (types.Has(kind) || kind != "" && types.Has(strings.ToUpper(kind[:1])+kind[1:])) {
			return true
		}
	}
	return false
}
