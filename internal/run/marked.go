// SPDX-License-Identifier: Apache-2.0

package run

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/fswatch"
	"github.com/crdctl/crdctl/internal/safefs"
	"github.com/crdctl/crdctl/internal/workspace"
)

// marked knows what controller-gen reads of the sources outside the API directories: markers such as +kubebuilder:rbac, and types in
// packages with markers of types. A change of a file that leaves these alone asks for no generating.
type marked struct {
	root  string
	known map[string]map[string]string // what is read of each file, by directory and name
}

// typeMarkers are those of packages whose types are read.
var typeMarkers = [][]byte{[]byte("+kubebuilder:object:"), []byte("+groupName"), []byte("+k8s:deepcopy-gen")}

// newMarked looks at all sources below root.
func newMarked(root string) *marked {
	m := &marked{root: root, known: map[string]map[string]string{}}
	_ = filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && p != root && fswatch.Ignored(d.Name()) {
			return fs.SkipDir // it is not followed either
		}
		if d.IsDir() {
			dir := filepath.ToSlash(below(root, p))
			m.known[dir] = m.read(dir)
		}
		return nil
	})
	return m
}

// changed reports whether a change of sources changed what controller-gen reads, and remembers what it is now.
func (m *marked) changed(c fswatch.Change) (changed bool) {
	for _, file := range c.Sources {
		dir := path.Dir(file)
		now := m.read(dir)
		if !maps.Equal(now, m.known[dir]) {
			changed = true
		}
		m.known[dir] = now
	}
	return changed || c.All
}

// read returns what is read of the files of a directory.
func (m *marked) read(dir string) map[string]string {
	listed, err := workspace.Glob(filepath.Join(m.root, filepath.FromSlash(dir)), "*.go")
	if err != nil {
		return nil
	}
	contents := map[string][]byte{}
	typed := false
	for _, file := range listed {
		name := filepath.Base(file)
		if strings.HasSuffix(name, "_test.go") || strings.HasPrefix(name, "zz_generated.") {
			continue
		}
		data, err := safefs.ReadFile(file, safefs.MaxFile)
		if err != nil {
			continue
		}
		contents[name] = data
		typed = typed || slices.ContainsFunc(typeMarkers, func(marker []byte) bool { return bytes.Contains(data, marker) })
	}
	all := map[string]string{}
	for name, data := range contents {
		if !typed {
			data = markersOf(data)
		}
		if len(data) > 0 {
			all[name] = fmt.Sprintf("%x", sha256.Sum256(data))
		}
	}
	return all
}

// markersOf are the lines of a file that are comments and begin with a plus.
func markersOf(data []byte) (markers []byte) {
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, len(data)+1)
	for lines.Scan() {
		comment, ok := bytes.CutPrefix(bytes.TrimSpace(lines.Bytes()), []byte("//"))
		if comment = bytes.TrimSpace(comment); ok && bytes.HasPrefix(comment, []byte("+")) {
			markers = append(append(markers, comment...), '\n')
		}
	}
	return markers
}
