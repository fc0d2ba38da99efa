package markerlint

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/gen/codegen"
)

// code is a line of Go that was made a comment, with its tags.
var code = regexp.MustCompile("(?m)^[ \t]*//[ \t]*(type [A-Za-z_]+ |[A-Za-z_]+ .*`[a-z]+:\"|\\}$)")

// retired tells whether a tag belongs to code that was made a comment.
func (t tag) retired() bool {
	for _, c := range t.group.List {
		if code.MatchString(c.Text) {
			return true
		}
	}
	return false
}

// placeOnType says where a tag of a type stands in vain.
func placeOnType(f *file, t tag) (Severity, string) {
	name := t.name()
	switch {
	case t.place.has(onType):
		if k := f.kindOf(t.group); k != nil && strings.HasPrefix(name, "genclient:") && !k.list && !f.tagged(k, "genclient") {
			return Warning, fmt.Sprintf("+%s has no effect without +genclient; add // +genclient above it, or take it out", name)
		}
		return Warning, ""
	case t.place.has(onField):
		return Error, fmt.Sprintf("+%s has no effect on a field; move it to the comment above the type", name)
	case t.retired():
		return Warning, ""
	case t.place.has(inBody):
		return Error, fmt.Sprintf("+%s has no effect in the body of a declaration; move it to the comment above the type", name)
	case t.place.has(onOther):
		return Error, fmt.Sprintf("+%s has no effect here, as what follows is no type; move it to the comment above the type", name)
	}
	if k := f.next(t.group); k != nil && k.object && !f.tagged(k, name) {
		return Error, fmt.Sprintf("+%s is too far above %s to have an effect; move it to the comment above the type", name, k.spec.Name.Name)
	}
	return Warning, fmt.Sprintf("+%s has no effect here, as it is above no type; move it to the comment above the type, or take it out", name)
}

// placeOfGroup says where a group's name stands in vain. controller-tools reads +groupName in any file.
func (p *pkg) placeOfGroup(f *file, t tag) (Severity, string) {
	name := t.name()
	if v, ok := t.value(); !ok || strings.TrimSpace(v) == "" && name != "groupName" {
		return Error, fmt.Sprintf("+%s has no value; write +%s=NAME", name, name)
	}
	switch {
	case f.isDoc():
		if err := codegen.CheckTag(t.text); err != nil {
			return Error, fmt.Sprintf("+%s: %s; write +%s=NAME without spaces around the equals sign", name, err, name)
		}
		return Warning, ""
	case name == "groupName" && p.client && t.place.has(onType) && p.groupName != "" && !t.retired():
		if v, _ := t.value(); v != p.groupName {
			return Error, fmt.Sprintf("+groupName has no effect on a type; the group is %s, of the doc.go of the package: take the tag out, or move the type to a package of its group", p.groupName)
		}
		return Warning, ""
	case p.inDoc[name], !p.client:
		return Warning, ""
	case name == "groupName" && p.controllerTools:
		return Warning, "code-generator reads +groupName only in doc.go; copy it to the doc.go of the package"
	}
	return Error, fmt.Sprintf("+%s has no effect in this file; move it to the doc.go of the package", name)
}

// placeOfGenerator says where a generator's tag stands in vain.
func (p *pkg) placeOfGenerator(f *file, t tag) (Severity, string) {
	name := t.name()
	switch {
	case !slices.Contains(packageTags, name), f.isDoc(), p.inDoc[name]:
		return Warning, ""
	case slices.Contains(typeTags, name) && t.place.has(onType|onField|onOther):
		if v, _ := t.value(); name == "k8s:deepcopy-gen" && strings.HasPrefix(v, "package") {
			return Error, fmt.Sprintf("+%s=%s is for a package, and this is a declaration; move it to the doc.go of the package, or write +%s=true", name, v, name)
		}
		return Warning, ""
	case name == "k8s:deepcopy-gen" && p.controllerGen:
		return Warning, "" // it reads the tag in any file
	case slices.Contains(typeTags, name) && !t.place.has(onType|onField|onOther|inBody) && f.next(t.group) != nil:
		if v, _ := t.value(); v == "true" || v == "false" {
			return Warning, fmt.Sprintf("+%s has no effect here; move it to the comment above a type, or to the doc.go of the package", name)
		}
	}
	return Error, fmt.Sprintf("+%s has no effect here; move it to the doc.go of the package", name)
}
