// SPDX-License-Identifier: Apache-2.0

package codegen

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"k8s.io/gengo/v2/generator"
	"k8s.io/gengo/v2/types"

	"github.com/crdctl/crdctl/internal/gen/cache"
)

// keepable are the generators of whose targets everything is known that they read: names and tags of all inputs, the packages of the types that their
// generators let through, with all that these import, and the package that they write to. Conversions and defaults also read
// packages that tags name, openapi-gen reads all types.
var keepable = map[string]bool{
	"deepcopy-gen": true, "register-gen": true, "prerelease-lifecycle-gen": true,
	"applyconfiguration-gen": true, "client-gen": true, "lister-gen": true, "informer-gen": true,
}

// Kept has what targets made of the same types in an earlier run, so that after an edit only the targets run that see it. A target
// is a Go package that a generator writes.
type Kept struct {
	store  *cache.Store
	root   string
	common []string

	mu   sync.Mutex
	made []*keptTargets
}

// NewKept uses a store for a project in root, which may be moved. common is all that every target depends on: the program, the
// header, the modules, and so on.
func NewKept(store *cache.Store, root string, common ...string) *Kept {
	return &Kept{store: store, root: root, common: common}
}

// keptTargets are the targets of one run of a generator.
type keptTargets struct {
	generator string
	entry     cache.Key
	signature string
	sums      func(pkg string) string // of a package and all that it imports

	before map[cache.Key][]keptFile
	now    map[cache.Key][]keptFile
	byFile map[string]cache.Key // the targets of the files of this run that have to be formatted
}

// keptFile is a formatted file in the directory of its target.
type keptFile struct {
	Name    string
	Content []byte
}

// of returns the targets of a generator; nil where they cannot be kept.
func (k *Kept) of(g Generator, s *source, u types.Universe) *keptTargets {
	if k == nil || !keepable[g.Name] || s.graph.Local == nil {
		return nil
	}
	flags := slices.Clone(g.Flags)
	if at := slices.Index(flags, "--openapi-schema"); at >= 0 && at+1 < len(flags) {
		flags[at+1] = "" // only a target that is not kept reads its content
	}
	h := cache.NewHash("targets")
	h.Add(k.common...)
	h.Add(g.Name, strings.ReplaceAll(strings.Join(flags, "\x00"), k.root, ""))
	h.Add(g.Inputs...)
	t := &keptTargets{generator: g.Name, entry: h.Key(), signature: namesAndTags(u, g.Inputs), sums: s.sums(), now: map[cache.Key][]keptFile{}, byFile: map[string]cache.Key{}}
	k.store.Get(t.entry, &t.before)
	k.mu.Lock()
	defer k.mu.Unlock()
	k.made = append(k.made, t)
	return t
}

// Save keeps the targets of runs that succeeded, given all their formatted files.
func (k *Kept) Save(files []File) error {
	byPath := make(map[string][]byte, len(files))
	for _, f := range files {
		byPath[f.Path] = f.Content
	}
	for _, t := range k.made {
		if len(t.byFile) == 0 && len(t.now) == len(t.before) {
			continue // all of it is there
		}
		for _, path := range slices.Sorted(maps.Keys(t.byFile)) {
			key := t.byFile[path]
			t.now[key] = append(t.now[key], keptFile{filepath.Base(path), byPath[path]})
		}
		if err := k.store.Put(t.entry, t.now); err != nil {
			return err
		}
	}
	return nil
}

// key is that of a target, by what it reads, given its generators and the types that its filter let through. The generators are not
// used otherwise: some let only the first type through that they are asked about.
func (t *keptTargets) key(target generator.Target, generators []generator.Generator, c *generator.Context) (key cache.Key, ok bool) {
	h := cache.NewHash("target")
	h.Add(t.signature, target.Path(), target.Name(), t.sums(target.Path()))
	packages := map[string]bool{}
	for _, g := range generators {
		h.Add(g.Name(), g.Filename(), g.FileType())
		if _, doc := g.(generator.GoGenerator); doc {
			continue // it lets all types through and reads none
		}
		for _, one := range c.Order {
			if !g.Filter(c, one) {
				continue
			}
			if t.generator == "applyconfiguration-gen" && g.Filename() != strings.ToLower(one.Name.Name)+".go" {
				return key, false // of all types that others refer to, or of the schema
			}
			if g.Filter(c, one) { // if not, it is called once and reads what the signature has
				packages[one.Name.Package] = true
				h.Add(one.Name.String())
			}
		}
	}
	for _, path := range slices.Sorted(maps.Keys(packages)) {
		h.Add(path, t.sums(path))
	}
	return h.Key(), true
}

// take returns the files of a target with a key, if they are there, and keeps them.
func (t *keptTargets) take(key cache.Key) ([]keptFile, bool) {
	files, ok := t.before[key]
	if ok {
		t.now[key] = files
	}
	return files, ok
}

// namesAndTags is the sum of what targets read of the inputs beyond the packages of their own types: names, tags, embedded types.
func namesAndTags(u types.Universe, inputs []string) string {
	h := cache.NewHash("signature")
	tags := func(lines []string) {
		for _, line := range lines {
			if strings.HasPrefix(strings.TrimSpace(line), "+") {
				h.Add(line)
			}
		}
	}
	for _, path := range slices.Sorted(slices.Values(inputs)) {
		pkg := u[path]
		if pkg == nil {
			continue
		}
		h.Add(path, pkg.Name)
		tags(pkg.DocComments)
		tags(pkg.Comments)
		for _, name := range slices.Sorted(maps.Keys(pkg.Types)) {
			one := pkg.Types[name]
			h.Add(name, string(one.Kind))
			tags(one.CommentLines)
			tags(one.SecondClosestCommentLines)
			h.Add(slices.Sorted(maps.Keys(one.Methods))...)
			for _, m := range one.Members {
				if m.Embedded { // informer-gen looks at the ObjectMeta of a type in all packages
					h.Add(m.Type.Name.String(), m.Tags)
				}
			}
		}
	}
	key := h.Key()
	return string(key[:])
}

// sums returns the function for the sum of a package and of all that it imports, without what cannot change: modules in the module
// cache, of which the versions count.
func (s *source) sums() func(string) string {
	known := map[string]string{}
	own := func(path string) string {
		pkg := s.graph.Packages[path]
		if pkg == nil || len(pkg.GoFiles) == 0 {
			return ""
		}
		h := cache.NewHash("package")
		for _, file := range s.graph.Local[filepath.Dir(pkg.GoFiles[0])] {
			h.Add(file.Name, string(file.Sum[:]))
		}
		key := h.Key()
		return string(key[:])
	}
	return func(path string) string {
		if sum, ok := known[path]; ok {
			return sum
		}
		all := map[string]bool{path: true}
		for queue := []string{path}; len(queue) > 0; queue = queue[1:] {
			if pkg := s.graph.Packages[queue[0]]; pkg != nil {
				for _, imported := range pkg.Imports {
					if imported != nil && !all[imported.PkgPath] {
						all[imported.PkgPath] = true
						queue = append(queue, imported.PkgPath)
					}
				}
			}
		}
		h := cache.NewHash("packages")
		for _, one := range slices.Sorted(maps.Keys(all)) {
			h.Add(one, own(one))
		}
		key := h.Key()
		known[path] = fmt.Sprintf("%x", key[:])
		return known[path]
	}
}
