package crdimport

import (
	"reflect"
	"strconv"
	"strings"
	"unicode"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crdctl/crdctl/internal/text/goname"
)

// names are those that are taken in one Go package.
type names map[string]bool

// reserved are names that the packages of every API have, or that generated code gives them.
var reserved = map[string]bool{
	"Kind": true, "Resource": true, "GroupName": true, "GroupVersion": true, "SchemeGroupVersion": true, "SchemeBuilder": true,
	"AddToScheme": true, "Install": true, "Generated": true, "RegisterDefaults": true, "RegisterConversions": true, "RegisterValidations": true,
}

// reserve takes the names that the kind of a CRD has in the package of a version, before any other type gets one.
func reserve(taken map[string]names, d *Definition, version string) {
	pkg := d.Group + "/" + version
	if taken[pkg] == nil {
		taken[pkg] = names{}
	}
	for _, suffix := range []string{"", "List", "Spec", "Status"} {
		taken[pkg][d.Kind+suffix] = true
	}
}

// taggable tells whether encoding/json takes a name from a struct tag: letters, digits and some punctuation.
func taggable(property string) bool {
	for _, r := range property {
		if !strings.ContainsRune("!#$%&()*+-./:;<=>?@[]^_{|}~ ", r) && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return false
		}
	}
	return property != ""
}

// fieldNames are Go names that are taken in one struct; true for those that are not the struct's own.
type fieldNames map[string]bool

// newFieldNames has the names that every type gets as methods. A root embeds TypeMeta and ObjectMeta: what they have would
// be hidden by a field, and apply configurations could have no method for both.
func newFieldNames(root bool) fieldNames {
	taken := fieldNames{"DeepCopy": true, "DeepCopyInto": true, "OpenAPIModelName": true}
	if !root {
		return taken
	}
	taken["DeepCopyObject"] = true
	for _, embedded := range []any{metav1.TypeMeta{}, metav1.ObjectMeta{}} {
		t := reflect.TypeOf(embedded)
		taken[t.Name()] = true
		for f := range t.Fields() {
			taken[f.Name] = true
		}
		for m := range reflect.PointerTo(t).Methods() {
			taken[m.Name] = true
		}
	}
	return taken
}

// give gives a property a name of its own.
func (taken fieldNames) give(property, kind string) string {
	name := goname.Of(property)
	if taken[name] {
		name = kind + name
	}
	return taken.unique(name)
}

// unique is a name with a number behind it if it is taken.
func (taken fieldNames) unique(name string) string {
	free := name
	for i := 2; ; i++ {
		if _, ok := taken[free]; !ok {
			taken[free] = false
			return free
		}
		free = name + strconv.Itoa(i)
	}
}
