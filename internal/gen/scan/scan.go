// SPDX-License-Identifier: Apache-2.0

// Package scan reads the Go files of a project for the tags that ask for generators: which packages ask for what.
//
// It decides nothing: what follows from the tags is for package plan.
package scan

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/crdctl/crdctl/internal/gen/codegen"
	"github.com/crdctl/crdctl/internal/gen/load"
	"github.com/crdctl/crdctl/internal/gen/naming"
	"github.com/crdctl/crdctl/internal/safefs"
	"github.com/crdctl/crdctl/internal/workspace"
)

// tags are those that ask for a generator, as kube_codegen.sh greps for them, by the generator's name in the settings.
// prerelease-lifecycle-gen has no place in that script, and register-gen goes by the group.
var tags = map[string]string{
	"deepcopy":             "+k8s:deepcopy-gen=",
	"validation":           "+k8s:validation-gen=",
	"defaulter":            "+k8s:defaulter-gen=",
	"conversion":           "+k8s:conversion-gen=",
	"register":             "+groupName",
	"prerelease-lifecycle": "+k8s:prerelease-lifecycle-gen=",
	"openapi":              "+k8s:openapi",
	"openapi-gen":          "+k8s:openapi-gen=",
	"client":               "+genclient",
	"rbac":                 "+kubebuilder:rbac:",
}

var (
	kindTag = regexp.MustCompile(`^\+kubebuilder:(object:root=true|resource\b|storageversion|subresource\b)`)
	// reference is a tag that names packages, or types in them, which generators then load.
	reference = regexp.MustCompile(`^\+k8s:[a-z-]+(?::[a-z-]+)?=(\S+[./]\S+)`)
)

// Package is a directory of Go files whose tags ask for something.
type Package struct {
	Dir        string // slash-separated, relative to the root
	ImportPath string

	// Asks are the generators that tags ask for: keys of the table of tags.
	Asks   map[string]bool
	Groups []string
	// Refers are the import paths that tags name.
	Refers []string
}

// Versioned reports whether the directory is named like a version of an API.
func (p Package) Versioned() bool { return naming.VersionDir.MatchString(path.Base(p.Dir)) }

// Scanner finds API packages below directories of a project, reading each file once.
type Scanner struct {
	root    string // absolute
	exclude []string
	modules workspace.ImportPaths
	known   map[string][]Package
	// Sources are the sums of all files that people wrote, by their slash-separated paths below the root.
	Sources map[string][sha256.Size]byte
}

// New returns a scanner of the project in root.
func New(root string, exclude []string) *Scanner {
	return &Scanner{root: root, exclude: exclude, modules: workspace.ImportPaths{}, known: map[string][]Package{}, Sources: map[string][sha256.Size]byte{}}
}

// Below finds the packages below a directory of the project that ask for anything, in the order of their paths' bytes.
func (s *Scanner) Below(api string) ([]Package, error) {
	if known, ok := s.known[api]; ok {
		return known, nil
	}
	top := filepath.Join(s.root, filepath.FromSlash(api))
	if info, err := os.Stat(top); errors.Is(err, fs.ErrNotExist) || err == nil && !info.IsDir() {
		return nil, fmt.Errorf("apis: %s is not a directory of the project; name the directories of the API packages in crdctl.yaml, or with --api-dir", api)
	}
	var files []string
	// The separator makes the walk follow a link that the directory itself may be, as grep does for upstream.
	err := filepath.WalkDir(top+string(filepath.Separator), func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir():
			if skipped(d.Name()) || s.excluded(p) {
				return fs.SkipDir
			}
		case strings.HasSuffix(p, ".go") && d.Type().IsRegular():
			files = append(files, p)
		case strings.HasSuffix(p, ".go"):
			return load.Readable(p, d.Type())
		case d.Type()&fs.ModeSymlink != 0 && !s.excluded(p):
			return s.checkLink(top, p)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("look for API packages: %w", err)
	}
	all, err := s.packages(files)
	if err != nil {
		return nil, fmt.Errorf("look for API packages: %w", err)
	}
	s.known[api] = all
	return all, nil
}

