// SPDX-License-Identifier: Apache-2.0

package controllergen

import (
	"bytes"
	"path"
	"path/filepath"

	"github.com/crdctl/crdctl/internal/detect/repo"
	"github.com/crdctl/crdctl/internal/safefs"
	"github.com/crdctl/crdctl/internal/text/lazyregexp"
)

// longLine is a description that no release of yaml.v2 but one leaves on one line.
var longLine = lazyregexp.New(`(?m)^ *description: \S.{100,} \S`)

// hasLongLine reports whether a file has such a description.
func (r *Reader) hasLongLine(file string) bool {
	data, err := safefs.ReadFile(filepath.Join(r.Root, filepath.FromSlash(file)), safefs.MaxFile)
	return err == nil && longLine.Match(data)
}

// breaksNoLines is the place of the one release of yaml.v2 that breaks no long lines, where the sums of a module in which controller-gen is called
// have that alone: controller-gen may be built with it, instead of what controller-tools requires. "" if there is none.
func (r *Reader) breaksNoLines(calls []*genCall) string {
	for _, c := range calls {
		_, at := r.Modules.Of(orRoot(c.Dir))
		file := path.Join(at, "go.sum")
		data, err := safefs.ReadFile(filepath.Join(r.Root, filepath.FromSlash(file)), safefs.MaxFile)
		if i := bytes.Index(data, []byte("gopkg.in/yaml.v2 v2.3.0 h1:")); err == nil && i >= 0 && !bytes.Contains(data, []byte("gopkg.in/yaml.v2 v2.4.0 h1:")) {
			return repo.At(file, repo.LineOf(data, i)) + ": gopkg.in/yaml.v2 v2.3.0, which breaks no lines"
		}
	}
	return ""
}
