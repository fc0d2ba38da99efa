package gotypes

import (
	"strings"

	"github.com/gobuffalo/flect"

	"github.com/crdctl/crdctl/internal/text/goname"
)

// singular are the words of a place with the last one for one of many: the items of rules are called Rule.
func (p place) singular() []string {
	if len(p.words) == 0 {
		return []string{"Item"}
	}
	words := append([]string(nil), p.words...)
	last := &words[len(words)-1]
	switch one := flect.Singularize(*last); {
	case one == "" || !strings.HasPrefix(*last, one[:1]):
	case strings.HasSuffix(*last, "s") && goname.Of(one) == one:
		*last = one
	}
	return words
}
