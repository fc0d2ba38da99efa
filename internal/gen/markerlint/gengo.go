package markerlint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/text"
)

// gengo checks the tags that code-generator reads.
func (p *pkg) gengo(fields bool) []Finding {
	var found []Finding
	for _, f := range p.files {
		for _, t := range f.tags {
			if t.family == kubebuilderFamily {
				continue
			}
			if s, message := p.check(f, t); message != "" {
				if t.family == fieldFamily && !fields {
					s = Warning
				}
				found = append(found, f.find(t, s, message))
			}
		}
	}
	return found
}

func (p *pkg) check(f *file, t tag) (Severity, string) {
	if t.family == fieldFamily {
		return t.field()
	}
	names := k8sTags
	switch t.family {
	case genclientFamily:
		names = genclientTags
	case nameFamily:
		names = nameTags
	}
	name := t.name()
	if !slices.Contains(names, name) {
		return p.unknown(t, names)
	}
	switch {
	case t.family == genclientFamily:
		if t.tabbed {
			return Error, fmt.Sprintf("client-gen does not read +%s behind a tab; put a space in its place", name)
		}
		if s, message := placeOnType(f, t); message != "" {
			return s, message
		}
		return clientValue(t)
	case name == "resourceName":
		return placeOnType(f, t)
	case t.family == nameFamily:
		return p.placeOfGroup(f, t)
	}
	where := p.placeOfGenerator
	if slices.Contains(typeOnlyTags, name) {
		where = placeOnType
	}
	if s, message := where(f, t); message != "" {
		return s, message
	}
	if s, message := p.uncopied(f, t); message != "" {
		return s, message
	}
	if slices.Contains(packageTags, name) && !f.isDoc() && !t.place.has(onType|onField|onOther) {
		return Warning, "" // what doc.go says counts
	}
	return value(f, t)
}

// unknown says what a name was meant to be.
func (p *pkg) unknown(t tag, names []string) (Severity, string) {
	name := strings.TrimSpace(t.name())
	if slices.Contains(names, strings.TrimRight(name, ".,:")) && t.text == "+"+name {
		return Warning, "" // a sentence that happens to begin its line here
	}
	for _, prefix := range foreignPrefixes {
		if strings.HasPrefix(name, prefix) {
			return Warning, ""
		}
	}
	if meant := suggest(t, names); meant != "" {
		return Error, fmt.Sprintf("unknown tag %s; did you mean +%s?", t.shown(), meant)
	}
	if t.family == genclientFamily && t.place.has(onType) && p.client {
		// client-gen gives up on it.
		return Error, fmt.Sprintf("unknown tag +%s; the tags of client-gen are +%s", name, strings.Join(genclientTags, ", +"))
	}
	if t.family == k8sFamily && strings.HasPrefix(name, "k8s:") {
		return Warning, fmt.Sprintf("no generator knows the tag +%s; if none of your own does, take it out", name)
	}
	return Warning, ""
}

// suggest is the tag that an unknown one was meant to be, or "".
func suggest(t tag, names []string) string {
	name := strings.TrimSpace(t.name())
	v, hasValue := t.value()
	if slices.Contains(names, name) { // the spaces are what is wrong
		if hasValue {
			return name + "=" + strings.TrimSpace(v)
		}
		return name
	}
	if word, behind, ok := strings.Cut(name, " "); ok && slices.Contains(names, word) && !hasValue {
		// client-gen takes a remark behind the tag for a part of it.
		if behind = strings.TrimSpace(behind); strings.HasPrefix(behind, "//") || strings.HasPrefix(behind, "#") {
			return word
		}
	}
	if meant := text.DidYouMean(name, names); meant != "" {
		return meant
	}
	// A value taken for a part of the name, or the other way round.
	if hasValue {
		for _, n := range names {
			if text.Fold(n) == text.Fold(name+v) {
				return n
			}
		}
		return ""
	}
	if i := strings.LastIndexAny(name, ":.-"); i > 0 && slices.Contains(names, name[:i]) && slices.Contains(flags, name[i+1:]) {
		return name[:i] + "=" + name[i+1:]
	}
	return ""
}

// flags are values that no tag has for the last part of its name.
var flags = []string{"package", "true", "false"}
