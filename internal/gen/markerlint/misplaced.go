// SPDX-License-Identifier: Apache-2.0

package markerlint

import (
	"strings"

	"github.com/crdctl/crdctl/internal/gen/codegen"
)

// placeOnType judges where a tag of a type stands.
func placeOnType(f *file, t tag) *problem {
	name := t.name()
	switch {
	case t.place.has(onType):
		if k := f.docs[t.group]; k != nil && strings.HasPrefix(name, "genclient:") && !k.list && !k.tagged("genclient") {
			return doubt("+%s has no effect without +genclient; add // +genclient above it, or remove it", name)
		}
		return nil
	case t.place.has(onField):
		return mistake("+%s has no effect on a field; move it to the comment above the type", name)
	case t.retired():
		return nil
	case t.place.has(inBody):
		return mistake("+%s has no effect in the body of a declaration; move it to the comment above the type", name)
	case t.place.has(onOther):
		return mistake("+%s has no effect here, because the next declaration is not a type; move it to the comment above the type", name)
	}
	if k := f.next(t.group); k != nil && k.object && !k.tagged(name) {
		return mistake("+%s is too far above %s to have an effect; move it to the comment above the type", name, k.name())
	}
	return doubt("+%s has no effect here, because it is not above a type; move it to the comment above the type, or remove it", name)
}

// placeOfGroup judges where a group's name stands. controller-tools reads +groupName in any file.
func (p *pkg) placeOfGroup(f *file, t tag) *problem {
	name := t.name()
	v, ok := t.value()
	isGroup := name == "groupName"
	switch {
	case !ok, strings.TrimSpace(v) == "" && !isGroup:
		return mistake("+%s has no value; write +%s=NAME", name, name).as(Value)
	case f.isDoc():
		if err := codegen.CheckTag(t.text); err != nil {
			return mistake("+%s: %s; write +%s=NAME without spaces around the equals sign", name, err, name).as(Value)
		}
		return nil
	case isGroup && p.client && t.place.has(onType) && p.groupName != "" && !t.retired():
		if v != p.groupName {
			return mistake("+groupName has no effect on a type; the group is %s, of the doc.go of the package: remove the tag, or move the type to a package of its group", p.groupName)
		}
		return nil
	case p.inDoc[name], !p.client:
		return nil
	case isGroup && p.controllerTools:
		return doubt("code-generator reads +groupName only in doc.go; copy it to the doc.go of the package")
	}
	return mistake("+%s has no effect in this file; move it to the doc.go of the package", name)
}

// placeOfGenerator judges where a generator's tag stands.
func (p *pkg) placeOfGenerator(f *file, t tag, r rule) *problem {
	v, _ := t.value()
	forTypes := r.where&onTypes != 0
	switch {
	case r.where == 0, f.isDoc(), p.inDoc[r.name]:
		return nil
	case forTypes && t.place.has(onType|onField|onOther):
		if r.name == copyTag && strings.HasPrefix(v, "package") {
			return mistake("+%s=%s applies to a package, and this is a declaration; move it to the doc.go of the package, or write +%s=true", r.name, v, r.name)
		}
		return nil
	case r.name == copyTag && p.controllerGen:
		return nil // it reads the tag in any file
	case forTypes && !t.place.has(inBody) && f.next(t.group) != nil && (v == "true" || v == "false"):
		return doubt("+%s has no effect here; move it to the comment above a type, or to the doc.go of the package", r.name)
	}
	return mistake("+%s has no effect here; move it to the doc.go of the package", r.name)
}
