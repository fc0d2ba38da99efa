// SPDX-License-Identifier: Apache-2.0

package bundle

import (
	"bytes"
	"path/filepath"
	"slices"

	"github.com/crdctl/crdctl/internal/safefs"
	"github.com/crdctl/crdctl/internal/tree"
)

// manifestFile is the file of all objects.
const manifestFile = "install.yaml"

// Tree returns the one file of a stream of manifests. Force has a file that others wrote overwritten.
func Tree(stream []byte, force bool) (*tree.Tree, error) {
	t := tree.New()
	own(t, ".", func(path string) bool { return path == manifestFile }, force)
	return t, t.Add(manifestFile, append([]byte(header), stream...))
}

// own has files of a directory belong to the command: those that it wrote and that are no longer needed go.
func own(t *tree.Tree, dir string, match func(path string) bool, force bool) {
	t.Own(tree.Area{
		Dir: dir, Tool: "crdctl manifests", Match: match,
		Owns:     func(_ string, data []byte) bool { return wrote(data) },
		Replaces: func(string, []byte) bool { return force },
		Act:      func([]byte) string { return "choose another directory with --output, or overwrite with --force" },
	})
}

func wrote(data []byte) bool { return bytes.HasPrefix(data, []byte(header)) }

// Wrote reports whether the chart in a directory has templates that crdctl manifests wrote.
func Wrote(dir string) bool {
	return slices.ContainsFunc(files, func(f struct{ name, kinds string }) bool {
		data, err := safefs.ReadFile(filepath.Join(dir, "templates", f.name), safefs.MaxFile)
		return err == nil && wrote(data)
	})
}
