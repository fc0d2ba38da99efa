// SPDX-License-Identifier: Apache-2.0

package gotypes

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/crdctl/crdctl/internal/crdimport/normalize"
	"github.com/crdctl/crdctl/internal/text/goname"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

type schema = apiextensionsv1.JSONSchemaProps

// builder makes the types of one version. Types are written with marks instead of their names, since what a type is
// called depends on what the others are.
type builder struct {
	kind     string
	imports  map[string]string
	types    []*typ
	shared   map[string]int
	losses   []Loss
	problems []error
}

// typ is one type that a schema got.
type typ struct {
	// words of its place, the last of which is the name that it would like; place is that for people.
	words []string
	place string
	text  string
	// suffixes are of the constants that bear the type's name.
	suffixes []string
}

// place is where a schema stands: for people, and for names.
type place struct {
	normalize.Path
	words []string
}

func (p place) field(property string) place {
	return place{p.Field(property), append(p.words[:len(p.words):len(p.words)], goname.Of(property))}
}

func (p place) items() place  { return place{p.Items(), p.singular()} }
func (p place) values() place { return place{p.Values(), p.singular()} }

// singular are the words of a place with the last one for one of many: the items of rules are called Rule.
func (p place) singular() []string {
	if len(p.words) == 0 {
		return []string{"Item"}
	}
	last := len(p.words) - 1
	if !strings.HasSuffix(p.words[last], "s") { // data, which people leave as it is
		return p.words
	}
	return append(p.words[:last:last], goname.Singular(p.words[last]))
}

// lose lists what is lost at a place, by its keyword.
func (b *builder) lose(at place, keyword, what string) {
	b.losses = append(b.losses, Loss{cmp.Or(string(at.Path), "."), keyword + " " + what})
}

// mark stands for the name of a type; self for that of the type in whose text it is.
func mark(id int) string { return "\x02" + strconv.Itoa(id) + "\x03" }

const self = "\x02self\x03"

// declare gives a type to a place: a new one, or the one of the same name that says the same. write makes its text, in
// which it is called self.
func (b *builder) declare(at place, write func(t *typ) string) string {
	id := len(b.types)
	t := &typ{words: at.words, place: string(at.Path)}
	b.types = append(b.types, t) // before those that it needs, as one reads
	t.text = write(t)
	key := at.words[len(at.words)-1]
	if t.fixed() {
		key = string(at.Path) + " " + key
	}
	key += "\n" + bare(t.text)
	if known, ok := b.shared[key]; ok {
		b.types[id] = nil
		return mark(known)
	}
	b.shared[key] = id
	return mark(id)
}

// bare is a text without its comments that are for people.
func bare(text string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(strings.TrimSpace(line), "//"+said) {
			out.WriteString(line)
		}
	}
	return out.String()
}
