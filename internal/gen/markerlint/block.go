package markerlint

import (
	"fmt"
	"slices"
	"strings"
)

// asking are the tags by which kube_codegen.sh finds the packages to generate for. It looks at line comments alone.
var asking = []string{
	"genclient", "k8s:deepcopy-gen", "k8s:validation-gen", "k8s:defaulter-gen", "k8s:conversion-gen",
}

// blocks finds tags in block comments that ask for a generator, in packages in which no line comment does: gengo would read
// them, but the generator never runs.
func (p *pkg) blocks() (found []Finding) {
	inLines := map[string]bool{}
	for _, f := range p.files {
		for _, t := range f.tags {
			if !t.inBlock() {
				inLines[t.name()] = true
			}
		}
	}
	for _, f := range p.files {
		for _, t := range f.tags {
			switch name := t.name(); {
			case !t.inBlock() || t.retired() || t.place.has(inBody):
			case t.family == kubebuilderFamily:
				if t.place.has(onType | onField) {
					found = append(found, f.find(t, Warning, fmt.Sprintf("controller-gen does not read +%s in a block comment; write it in a line comment, // %s", name, t.text)))
				}
			case slices.Contains(asking, name) && !inLines[name] && (name != "genclient" || t.place.has(onType)):
				found = append(found, f.find(t, Error, fmt.Sprintf("+%s in a block comment asks for nothing; write it in a line comment, // %s", name, t.text)))
			}
		}
	}
	return found
}

func (t tag) inBlock() bool { return strings.HasPrefix(t.comment.Text, "/*") }
