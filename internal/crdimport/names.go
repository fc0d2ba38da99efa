package crdimport

import (
	"reflect"
	"strconv"
	"strings"
	"unicode"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
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

// initialisms are words that Go names have in capitals.
var initialisms = map[string]bool{
	"acl": true, "api": true, "aws": true, "ca": true, "cidr": true, "cpu": true, "crd": true, "dns": true, "grpc": true, "html": true, "http": true,
	"https": true, "id": true, "io": true, "ip": true, "json": true, "jwt": true, "qps": true, "ram": true, "rpc": true, "sql": true, "ssh": true, "ssl": true,
	"tcp": true, "tls": true, "ttl": true, "udp": true, "ui": true, "uid": true, "uri": true, "url": true, "uuid": true, "vm": true, "xml": true, "yaml": true,
}

// goName makes an exported Go name of a property's: its words with capitals. Letters that Go does not export, and what
// begins with none, get an X before them.
func goName(property string) string {
	var name strings.Builder
	for _, word := range words(property) {
		if initialisms[strings.ToLower(word)] {
			name.WriteString(strings.ToUpper(word))
			continue
		}
		letters := []rune(word)
		name.WriteRune(unicode.ToUpper(letters[0]))
		name.WriteString(string(letters[1:]))
	}
	made := name.String()
	if made == "" {
		return "X"
	}
	if !unicode.IsUpper([]rune(made)[0]) {
		return "X" + made
	}
	return made
}

// words splits at what is neither letter nor digit, and between a small letter and a capital.
func words(property string) []string {
	var all []string
	var word []rune
	end := func() {
		if len(word) > 0 {
			all = append(all, string(word))
		}
		word = nil
	}
	for _, r := range property {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			end()
			continue
		case unicode.IsUpper(r) && len(word) > 0 && !unicode.IsUpper(word[len(word)-1]):
			end()
		}
		word = append(word, r)
	}
	end()
	return all
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
	name := goName(property)
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
