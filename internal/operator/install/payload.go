// SPDX-License-Identifier: Apache-2.0

package install

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

// mountPoint is where the pods find the files of hooks and templates.
const mountPoint = "/etc/crdctl"

// maxConfigMap is how much the files of a ConfigMap may be together. API servers refuse a little more than that, names and
// all the rest of the object included.
const maxConfigMap = 900 << 10

// cargo is what is decided with, packed to be taken along.
type cargo struct {
	dirs  []*packedDir
	flags []string // of run, that name what is in them
	// customizes is what asks for related objects, or empty.
	customizes string
}

// packedDir is a ConfigMap whose files are in one directory of the pods.
type packedDir struct {
	Name    string
	Files   map[string]string // content by key
	origins map[string]string // the key of each file of the project
}

func newPackedDir(name string) *packedDir {
	return &packedDir{Name: name, Files: map[string]string{}, origins: map[string]string{}}
}

// Path is where the pods find a file of the directory.
func (f *packedDir) Path(key string) string { return path.Join(mountPoint, f.Name, key) }

var notInKey = regexp.MustCompile(`[^-._a-zA-Z0-9]`)

// put takes a file of the project into the directory, once, and returns where it will be: under its own name, or where two have the
// same name under the path.
func (f *packedDir) put(file, content string) string {
	if key, ok := f.origins[file]; ok {
		return f.Path(key)
	}
	key := notInKey.ReplaceAllString(path.Base(file), "_")
	for next := strings.TrimLeft(notInKey.ReplaceAllString(file, "_"), "."); ; next += "_" {
		if _, taken := f.Files[key]; !taken {
			break
		}
		key = next
	}
	f.Files[key], f.origins[file] = content, key
	return f.Path(key)
}

// size is what the files are together.
func (f *packedDir) size() (n int) {
	for key, content := range f.Files {
		n += len(key) + len(content)
	}
	return n
}

// add takes a directory along, if there is anything in it.
func (c *cargo) add(f *packedDir) error {
	if len(f.Files) == 0 {
		return nil
	}
	if n := f.size(); n > maxConfigMap {
		return fmt.Errorf("the files of the %s are %d KiB, but a ConfigMap holds at most %d; put them into the image and name their absolute paths there", f.Name, n>>10, maxConfigMap>>10)
	}
	c.dirs = append(c.dirs, f)
	return nil
}

// hash reports whether the files are others than before: then the pods have to be, too. The loop would see that by itself, but
// each replica some other minute, when the kubelet gets to it.
func (c *cargo) hash() string {
	h := sha256.New()
	for _, f := range c.dirs {
		for _, key := range slices.Sorted(maps.Keys(f.Files)) {
			_, _ = fmt.Fprintf(h, "%q %q %q\n", f.Name, key, f.Files[key])
		}
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:8])
}
