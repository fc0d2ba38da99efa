// SPDX-License-Identifier: Apache-2.0

package markerlint

import (
	"cmp"
	"go/ast"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/crdctl/crdctl/internal/gen/crdgen"
	"github.com/crdctl/crdctl/internal/text"
)

// kubebuilder checks the markers that controller-tools reads.
func (f *file) kubebuilder() (found []Finding, err error) {
	var tags []tag
	var comments []*ast.Comment
	for _, t := range f.tags {
		if t.family == kubebuilderFamily && !t.inBlock() { // of block comments controller-tools reads nothing
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
	for i, t := range tags {
		found = f.find(found, t, judge(t, read[i], names))
	}
	return found, nil
}

func judge(t tag, m crdgen.Marker, names []string) *problem {
	switch {
	case m.Name == "":
		return unknownMarker(t, names)
	case !m.Read && t.retired():
		return nil
	case !m.Read && t.place.has(onOther):
		// A limit on a constant tells the reader something, and many write the rules of a controller right above its function,
		// next to others that grant the same.
		return doubt("+%s has no effect here; move it to %s, or remove it", m.Name, places(m.Targets)).as(Misplaced)
	case !m.Read:
		return mistake("+%s has no effect here; move it to %s", m.Name, places(m.Targets)).as(Misplaced)
	case m.Err != nil && strings.HasPrefix(m.Name, "kubebuilder:webhook"):
		return doubt("+%s: %s", m.Name, m.Err) // crdctl makes nothing of it
	case m.Err != nil:
		message := m.Err.Error()
		if word, ok := strings.CutPrefix(message, "unknown argument "); ok {
			message = choice("argument", strings.Trim(word, `"`), m.Arguments)
		}
		return mistake("+%s: %s", m.Name, message)
	case strings.HasSuffix(m.Name, ":Pattern"):
		// The API server refuses the CRD, and controller-gen does not look.
		pattern, _ := t.value()
		if unquoted, err := strconv.Unquote(pattern); err == nil {
			pattern = unquoted
		}
		if _, err := regexp.Compile(pattern); err != nil {
			return doubt("+%s: %s; the API server will refuse the CRD", m.Name, err)
		}
	}
	return nil
}

func unknownMarker(t tag, names []string) *problem {
	if isForeign(t.name()) {
		return nil
	}
	if meant := cmp.Or(suggest(t, names), suggestMarker(t, names)); meant != "" {
		return unknown(t.shown(), meant)
	}
	// Other tools have tags of their own that begin with +kubebuilder, but leave these to controller-gen.
	parts := strings.SplitN(t.name(), ":", 3)
	if len(parts) == 3 && slices.ContainsFunc(names, func(n string) bool { return strings.HasPrefix(n, parts[0]+":"+parts[1]+":") }) {
		return mistake("controller-gen does not know the tag +%s; correct or remove it", t.shown()).as(Unknown)
	}
	return doubt("controller-gen does not know the tag +%s; remove it unless another tool reads it", t.shown()).as(Unknown)
}

// suggestMarker is the marker that an unknown one with parts was meant to be, or "".
func suggestMarker(t tag, names []string) string {
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
