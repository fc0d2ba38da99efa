package markerlint

import (
	"fmt"
	"go/ast"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/crdctl/crdctl/internal/gen/crdgen"
	"github.com/crdctl/crdctl/internal/text"
)

// kubebuilder checks the markers that controller-tools reads.
func (f *file) kubebuilder() ([]Finding, error) {
	var tags []tag
	var comments []*ast.Comment
	for _, t := range f.tags {
		// Of block comments controller-tools reads nothing.
		if t.family == kubebuilderFamily && strings.HasPrefix(t.comment.Text, "//") {
			tags = append(tags, t)
			comments = append(comments, t.comment)
		}
	}
	if len(tags) == 0 {
		return nil, nil
	}
	names, err := crdgen.Markers()
	if err != nil {
		return nil, err
	}
	read, err := crdgen.ReadMarkers(f.syntax, comments)
	if err != nil {
		return nil, err
	}
	var found []Finding
	for i, t := range tags {
		if s, message := judge(t, read[i], names); message != "" {
			found = append(found, f.find(t, s, message))
		}
	}
	return found, nil
}

func judge(t tag, m crdgen.Marker, names []string) (Severity, string) {
	switch {
	case m.Name == "":
		return unknownMarker(t, names)
	case !m.Read && t.retired():
		return Warning, ""
	case !m.Read && t.place.has(onOther):
		// A limit on a constant tells the reader something, and many write the rules of a controller right above its function,
		// beside others that grant the same.
		return Warning, fmt.Sprintf("+%s has no effect here; move it to %s, or take it out", m.Name, places(m.Targets))
	case !m.Read:
		return Error, fmt.Sprintf("+%s has no effect here; move it to %s", m.Name, places(m.Targets))
	case m.Err != nil && strings.HasPrefix(m.Name, "kubebuilder:webhook"):
		return Warning, fmt.Sprintf("+%s: %s", m.Name, m.Err) // crdctl makes nothing of it
	case m.Err != nil:
		return Error, fmt.Sprintf("+%s: %s", m.Name, arguments(m))
	case strings.HasSuffix(m.Name, ":Pattern"):
		return pattern(t, m.Name)
	}
	return Warning, ""
}

// pattern says what is wrong with a regular expression: the API server refuses the CRD, and controller-gen does not look.
func pattern(t tag, name string) (Severity, string) {
	text, _ := t.value()
	if unquoted, err := strconv.Unquote(text); err == nil {
		text = unquoted
	}
	if _, err := regexp.Compile(text); err != nil {
		return Warning, fmt.Sprintf("+%s: %s; the API server will refuse the CRD", name, err)
	}
	return Warning, ""
}

// arguments is what controller-tools has against the arguments, and what they may be.
func arguments(m crdgen.Marker) string {
	message := m.Err.Error()
	if word, ok := strings.CutPrefix(message, "unknown argument "); ok {
		return choice("argument", strings.Trim(word, `"`), m.Arguments)
	}
	return message
}

func unknownMarker(t tag, names []string) (Severity, string) {
	for _, prefix := range foreignPrefixes {
		if strings.HasPrefix(t.name(), prefix) {
			return Warning, ""
		}
	}
	if meant := suggestMarker(t, names); meant != "" {
		return Error, fmt.Sprintf("unknown tag %s; did you mean +%s?", t.shown(), meant)
	}
	// Other tools have tags of their own that begin with +kubebuilder, but leave these to controller-gen.
	if parts := strings.SplitN(t.name(), ":", 3); len(parts) == 3 {
		own := strings.Join(parts[:2], ":") + ":"
		if slices.ContainsFunc(names, func(n string) bool { return strings.HasPrefix(n, own) }) {
			return Error, fmt.Sprintf("controller-gen knows no tag %s; correct it, or take it out", t.shown())
		}
	}
	return Warning, fmt.Sprintf("controller-gen knows no tag %s; if no other tool reads it, take it out", t.shown())
}

// suggestMarker is the marker that an unknown one was meant to be, or "".
func suggestMarker(t tag, names []string) string {
	if meant := suggest(t, names); meant != "" {
		return meant
	}
	name := strings.Trim(t.name(), " :")
	i := strings.LastIndex(name, ":")
	if i < 0 {
		return ""
	}
	head, end := name[:i], name[i+1:]
	// The name of the first argument is at the end of the name.
	if strings.Contains(t.text, "=") && strings.Contains(head, ":") {
		if meant := text.DidYouMean(head, names); meant != "" && meant != head {
			return meant + ":" + end
		}
	}
	// A part in the middle is left out, or another's.
	for _, n := range []string{"kubebuilder:validation:" + end, "kubebuilder:" + end} {
		if meant := text.DidYouMean(n, names); meant != "" && text.Fold(meant) == text.Fold(n) {
			return meant
		}
	}
	return ""
}

// places says in words where a marker may stand.
func places(targets []string) string {
	words := map[string]string{
		"package": "a comment of its own, with blank lines around it, outside of declarations",
		"type":    "the comment right above a type",
		"field":   "the comment right above a field",
	}
	var all []string
	for _, t := range targets {
		all = append(all, words[t])
	}
	return strings.Join(all, ", or to ")
}
