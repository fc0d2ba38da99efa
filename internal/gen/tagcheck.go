package gen

import (
	"errors"
	"sync"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/gen/markerlint"
)

// tagCheck looks for mistakes in tags, beside everything else.
type tagCheck struct {
	root     string
	dirs     []string
	families markerlint.Families
	lenient  bool

	once  sync.Once
	done  chan struct{}
	found []markerlint.Finding
	err   error
}

func newTagCheck(root string, p *config.Project, o Options) *tagCheck {
	plurals := map[string]string{}
	for _, client := range p.Clients {
		for kind, plural := range client.PluralExceptions {
			plurals[kind] = plural
		}
	}
	// Markers of controller-tools are looked at where controller-tools is what makes the CRDs.
	families := markerlint.Families{Gengo: true, Kubebuilder: p.CRDs.Dir != "", Fields: p.CRDs.Dir != "" || p.OpenAPI.Dir != "", PluralExceptions: plurals}
	return &tagCheck{root: root, dirs: p.APIs, families: families, lenient: o.Discovered, done: make(chan struct{})}
}

// start begins to look, once.
func (c *tagCheck) start() {
	c.once.Do(func() {
		go func() {
			defer close(c.done)
			c.found, c.err = markerlint.Check(c.root, c.dirs, c.families)
		}()
	})
}

// refusal is the error of all mistakes.
func (c *tagCheck) refusal() error {
	c.start()
	<-c.done
	return errors.Join(c.mistakes(), c.err)
}

// mistakes are those that can be told, whatever could not be read.
func (c *tagCheck) mistakes() error {
	c.start()
	<-c.done
	if c.lenient {
		return nil
	}
	return markerlint.Refusal(c.found)
}

// notes are what is no mistake for sure, or is passed over.
func (c *tagCheck) notes() []string {
	c.start()
	<-c.done
	var notes []string
	for _, f := range c.found {
		notes = append(notes, f.String())
	}
	return notes
}
