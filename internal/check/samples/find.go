// SPDX-License-Identifier: Apache-2.0

package samples

import (
	"bytes"
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/crdctl/crdctl/internal/check/project"
	"github.com/crdctl/crdctl/internal/check/rule"
	"github.com/crdctl/crdctl/internal/safefs"
	"github.com/crdctl/crdctl/internal/text/lazyregexp"
)

// source is a file with objects of the project's kinds.
type source struct {
	file     string // relative to the root
	role     role
	objects  []object
	problems []rule.Finding // what of the file could not be read
	// templates is how many documents and items of lists are templates.
	templates int
}

// role is what a file is there for.
type role int

const (
	sample         role = iota // users apply it
	document                   // users copy from it
	proposal                   // it shows what was planned, or how it was in another release
	test                       // it may be wrong on purpose
	counterexample             // its name says that it is wrong on purpose
)

// weigh lowers the severity of findings in files that users do not apply as they are.
func (r role) weigh(found []rule.Finding) []rule.Finding {
	most := map[role]rule.Severity{sample: rule.Error, document: rule.Warning}[r]
	for i := range found {
		found[i].Severity = min(found[i].Severity, most)
	}
	return found
}

// The roles by the words in a path. The first that fits counts.
var roles = []struct {
	words *regexp.Regexp
	role  role
}{
	{regexp.MustCompile(`(?i)(^|[/._-])(invalid|bad|errors?)([/._-]|$)`), counterexample},
	{regexp.MustCompile(`(?i)(^|[/._-])(tests?|testdata|e2e|testing|fixtures?)([/._-]|$)`), test},
	{regexp.MustCompile(`(?i)(^|/)(keps?|geps?|proposals?|designs?|rfcs?|enhancements?|adrs?|release-?notes|changelogs?)([/.]|$)|(^|/)v\d+\.\d+[^/]*/`), proposal},
	{regexp.MustCompile(`(?i)(^|/)(docs?|documentation|site|website|book)/|\.md$`), document},
}

// notOurs are directories of other people's files, and of what is not shipped.
var notOurs = []string{"vendor", "node_modules", "_output", "third_party", "bin", "dist"}

func roleOf(file string) role {
	for _, r := range roles {
		if r.words.MatchString(file) {
			return r.role
		}
	}
	return sample
}

// find reads the files of the project that have objects of its groups.
func find(p *project.Project) ([]source, error) {
	groups := map[string]bool{}
	for _, crd := range p.CRDs {
		groups[crd.Spec.Group] = true
	}
	files, patches, err := list(p.Root)
	if err != nil {
		return nil, err
	}
	var all []source
	for _, file := range files {
		if patches[file] {
			continue
		}
		data, err := safefs.ReadFile(filepath.Join(p.Root, filepath.FromSlash(file)), safefs.MaxFile)
		if errors.Is(err, fs.ErrPermission) || errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if !mentions(data, groups) {
			continue
		}
		s := source{file: file, role: roleOf(file)}
		if path.Ext(file) == ".md" {
			for _, b := range fences(data) {
				s.read(b.text, b.line, b.column, groups)
			}
		} else {
			s.read(data, 1, 1, groups)
		}
		if len(s.objects) > 0 || len(s.problems) > 0 || s.templates > 0 {
			all = append(all, s)
		}
	}
	return all, nil
}

// mentions reports whether a file may have an object of the groups.
func mentions(data []byte, groups map[string]bool) bool {
	if !bytes.Contains(data, []byte("kind")) {
		return false
	}
	for group := range groups {
		if bytes.Contains(data, []byte(group+"/")) {
			return true
		}
	}
	return false
}

// kustomizations are the names that kustomize looks for.
var kustomizations = []string{"kustomization.yaml", "kustomization.yml", "Kustomization"}

// list returns the manifests and the pages of a project, sorted, and those manifests that kustomizations use as patches.
func list(root string) (files []string, patches map[string]bool, err error) {
	patches = map[string]bool{}
	err = filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			if errors.Is(err, fs.ErrPermission) && p != root {
				return fs.SkipDir
			}
			return err
		}
		name := d.Name()
		switch {
		case d.IsDir() && p != root && (strings.HasPrefix(name, ".") || slices.Contains(notOurs, name)):
			return fs.SkipDir
		case !d.Type().IsRegular() || !slices.Contains(kustomizations, name) && !slices.Contains([]string{".yaml", ".yml", ".json", ".md"}, path.Ext(name)):
			return nil
		}
		rel := filepath.ToSlash(strings.TrimPrefix(p, root+string(filepath.Separator)))
		if slices.Contains(kustomizations, name) {
			for _, patch := range patchesOf(p) {
				patches[path.Join(path.Dir(rel), patch)] = true
			}
			return nil
		}
		files = append(files, rel)
		return nil
	})
	return files, patches, err
}

// patchesOf are the files that a kustomization names as patches.
func patchesOf(file string) (all []string) {
	data, err := safefs.ReadFile(file, safefs.MaxFile)
	if err != nil {
		return nil
	}
	var k struct {
		Patches               []struct{ Path string } `yaml:"patches"`
		PatchesJSON6902       []struct{ Path string } `yaml:"patchesJson6902"`
		PatchesStrategicMerge []string                `yaml:"patchesStrategicMerge"`
	}
	if yaml.Unmarshal(data, &k) != nil {
		return nil
	}
	for _, p := range slices.Concat(k.Patches, k.PatchesJSON6902) {
		all = append(all, p.Path)
	}
	return append(all, k.PatchesStrategicMerge...)
}

// fence is a fenced block of a page.
type fence struct {
	text         []byte
	line, column int // of its first line
}

var fenceLine = lazyregexp.New("^([ \t]*)(```+|~~~+)[ \t]*([A-Za-z]*)")

// fences are the blocks of a page that are marked as YAML or JSON, without their indentation. Those with an ellipsis are left out: they
// show a part of an object.
func fences(page []byte) (all []fence) {
	var open []string // of the block that is read
	var block fence
	line := 0
	for text := range strings.Lines(string(page)) {
		line++
		m := fenceLine.FindStringSubmatch(text)
		switch {
		case open == nil && m != nil:
			open = m
			block = fence{line: line + 1, column: 1 + len(m[1])}
		case open != nil && m != nil && strings.HasPrefix(m[2], open[2]) && m[3] == "":
			if slices.Contains([]string{"yaml", "yml", "json"}, strings.ToLower(open[3])) && !ellipsis.Match(block.text) {
				all = append(all, block)
			}
			open = nil
		case open != nil:
			block.text = append(block.text, strings.TrimPrefix(text, open[1])...)
		}
	}
	return all
}

// ellipsis is what stands for a part that is left out, or for a value that the reader has to put in.
var ellipsis = lazyregexp.New(`(?m)\.\.\.|…|\[snip|<[a-zA-Z][\w -]*>`)
