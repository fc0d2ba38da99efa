// SPDX-License-Identifier: Apache-2.0

package report

import (
	"bytes"
	"encoding/json"

	"github.com/crdctl/crdctl/internal/tree"
)

// document is the one object of -o json. Scripts read it: fields may come, none may go or change its meaning. See
// docs/verify.md.
type document struct {
	Fresh       bool               `json:"fresh"`
	Files       int                `json:"files"`
	Compared    []string           `json:"compared"`
	Changes     []finding          `json:"changes"`
	Generators  []Generator        `json:"generators"`
	NotCompared []tree.NotCompared `json:"notCompared"`
	Notes       []string           `json:"notes"`
	Outdated    bool               `json:"outdated"`
	Check       *checkDocument     `json:"check,omitempty"` // with --with-check
}

type finding struct {
	Path string `json:"path"`
	Op   Kind   `json:"op"`
	Diff string `json:"diff,omitempty"`
}

// JSON returns the report as one object. Paths are relative to the project.
func (r Report) JSON() ([]byte, error) {
	d := document{
		Fresh: len(r.Changes) == 0, Files: r.Files, Compared: append([]string{}, r.Compared...), Changes: []finding{},
		Generators: append([]Generator{}, r.Generators()...), NotCompared: append([]tree.NotCompared{}, r.NotCompared...),
		Notes: append([]string{}, r.Notes...), Outdated: r.Outdated != "",
	}
	if r.Outdated != "" {
		d.Notes = append(d.Notes, r.Outdated)
	}
	for _, c := range r.Changes {
		f := finding{Path: c.Path, Op: KindOf(c.Op)}
		if !binary(c.Old) && !binary(c.New) {
			f.Diff = c.Patch()
		}
		d.Changes = append(d.Changes, f)
	}
	if r.Check != nil {
		d.Check = r.Check.document()
	}
	return encode(d)
}

func binary(data []byte) bool { return bytes.IndexByte(data, 0) >= 0 }

// encode writes JSON that a person can read too: a diff is full of what would be escaped for a web page.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(v)
	return b.Bytes(), err
}
