package gen

import (
	"github.com/crdctl/crdctl/internal/gen/markers"
	"github.com/crdctl/crdctl/internal/project"
)

// tagCheck looks for mistakes in tags, beside everything else.
type tagCheck struct {
	lenient bool
	done    chan struct{}
	found   []markers.Finding
	err     error
}

func startTagCheck(root string, p *project.Project, o Options) *tagCheck {
	c := &tagCheck{lenient: o.Lenient, done: make(chan struct{})}
	plurals := map[string]string{}
	for _, client := range p.Clients {
		for kind, plural := range client.PluralExceptions {
			plurals[kind] = plural
		}
	}
	// Markers of controller-tools are looked at where controller-tools is what makes the CRDs.
	families := markers.Families{Gengo: true, Kubebuilder: p.CRDs.Dir != "", PluralExceptions: plurals}
	go func() {
		defer close(c.done)
		c.found, c.err = markers.Check(root, p.APIs, families)
	}()
	return c
}

// refusal is the error of all mistakes.
func (c *tagCheck) refusal() error {
	<-c.done
	if c.err != nil || c.lenient {
		return c.err
	}
	return markers.Refusal(c.found)
}

// notes are what is no mistake for sure, or is passed over.
func (c *tagCheck) notes() []string {
	<-c.done
	var notes []string
	for _, f := range c.found {
		notes = append(notes, f.String())
	}
	return notes
}
