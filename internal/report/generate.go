// SPDX-License-Identifier: Apache-2.0

package report

import "github.com/crdctl/crdctl/internal/tree"

// generated is the one object of "generate -o json". As in that of verify, fields may come, none may go or change its meaning. See
// docs/generate.md.
type generated struct {
	DryRun      bool               `json:"dryRun"`
	Files       int                `json:"files"`
	Unchanged   int                `json:"unchanged"`
	Changes     []written          `json:"changes"`
	Generators  []Generator        `json:"generators"`
	NotCompared []tree.NotCompared `json:"notCompared"`
	Notes       []string           `json:"notes"`
	Outdated    bool               `json:"outdated"`
}

type written struct {
	Path      string  `json:"path"`
	Op        tree.Op `json:"op"`
	Generator string  `json:"generator"`
}

// GenerateJSON returns what generate did, or in a dry run would do, as one object.
func (r Report) GenerateJSON(dryRun bool) ([]byte, error) {
	d := generated{
		DryRun: dryRun, Files: r.Files, Unchanged: r.Files, Changes: []written{},
		Generators: append([]Generator{}, r.Generators()...), NotCompared: append([]tree.NotCompared{}, r.NotCompared...),
		Notes: append([]string{}, r.Notes...), Outdated: r.Outdated != "",
	}
	if r.Outdated != "" {
		d.Notes = append(d.Notes, r.Outdated)
	}
	for _, c := range r.Changes {
		if c.Op != tree.Delete {
			d.Unchanged--
		}
		d.Changes = append(d.Changes, written{Path: c.Path, Op: c.Op, Generator: r.maker(c)})
	}
	return encode(d)
}