// packages reads files, and gathers what they ask for by package.
func (s *Scanner) packages(files []string) ([]Package, error) {
	read := make([]fileTags, len(files))
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i, file := range files {
		group.Go(func() (err error) {
			read[i], err = readTags(file)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	found := map[string]*Package{}
	for i, file := range files {
		if err := s.add(found, file, read[i]); err != nil {
			return nil, err
		}
	}
	var all []Package
	for _, p := range found {
		all = append(all, *p)
	}
	slices.SortFunc(all, func(a, b Package) int { return strings.Compare(a.Dir, b.Dir) })
	return all, nil
}

// ImportPath returns the import path of a directory of the project.
func (s *Scanner) ImportPath(dir string) (string, error) { return s.modules.Of(s.abs(dir)) }

// Exists reports whether there is a file, as far as that can be determined.
func (s *Scanner) Exists(file string) bool {
	_, err := os.Stat(s.abs(file))
	return !errors.Is(err, fs.ErrNotExist)
}

// MadeByOthers reports whether a file was generated by another tool than the generator.
func (s *Scanner) MadeByOthers(file, generator string) bool {
	data, err := safefs.ReadFile(s.abs(file), safefs.MaxFile)
	return err == nil && codegen.IsGenerated(data) && !codegen.Owns(generator, data)
}

func (s *Scanner) abs(name string) string { return filepath.Join(s.root, filepath.FromSlash(name)) }

func (s *Scanner) excluded(dir string) bool {
	rel, err := filepath.Rel(s.root, dir)
	return err == nil && slices.Contains(s.exclude, filepath.ToSlash(rel))
}

// fileTags are what the tags of a file ask for.
type fileTags struct {
	asks           map[string]bool
	groups, refers []string
	sum            [sha256.Size]byte
	counts         bool // whether the file makes a difference: whether it is hand-written, or has tags
}

func readTags(file string) (fileTags, error) {
	src, err := safefs.ReadFile(file, safefs.MaxFile)
	if err != nil {
		return fileTags{}, err
	}
	t := fileTags{asks: map[string]bool{}}
	for _, line := range tagLines(src) {
		t.add(line)
	}
	if t.counts = len(t.asks)+len(t.groups)+len(t.refers) > 0 || !codegen.IsGenerated(src); t.counts {
		t.sum = sha256.Sum256(src)
	}
	return t, nil
}

// add adds what a file asks for to its package.
func (s *Scanner) add(found map[string]*Package, file string, t fileTags) error {
	rel, err := filepath.Rel(s.root, file)
	if err != nil {
		return err
	}
	rel = filepath.ToSlash(rel)
	if t.counts {
		s.Sources[rel] = t.sum
	}
	if len(t.asks)+len(t.groups)+len(t.refers) == 0 {
		return nil
	}
	dir := path.Dir(rel)
	pkg, ok := found[dir]
	if !ok {
		importPath, err := s.modules.Of(filepath.Dir(file))
		if err != nil {
			return err
		}
		pkg = &Package{Dir: dir, ImportPath: importPath, Asks: map[string]bool{}}
		found[dir] = pkg
	}
	for name := range t.asks {
		pkg.Asks[name] = true
	}
	pkg.Groups = append(pkg.Groups, t.groups...)
	pkg.Refers = append(pkg.Refers, packagesOf(t.refers)...)
	return nil
}

// add adds what a tag asks for.
func (t *fileTags) add(line string) {
	for name, tag := range tags {
		if strings.HasPrefix(line, tag) {
			t.asks[name] = true
		}
	}
	switch {
	case strings.HasPrefix(line, "+kubebuilder:"):
		if kindTag.MatchString(line) {
			t.asks["kinds"] = true
		}
	case strings.HasPrefix(line, "+k8s:"):
		if m := reference.FindStringSubmatch(line); m != nil {
			t.refers = append(t.refers, m[1])
		}
	case strings.HasPrefix(line, "+groupName="):
		if group := notSpace.FindString(line[len("+groupName="):]); group != "" {
			t.groups = append(t.groups, group)
		}
	}
}

var notSpace = regexp.MustCompile(`^\S+`)

var plus = []byte("+")

// tagLines are the lines of a file that are tags by the look of them, from the plus sign on.
func tagLines(src []byte) (lines []string) {
	for len(src) > 0 {
		at := bytes.Index(src, plus)
		if at < 0 {
			break
		}
		start := bytes.LastIndexByte(src[:at], '\n') + 1
		end := bytes.IndexByte(src[at:], '\n')
		if end < 0 {
			end = len(src) - at
		}
		if before := bytes.TrimSpace(src[start:at]); string(before) == "//" {
			lines = append(lines, string(src[at:at+end]))
		}
		src = src[min(at+end+1, len(src)):]
	}
	return lines
}

// packagesOf are the import paths in the values of tags: a value is a list, of packages or of types in them.
func packagesOf(values []string) []string {
	var paths []string
	for _, value := range values {
		for one := range strings.SplitSeq(value, ",") {
			slash, dot := strings.LastIndex(one, "/"), strings.LastIndex(one, ".")
			if slash < 0 {
				continue
			}
			paths = append(paths, one)
			if dot > slash {
				paths = append(paths, one[:dot])
			}
		}
	}
	return paths
}
