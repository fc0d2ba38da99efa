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

// nameTags are the tags of client-gen and its friends that have no prefix.
var nameTags = []string{"groupName", "groupGoName", "resourceName"}

// familyOf finds the family of a tag behind the plus, of a misspelt one as well.
func familyOf(tag string) family {
	head := tag
	if i := strings.IndexFunc(tag, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '-' && r != '_' && r != '.'
	}); i >= 0 {
		head = tag[:i]
	}
	rest := tag[len(head):]
	switch {
	case head == "":
		return none
	case misspeltField(tag) != "":
		return fieldFamily
	case strings.HasPrefix(head, "genclient"):
		return genclientFamily
	case head == "k8s" && strings.HasPrefix(rest, ":"):
		return k8sFamily
	case head == "kubebuilder" && strings.HasPrefix(rest, ":"):
		return kubebuilderFamily
	}
	if head == "kubebuilder" || head == "k8s" {
		return none
	}
	lower := text.Fold(head)
	for _, n := range nameTags {
		// What has neither a value nor the very name is another tag.
		if head == n || strings.HasPrefix(strings.TrimSpace(rest), "=") && (lower == text.Fold(n) || text.Distance(head, n) == 1) {
			return nameFamily
		}
	}
	// The other families begin with a word that nobody writes by chance.
	switch {
	case strings.HasPrefix(lower, "genclient"), len(head) >= 7 && text.Distance(head, "genclient") <= 2:
		return genclientFamily
	case strings.HasPrefix(lower, "kubebuilder"), len(head) >= 8 && text.Distance(head, "kubebuilder") <= 3:
		return kubebuilderFamily
	case strings.HasPrefix(lower, "k8s") && generatorName(lower[3:]), len(head) <= 4 && strings.HasPrefix(rest, ":") && text.Distance(lower, "k8s") <= 1 && slices.Contains(k8sTags, "k8s:"+nameEnd(rest[1:])):
		return k8sFamily
	}
	return none
}

// generatorName tells a tag of a generator that has lost its colon, as in +k8s-deepcopy-gen.
func generatorName(s string) bool {
	for _, t := range k8sTags {
		if strings.HasSuffix(t, "-gen") && text.Fold(t[len("k8s:"):]) == s {
			return true
		}
	}
	return false
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

// shown is the tag as it was written, without its value.
func (t tag) shown() string {
	name := t.name()
	if strings.HasPrefix(name, " ") {
		return "+" + strings.TrimRight(name, " :")
	}
	return "+" + strings.TrimRight(name, ": ")
}

// nameEnd cuts off what can't belong to a name in gengo's grammar.
func nameEnd(text string) string {
	if i := strings.IndexFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("-_.:", r)
	}); i >= 0 {
		return text[:i]
	}
	return text
}

// value is what stands behind the first equals sign.
func (t tag) value() (string, bool) {
	_, v, ok := strings.Cut(t.text, "=")
	return v, ok
}
