// SPDX-License-Identifier: Apache-2.0

package markerlint

import (
	"bytes"
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/gen/codegen"
	"github.com/crdctl/crdctl/internal/safefs"
	"github.com/crdctl/crdctl/internal/workspace"
)

// asking are the tags by which kube_codegen.sh finds the packages to generate for. It looks at line comments alone.
var asking = []string{
	"genclient", "k8s:deepcopy-gen", "k8s:validation-gen", "k8s:defaulter-gen", "k8s:conversion-gen",
}

// gengo checks the tags that code-generator reads.
func (p *pkg) gengo(fields bool) (found []Finding) {
	for _, f := range p.files {
		for _, t := range f.tags {
			if t.family != kubebuilderFamily {
				wrong := p.check(f, t)
				if wrong != nil && t.family == fieldFamily && !fields {
					wrong.severity = Warning
				}
				found = f.find(found, t, wrong)
			}
			if t.inBlock() && !t.retired() && !t.place.has(inBody) {
				found = f.find(found, t, p.inBlock(t).as(Misplaced))
			}
		}
	}
	return found
}

func (p *pkg) check(f *file, t tag) *problem {
	if t.family == fieldFamily {
		if !t.place.has(onField) {
			return nil
		}
		return unknown(strings.TrimSuffix(nameEnd(t.text[1:]), ":"), misspelledField(t.text[1:]))
	}
	name, names := t.name(), k8sTags
	switch t.family {
	case genclientFamily:
		names = genclientTags
	case nameFamily:
		names = nameTags
	}
	switch {
	case !slices.Contains(names, name):
		return p.unknown(t, names)
	case t.family == genclientFamily && t.tabbed:
		return mistake("client-gen does not read +%s after a tab; use a space instead", name)
	case t.family == genclientFamily:
		return cmp.Or(placeOnType(f, t).as(Misplaced), clientValue(t))
	case name == "resourceName":
		return placeOnType(f, t).as(Misplaced)
	case t.family == nameFamily:
		return p.placeOfGroup(f, t).as(Misplaced)
	}
	rule := ruleOf(name)
	if rule.where == onTypes {
		return cmp.Or(placeOnType(f, t).as(Misplaced), p.uncopied(f, t).as(Misplaced), rule.value(f, t))
	}
	wrong := p.placeOfGenerator(f, t, rule).as(Misplaced)
	if rule.where != 0 && !f.isDoc() && !t.place.has(onType|onField|onOther) {
		return wrong // what doc.go says counts
	}
	return cmp.Or(wrong, rule.value(f, t))
}

// unknown is the problem of a name that is not known, and what it was meant to be.
func unknown(name, meant string) *problem {
	p := mistake("unknown tag +%s; did you mean +%s?", name, meant)
	p.about, p.meant, p.written = Unknown, meant, name
	return p
}

func (p *pkg) unknown(t tag, names []string) *problem {
	name := strings.TrimSpace(t.name())
	meant := suggest(t, names)
	switch {
	case slices.Contains(names, strings.TrimRight(name, ".,:")) && t.text == "+"+name: // a sentence that happens to begin its line here
	case isForeign(name):
	case meant != "":
		return unknown(t.shown(), meant)
	case t.family == genclientFamily && t.place.has(onType) && p.client: // client-gen gives up on it
		return mistake("unknown tag +%s; the tags of client-gen are +%s", name, strings.Join(genclientTags, ", +")).as(Unknown)
	case t.family == k8sFamily && strings.HasPrefix(name, "k8s:"):
		return doubt("no generator knows the tag +%s; remove it unless your own tools read it", name).as(Unknown)
	}
	return nil
}

// inBlock judges a tag in a block comment that asks for a generator, in a package in which no line comment does: gengo would read it,
// but the generator never runs.
func (p *pkg) inBlock(t tag) *problem {
	switch name := t.name(); {
	case t.family == kubebuilderFamily && t.place.has(onType|onField):
		return doubt("controller-gen does not read +%s in a block comment; write it in a line comment, // %s", name, t.text)
	case t.family != kubebuilderFamily && slices.Contains(asking, name) && !p.inLines[name] && (name != "genclient" || t.place.has(onType)):
		return mistake("+%s has no effect in a block comment; write it in a line comment, // %s", name, t.text)
	}
	return nil
}

const (
	copyTag       = "k8s:deepcopy-gen"
	interfacesTag = "k8s:deepcopy-gen:interfaces"
	copiesFile    = "zz_generated.deepcopy.go"
)

// uncopied judges a type that is to have DeepCopyObject or the like where deepcopy-gen makes no copies: without the tag of the
// package, the tag of the type has no effect.
func (p *pkg) uncopied(f *file, t tag) *problem {
	k := f.docs[t.group]
	if t.name() != interfacesTag || p.controllerGen || p.controllerTools || p.copyPackage || t.retired() || k == nil || k.tagged(copyTag) || p.hasCopies() {
		return nil
	}
	return mistake("+%s has no effect, because deepcopy-gen skips this package; add // +%s=package to its doc.go, or remove the tag", interfacesTag, copyTag)
}

// hasCopies reports whether a file of the package has DeepCopyObject, other than the one that deepcopy-gen would remove, or cannot
// be read.
func (p *pkg) hasCopies() bool {
	files, err := workspace.Glob(p.abs, "*.go")
	return err != nil || slices.ContainsFunc(files, func(file string) bool {
		src, err := safefs.ReadFile(file, safefs.MaxFile)
		if err != nil {
			return !os.IsNotExist(err)
		}
		left := filepath.Base(file) == copiesFile && codegen.Owns("deepcopy-gen", src)
		return !left && bytes.Contains(src, []byte(") DeepCopyObject("))
	})
}
