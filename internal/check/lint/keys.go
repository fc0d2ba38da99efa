// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"go/types"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/text/lazyregexp"
)

var (
	keyName  = lazyregexp.New(`(Label|Annotation)(Key)?$|^(Label|Annotation)(Key)?[A-Z]`)
	labelled = lazyregexp.New(`^([a-zA-Z0-9.-]+/)?[A-Za-z0-9][A-Za-z0-9._-]*$`)
	dashCase = lazyregexp.New(`^[a-z0-9][a-z0-9.-]*$`)
)

// labelKey judges constants that are keys of labels and annotations by their names.
func labelKey(c constantOf, report reporter) {
	if _, isBasic := c.of.(*types.Basic); !isBasic || !keyName.MatchString(c.name) || !labelled.MatchString(c.value) || strings.Contains(c.name, "Value") {
		return
	}
	prefix, key, ok := strings.Cut(c.value, "/")
	switch {
	case !ok && (strings.Contains(c.value, ".") || slices.Contains([]string{"label", "labels", "annotation", "annotations"}, c.value)):
	case !ok:
		report("label-keys", c.pos, "the key %q has no prefix", c.value)
	case !dashCase.MatchString(key) && !strings.HasSuffix(prefix, "kubernetes.io") && !strings.HasSuffix(prefix, "k8s.io"):
		report("label-keys", c.pos, "the key %q is not in lower case with dashes", c.value)
	}
}

// placeholders are the domains of examples, which no one owns.
var placeholders = lazyregexp.New(`(^|\.)my\.domain$`)

// group judges the name of the package's API group.
func (p *pkg) group(report func(subject string) reporter) {
	for _, f := range p.Syntax {
		for _, g := range f.Comments {
			for _, c := range g.List {
				_, name, ok := strings.Cut(c.Text, "+groupName=")
				if name = strings.TrimSpace(name); !ok || !strings.HasPrefix(strings.TrimLeft(c.Text, "/ \t"), "+") {
					continue
				}
				if placeholders.MatchString(name) {
					report(p.dir)("group-domain", c.Pos(), "the group %s is in the domain of an example", name)
				}
			}
		}
	}
}
