// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"fmt"
	"go/ast"
	"go/types"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/crdctl/crdctl/internal/check/rule"
	"github.com/crdctl/crdctl/internal/gen/gofield"
	"github.com/crdctl/crdctl/internal/text/lazyregexp"
)

// filters decide which findings of an analyzer of kube-api-linter count, and how much: it asks for a style throughout, and here only
// what has consequences for a CRD counts.
var filters = map[string]func(p *pkg, in decl, f *rule.Finding) bool{
	"arrayofstruct": func(p *pkg, in decl, _ *rule.Finding) bool { return !p.hasRequired(in) },
	"conditions": func(_ *pkg, in decl, f *rule.Finding) bool {
		if in.role&status == 0 {
			return false // a spec may say what conditions other objects must have
		}
		if in.quotedList() && strings.Contains(f.Message, "list") {
			return false
		}
		if strings.Contains(f.Message, "listType") {
			f.Severity = rule.Warning // appliers would own each other's conditions
		}
		return !strings.HasSuffix(f.Message, "markers: optional") && !strings.Contains(f.Message, "incorrect tags")
	},
	"defaults": func(p *pkg, in decl, f *rule.Finding) bool {
		_, optional := in.marker(optionalMarkers...)
		switch {
		case strings.HasSuffix(f.Message, "omitempty in its json tag"):
			return !p.isStruct(in) && optional
		case strings.Contains(f.Message, "not marked as optional"):
			return !in.omitted() && !optional // the linter does not read //+optional, without a space; controller-gen does
		}
		return strings.HasSuffix(f.Message, "contradictory")
	},
	"duplicatemarkers": func(_ *pkg, in decl, f *rule.Finding) bool {
		return in.ast == nil || !strings.Contains(f.Message, enumMarker) || len(values(in.ast.Doc, enumMarker)) > 1 // or enum-twice has it
	},
	"jsontags": func(_ *pkg, in decl, f *rule.Finding) bool {
		if strings.Contains(f.Message, "missing") || strings.Contains(f.Message, "empty") {
			f.Severity = rule.Warning
		}
		return !strings.HasPrefix(in.json(), "x-kubernetes-")
	},
	"maxlength": func(_ *pkg, in decl, _ *rule.Finding) bool { return in.field != "Conditions" },
	"nophase":   func(_ *pkg, in decl, _ *rule.Finding) bool { return strings.HasSuffix(in.field, "Phase") },
	"optionalfields": func(p *pkg, in decl, f *rule.Finding) bool {
		switch value, ok := in.defaultValue(); {
		case strings.Contains(f.Message, "should be a pointer"):
			zero := p.zero(in, f)
			f.Message = fmt.Sprintf("field %s.%s has the default %s, and Go clients cannot send %s, which they leave out", in.owner, in.field, value, zero)
			f.Fix = "Make the field a pointer."
			return ok && in.omitted() && p.isNumberOrBool(in) && !slices.Contains([]string{"", "0", "false", "{}", "[]"}, value)
		case strings.HasSuffix(f.Message, "should have the omitempty tag."):
			f.Severity, f.Fix = rule.Note, "Add omitempty to the JSON tag, while no client depends on the zero value."
			return !p.isStruct(in) && !ok // with a default, the rule defaults has it
		}
		return false
	},
	"optionalorrequired": func(_ *pkg, in decl, f *rule.Finding) bool {
		of := in.field == "ObjectMeta" || in.field == "ListMeta" || in.field == "TypeMeta" || in.isRoot() && (in.field == "Spec" || in.field == "Status")
		return !of && !strings.Contains(f.Message, "should use") && !strings.HasPrefix(f.Message, "embedded")
	},
	"requiredfields": func(p *pkg, in decl, f *rule.Finding) bool {
		counts := strings.Contains(f.Message, "should be a pointer") && in.omitted() && p.isNumberOrBool(in)
		f.Message = fmt.Sprintf("field %s.%s is required, and Go clients cannot send %s, which they leave out", in.owner, in.field, p.zero(in, f))
		return counts
	},
	"ssatags": func(_ *pkg, in decl, f *rule.Finding) bool {
		if !strings.Contains(f.Message, "should have a listType marker") {
			f.Severity = rule.Warning
		}
		return !in.quotedList()
	},
	"statusoptional": func(_ *pkg, in decl, f *rule.Finding) bool {
		return strings.Contains(f.Message, "not required") || !in.omitted()
	},
	"statussubresource": func(p *pkg, in decl, _ *rule.Finding) bool {
		_, unserved := markerOf(p.docs[in.spec], "kubebuilder:unservedversion")
		return !unserved
	},
	"uniquemarkers": func(_ *pkg, _ decl, f *rule.Finding) bool {
		return !strings.Contains(f.Message, "XValidation") && // a field may have several rules
			!strings.Contains(f.Message, "validation:Format") && !strings.Contains(f.Message, "validation:Enum ") // one-format and enum-twice
	},
}

var optionalMarkers = []string{"optional", "kubebuilder:validation:Optional", "k8s:optional"}

// ofNamed is a finding about a field whose type has a name, and a finding of its own.
var ofNamed = lazyregexp.New(`^field \S+( pointer| array element| map key| map value)* type [A-Z]\w* should not `)

var convention = lazyregexp.New(`^naming convention "[a-z]+": `)

