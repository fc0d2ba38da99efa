// SPDX-License-Identifier: Apache-2.0

package gen

import (
	"errors"
	"sync"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/gen/markerlint"
)

// tagCheck looks for mistakes in tags, while everything else runs.
type tagCheck struct {
	families markerlint.Families
	lenient  bool
	look     func() ([]markerlint.Finding, error) // once
}

func newTagCheck(root string, p *config.Project, o Options) *tagCheck {
	plurals := map[string]string{}
	for _, client := range p.Clients {
		for kind, plural := range client.PluralExceptions {
			plurals[kind] = plural
		}
	}
	// Markers of controller-tools are looked at where controller-tools is what makes the CRDs.
	families := markerlint.Families{Gengo: true, Kubebuilder: p.CRDs.Dir != "", Fields: p.CRDs.Dir != "" || p.OpenAPI.IsSet(), PluralExceptions: plurals}
	c := &tagCheck{families: families, lenient: o.Discovered || p.Markers == config.MarkerNotes}
	c.look = sync.OnceValues(func() ([]markerlint.Finding, error) { return markerlint.Check(root, p.APIs, c.families) })
	return c
}

// MarkerMistake is the first mistake in the markers and tags of a project that would be an error, or "". Which files cannot be read is for
// Generate to report.
func MarkerMistake(root string, p *config.Project) string {
	found, _ := newTagCheck(root, p, Options{}).look()
	return markerlint.First(found)
}

// refusal is the error of all mistakes, and of what could not be read.
func (c *tagCheck) refusal() error {
	_, err := c.look()
	return errors.Join(c.mistakes(), err)
}

// mistakes are those that are certain, whatever could not be read.
func (c *tagCheck) mistakes() error {
	found, _ := c.look()
	if c.lenient {
		return nil
	}
	return markerlint.Refusal(found)
}

// notes are what may not be a mistake, or does not count as one.
func (c *tagCheck) notes() (notes []string) {
	found, _ := c.look()
	for _, f := range found {
		notes = append(notes, f.String())
	}
	return notes
}
