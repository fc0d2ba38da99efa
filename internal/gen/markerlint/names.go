// SPDX-License-Identifier: Apache-2.0

package markerlint

import (
	"slices"
	"strings"
	"unicode"

	"github.com/crdctl/crdctl/internal/text"
)

// family is the tools that a tag is for.
type family int

const (
	none family = iota
	genclientFamily
	k8sFamily
	kubebuilderFamily
	nameFamily  // +groupName, +groupGoName and +resourceName
	fieldFamily // what is almost a tag of a field without a prefix, such as +optional
)

// familyOf finds the family of a tag behind the plus, of a misspelled one as well.
func familyOf(tag string) family {
	head := beginning(tag, "-_.")
	rest := tag[len(head):]
	if head == "" {
		return none
	}
	if misspelledField(tag) != "" {
		return fieldFamily
	}
	colon := strings.HasPrefix(rest, ":")
	switch {
	case strings.HasPrefix(head, "genclient"):
		return genclientFamily
	case head == "k8s" && colon:
		return k8sFamily
	case head == "kubebuilder" && colon:
		return kubebuilderFamily
	case head == "kubebuilder", head == "k8s":
		return none
	}
	lower := text.Fold(head)
	for _, n := range nameTags {
		// What has neither a value nor the very name is another tag.
		if head == n || strings.HasPrefix(strings.TrimSpace(rest), "=") && (lower == text.Fold(n) || text.Distance(head, n) == 1) {
			return nameFamily
		}
	}
	// The other families begin with a word that is not written by chance.
	switch {
	case strings.HasPrefix(lower, "genclient"), len(head) >= 7 && text.Distance(head, "genclient") <= 2:
		return genclientFamily
	case strings.HasPrefix(lower, "kubebuilder"), len(head) >= 8 && text.Distance(head, "kubebuilder") <= 3:
		return kubebuilderFamily
	case strings.HasPrefix(lower, "k8s") && generatorName(lower[3:]), len(head) <= 4 && colon && text.Distance(lower, "k8s") <= 1 && slices.Contains(k8sTags, "k8s:"+nameEnd(rest[1:])):
		return k8sFamily
	}
	return none
}

// misspelledField is the tag that a word on a field was surely meant to be, or "". Only words that are spelled almost like a tag
// count: any tool may have tags of its own.
func misspelledField(tag string) string {
	tag = strings.TrimSpace(tag)
	name := nameEnd(tag)
	rest := tag[len(name):]
	name = strings.TrimSuffix(name, ":") // controller-tools takes a colon before the equals sign
	if rest != "" && rest[0] != '=' || len(name) < 6 || slices.Contains(fieldTags, name) {
		return ""
	}
	for _, known := range fieldTags[:10] {
		slips := 1
		if len(known) >= 10 {
			slips = 2
		}
		if len(name) >= len(known)-slips && text.Distance(strings.ToLower(name), strings.ToLower(known)) <= slips {
			return known
		}
	}
	return ""
}

// generatorName tells a tag of a generator that has lost its colon, as in +k8s-deepcopy-gen.
func generatorName(s string) bool {
	return slices.ContainsFunc(k8sTags, func(t string) bool { return strings.HasSuffix(t, "-gen") && text.Fold(t[len("k8s:"):]) == s })
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
	// A value that was written as a part of the name, or the other way round.
	if hasValue {
		for _, n := range names {
			if text.Fold(n) == text.Fold(name+v) {
				return n
			}
		}
		return ""
	}
	if i := strings.LastIndexAny(name, ":.-"); i > 0 && slices.Contains(names, name[:i]) && slices.Contains([]string{"package", "true", "false"}, name[i+1:]) {
		return name[:i] + "=" + name[i+1:]
	}
	return ""
}

// name is the name of a tag, without the plus, as far as its own tool reads one.
func (t tag) name() string {
	text := t.text[1:]
	if t.family == genclientFamily || t.family == kubebuilderFamily || strings.HasPrefix(text, " ") {
		name, _, _ := strings.Cut(text, "=")
		return name
	}
	return nameEnd(text)
}

// shown is the name of the tag as it was written.
func (t tag) shown() string { return strings.TrimRight(t.name(), ": ") }

// value is what stands behind the first equals sign.
func (t tag) value() (string, bool) {
	_, v, ok := strings.Cut(t.text, "=")
	return v, ok
}

// nameEnd cuts off what cannot belong to a name in gengo's grammar.
func nameEnd(text string) string { return beginning(text, "-_.:") }

// beginning is the part of a text of letters, digits and some other characters.
func beginning(text, others string) string {
	if i := strings.IndexFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune(others, r)
	}); i >= 0 {
		return text[:i]
	}
	return text
}
