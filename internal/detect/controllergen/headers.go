// SPDX-License-Identifier: Apache-2.0

package controllergen

import (
	"path"

	"github.com/crdctl/crdctl/internal/detect/repo"
	"github.com/crdctl/crdctl/internal/detect/scriptline"
)

// readHeaders finds the deep copies of controller-gen that have a header though their call gives them none, where a command adds headers. A
// header that differs from the one of the call may as well be an old one, which the next run changes: that is stale.
func (r *Reader) readHeaders(calls []*genCall, by scriptline.Lines) {
	if len(by) == 0 {
		return
	}
	for _, c := range calls {
		if c.Object == nil || c.Object.HeaderFile != "" {
			continue
		}
		for _, f := range r.Files {
			if f.Generator == Name && path.Base(f.Path) == DeepCopies && covers(c, r.Modules, f.Dir) && repo.NormalHeader(f.Header) != "" {
				r.PostProcess(by.Near(f.Path).On(f.Path))
			}
		}
	}
}
