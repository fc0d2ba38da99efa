// SPDX-License-Identifier: Apache-2.0

package finding

import (
	"fmt"

	"github.com/crdctl/crdctl/internal/trace"
	"github.com/crdctl/crdctl/internal/view/model"
)

var managedFieldsOnly = &Type{
	Name:  "managed-fields-only",
	Means: "at least 5 versions of an object within 30 seconds differ in managedFields alone: each is delivered to every watch, and nothing changed",
	Fix:   "apply or update only if something differs; use one field manager, with the same set of fields each time",
	needs: []trace.Kind{trace.KindVersion},
	install: func(b base) {
		d := &managedOnly{base: b, of: map[*model.Object]*window{}}
		b.onVersion = append(b.onVersion, d.version)
		b.onTick = append(b.onTick, d.tick)
	},
}

const (
	managedWindow = 30 * second
	managedLeast  = 5
)

type managedOnly struct {
	base

	of map[*model.Object]*window
}

func (d *managedOnly) version(v *model.Version) {
	if !v.ManagedOnly {
		return
	}
	w := windowOf(d.of, v.Object)
	w.add(v.T, v.Seq)
	w.cut(v.T - managedWindow)
	if w.n() < managedLeast {
		return
	}
	d.report(trace.Finding{
		Subject: v.Object.String(), Since: w.first(), Certainty: withWriter(trace.Certain, v), Evidence: w.evidence(),
		Message: fmt.Sprintf("%s: %d versions differ in managedFields only, %s, the newest %s", v.Object, w.total, perSecond(w.rate()), writtenBy(v)),
	}, v.T)
}

func (d *managedOnly) tick(now int64) {
	for o, w := range d.of {
		if now-w.last() > managedWindow {
			delete(d.of, o)
			d.resolve(o.String())
		}
	}
}
