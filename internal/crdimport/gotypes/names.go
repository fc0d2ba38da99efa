// SPDX-License-Identifier: Apache-2.0

package gotypes

import (
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"errors"
	"fmt"
	"go/token"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crdctl/crdctl/internal/crdimport/document"
	"github.com/crdctl/crdctl/internal/text/goname"
)

// Names are those that are taken in one Go package.
type Names map[string]bool

// Reserve takes the names that a kind has in its package, before any other type gets one.
func (taken Names) Reserve(kind string) {
	for _, suffix := range []string{"", "List", "Spec", "Status"} {
		taken[kind+suffix] = true
	}
}

// reserved are names that the packages of every API have, or that generated code gives them.
var reserved = map[string]bool{
	"Kind": true, "Resource": true, "GroupName": true, "GroupVersion": true, "SchemeGroupVersion": true, "SchemeBuilder": true,
	"AddToScheme": true, "Install": true, "Generated": true, "RegisterDefaults": true, "RegisterConversions": true, "RegisterValidations": true,
}

// taggable reports whether encoding/json takes a name from a struct tag: letters, digits and some punctuation.
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

var (
	kindRule    = regexp.MustCompile(`^[A-Z][A-Za-z0-9]*$`)
	versionRule = regexp.MustCompile(`^[a-z][a-z0-9]*$`)
)

// CheckNames refuses names that Go cannot have: the kind is the name of a type, and the version that of a package.
func CheckNames(crd *apiextensionsv1.CustomResourceDefinition) error {
	var problems []error
	kind := crd.Spec.Names.Kind
	switch {
	case !kindRule.MatchString(kind):
		problems = append(problems, fmt.Errorf("the kind %q is the name of the Go type, and must be UpperCamelCase of ASCII letters and digits; the CRD needs another kind", kind))
	case reserved[kind] || token.IsKeyword(strings.ToLower(kind)):
		problems = append(problems, fmt.Errorf("the kind %q is a name that Go or the generated code has already; the CRD needs another kind", kind))
	}
	for _, v := range crd.Spec.Versions {
		if !versionRule.MatchString(v.Name) || token.IsKeyword(v.Name) {
			problems = append(problems, fmt.Errorf("the version %q is the name of the Go package, and must be like v1, v1alpha1 or v1beta2; the CRD needs another name for it", v.Name))
		}
	}
	return together(problems)
}

// together makes one error of several, on one line.
func together(problems []error) error {
	var said []string
	for _, p := range problems {
		said = append(said, p.Error())
	}
	if len(said) == 0 {
		return nil
	}
	return errors.New(document.Few(said))
}