// cleaned is a message of kube-api-linter with the whole name of the field, and without a full stop.
func cleaned(message string, in decl) string {
	message = convention.ReplaceAllString(message, "")
	message = strings.Replace(message, "field ."+in.field, "field "+in.owner+"."+in.field, 1)
	message, _, _ = strings.Cut(message, ". ")
	return strings.TrimSuffix(message, ".")
}

// json is the name of a field in JSON.
func (d decl) json() string {
	name, _, _ := strings.Cut(d.tag(), ",")
	return name
}

func (d decl) tag() string {
	if d.ast == nil || d.ast.Tag == nil {
		return ""
	}
	return jsonTag(d.ast)
}

func jsonTag(f *ast.Field) string {
	if f.Tag == nil {
		return ""
	}
	tag, err := strconv.Unquote(f.Tag.Value)
	if err != nil {
		return ""
	}
	return reflect.StructTag(tag).Get("json")
}

// omitted reports whether the JSON of Go programs lacks the field where it has its zero value.
func (d decl) omitted() bool {
	return strings.Contains(d.tag(), ",omitempty") || strings.Contains(d.tag(), ",omitzero")
}

// isRoot reports whether the field is one of an object, next to its TypeMeta.
func (d decl) isRoot() bool {
	s, ok := d.spec.Type.(*ast.StructType)
	return ok && slices.ContainsFunc(s.Fields.List, func(f *ast.Field) bool { return len(f.Names) == 0 && gofield.FieldName(f) == "TypeMeta" })
}

// marker returns the value of a marker of a declaration's own comment.
func (d decl) marker(names ...string) (value string, ok bool) {
	if d.ast == nil {
		return "", false
	}
	return markerOf(d.ast.Doc, names...)
}

func markerOf(doc *ast.CommentGroup, names ...string) (value string, ok bool) {
	if doc == nil {
		return "", false
	}
	for _, c := range doc.List {
		text, isMarker := strings.CutPrefix(strings.TrimLeft(strings.TrimPrefix(c.Text, "//"), " \t"), "+")
		name, v, _ := strings.Cut(text, "=")
		if isMarker && slices.Contains(names, strings.TrimRight(name, ": \t")) {
			value, ok = strings.TrimSpace(v), true
		}
	}
	return value, ok
}

// quotedList reports whether a marker of a list has its value in quotes, which controller-gen removes, and with which the linter knows no value.
func (d decl) quotedList() bool {
	return slices.ContainsFunc([]string{"listType", "listMapKey"}, func(name string) bool {
		value, _ := d.marker(name)
		return strings.ContainsAny(value, "\"`")
	})
}

// defaultValue is the default of a field, without quotes.
func (d decl) defaultValue() (string, bool) {
	value, ok := d.marker("kubebuilder:default", "default", "k8s:default")
	return strings.Trim(value, "\"`"), ok
}

func (p *pkg) typeOf(d decl) types.Type {
	if d.ast == nil {
		return types.Typ[types.Invalid]
	}
	if t := p.TypesInfo.TypeOf(d.ast.Type); t != nil {
		return t
	}
	return types.Typ[types.Invalid]
}

func (p *pkg) isStruct(d decl) bool {
	_, ok := p.typeOf(d).Underlying().(*types.Struct)
	return ok
}

func (p *pkg) isNumberOrBool(d decl) bool {
	b, ok := p.typeOf(d).Underlying().(*types.Basic)
	return ok && b.Info()&(types.IsNumeric|types.IsBoolean) != 0
}

// zero is the zero value of a number or bool. Of a number it may be no useful value, so that the finding is a note.
func (p *pkg) zero(d decl, f *rule.Finding) string {
	t := p.typeOf(d).Underlying()
	if ptr, ok := t.(*types.Pointer); ok {
		t = ptr.Elem().Underlying()
	}
	if b, ok := t.(*types.Basic); ok && b.Info()&types.IsBoolean != 0 {
		return "false"
	}
	f.Severity = rule.Note
	return "0"
}

// hasRequired reports whether the items of a list have a field that is required without a marker, as those are that may not be omitted.
func (p *pkg) hasRequired(d decl) bool {
	t := p.typeOf(d)
	for {
		switch u := t.Underlying().(type) {
		case *types.Slice:
			t = u.Elem()
		case *types.Pointer:
			t = u.Elem()
		case *types.Struct:
			spec := p.specOf(t)
			if spec == nil || p.torn[spec] {
				return true // it is not known
			}
			s, ok := spec.Type.(*ast.StructType)
			return ok && slices.ContainsFunc(s.Fields.List, func(f *ast.Field) bool {
				tag := jsonTag(f)
				_, optional := markerOf(f.Doc, optionalMarkers...)
				return tag != "" && tag != "-" && !optional && !strings.Contains(tag, ",omit") && !strings.Contains(tag, ",inline")
			})
		default:
			return true
		}
	}
}

// specOf is the declaration of a type of the package, or nil.
func (p *pkg) specOf(t types.Type) *ast.TypeSpec {
	named, ok := types.Unalias(t).(*types.Named)
	if !ok || named.Obj().Pkg() != p.Types {
		return nil
	}
	for _, d := range p.decls {
		if d.ast == nil && d.owner == named.Obj().Name() {
			return d.spec
		}
	}
	return nil
}
