// SPDX-License-Identifier: Apache-2.0

package controllergen

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"github.com/crdctl/crdctl/internal/gen/load"
	"github.com/crdctl/crdctl/internal/safefs"
)

// marks say which generators a package may be something for, by what is written in its files: a parser would say it more
// exactly, and take longer than all the rest.
type marks struct {
	object, rbac, webhook, apply, kind, group bool
	// free is set where a file has no constraints: some file belongs to every build.
	free bool
}

// of reports whether a package must be a root of a generator, to make the same files as with all roots.
func (m marks) of(generator string) bool {
	switch generator {
	case "object":
		return m.object
	case "rbac":
		return m.rbac
	case "webhook":
		return m.webhook
	case "applyconfiguration":
		return m.apply
	}
	return m.kind || m.group
}

// dirs remembers the marks of directories.
type dirs struct {
	mu    sync.Mutex
	known map[string]func() (marks, error)
}

func newDirs() *dirs { return &dirs{known: map[string]func() (marks, error){}} }

// marks reads the files of a directory, once.
func (d *dirs) marks(dir string) (marks, error) {
	d.mu.Lock()
	if d.known[dir] == nil {
		d.known[dir] = sync.OnceValues(func() (marks, error) { return read(dir) })
	}
	once := d.known[dir]
	d.mu.Unlock()
	return once()
}

func read(dir string) (m marks, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return m, err
	}
	var objectMeta, typeMeta bool
	for _, e := range entries {
		if !goFile(e) {
			continue
		}
		name := filepath.Join(dir, e.Name())
		if err := load.Readable(name, e.Type()); err != nil {
			return m, err
		}
		src, err := safefs.ReadFile(name, safefs.MaxFile)
		if err != nil {
			return m, err
		}
		has := func(text string) bool { return bytes.Contains(src, []byte(text)) }
		m.free = m.free || !has("//go:build") && !has("+build") && !has(`"C"`) && !strings.Contains(e.Name(), "_")
		m.object = m.object || has("+kubebuilder:object:") || has("+k8s:deepcopy-gen")
		m.rbac = m.rbac || has("+kubebuilder:rbac")
		m.webhook = m.webhook || has("+kubebuilder:webhook")
		m.apply = m.apply || has("+kubebuilder:ac:")
		m.group = m.group || has("+groupName")
		objectMeta = objectMeta || embeds(src, "ObjectMeta", embedsObjectMeta)
		typeMeta = typeMeta || embeds(src, "TypeMeta", embedsTypeMeta)
	}
	m.kind = objectMeta && typeMeta
	return m, nil
}

// A kind embeds both. What only makes values of kinds, as controllers do, has neither at the beginning of a line.
var embedsObjectMeta, embedsTypeMeta = embedding("ObjectMeta"), embedding("TypeMeta")

// embedding matches a line with a field without a name of a type of any package, and one with another name for that type.
func embedding(name string) *regexp.Regexp {
	return regexp.MustCompile("(^|[{;])\\s*(\\w+\\.)?" + name + "\\s*([`;}/]|$)|^\\s*(type\\s+)?\\w+\\s*=\\s*(\\w+\\.)?" + name + "\\s*$")
}

// embeds reports whether a line of a source that has the name matches. To match the whole source at once takes longer: few lines have the name.
func embeds(src []byte, name string, line *regexp.Regexp) bool {
	if !bytes.Contains(src, []byte(name)) {
		return false
	}
	for l := range bytes.Lines(src) {
		if bytes.Contains(l, []byte(name)) && line.Match(l) {
			return true
		}
	}
	return false
}

// goFile reports whether an entry may be a file of a package.
func goFile(e fs.DirEntry) bool {
	name := e.Name()
	return strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") && name[0] != '_' && name[0] != '.' && !e.IsDir()
}
