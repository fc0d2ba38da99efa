package scaffold

import (
	"cmp"
	"errors"
	"fmt"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/gobuffalo/flect"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/crdctl/crdctl/internal/gen/codegen"
)

// API is one kind in one version of a group, with every name that it has anywhere: each is decided here, once.
type API struct {
	Group      string
	Version    string
	Kind       string
	Plural     string // of the resource, in lower case
	Singular   string
	ShortNames []string
	Categories []string
	Namespaced bool
	Status     bool
	Fields     []Field

	// Package is the import path of the Go package; Dir its folder in the project.
	Package string
	Dir     string
}

// APIOptions are what a user says of an API; what is left empty follows from the rest.
type APIOptions struct {
	Group, Version, Kind, Plural, Singular, Scope string
	ShortNames, Categories, Fields                []string
	NoStatus                                      bool
}

var kindRule = regexp.MustCompile(`^[A-Z][A-Za-z0-9]*$`)

// reserved are the kinds whose names, or whose files' names, are taken in the packages of every API.
var reserved = map[string]string{
	"Kind": "register.go", "Resource": "register.go", "GroupName": "register.go", "SchemeGroupVersion": "register.go",
	"SchemeBuilder": "register.go", "AddToScheme": "register.go", "Generated": "generated_expansion.go",
}

// notFolders are names of folders, or of packages, that mean something to Go or to the generated clients.
var notFolders = []string{"internal", "vendor", "testdata", "meta"}

// NewAPI checks what the user says and decides all names. Every rule that is broken is in the error.
func NewAPI(o APIOptions) (*API, error) {
	a := &API{
		Group: o.Group, Version: o.Version, Kind: o.Kind, Plural: o.Plural, Singular: o.Singular,
		ShortNames: o.ShortNames, Categories: o.Categories, Status: !o.NoStatus,
	}
	var problems []error
	check := func(ok bool, format string, args ...any) {
		if !ok {
			problems = append(problems, fmt.Errorf(format, args...))
		}
	}
	check(len(validation.IsDNS1123Subdomain(a.Group)) == 0 && strings.Contains(a.Group, "."),
		"--group %q must be a domain name in lower case with at least one dot, for example stable.example.com", a.Group)
	check(codegen.VersionFolder.MatchString(a.Version), "--version %q must be like v1, v1alpha1 or v1beta2", a.Version)
	switch {
	case !kindRule.MatchString(a.Kind):
		check(false, "--kind %q must be UpperCamelCase of ASCII letters and digits, for example CronTab", a.Kind)
	case len(a.Kind) > validation.DNS1035LabelMaxLength:
		check(false, "--kind %q is %d characters long; %d is the most", a.Kind, len(a.Kind), validation.DNS1035LabelMaxLength)
	case reserved[a.Kind] != "":
		check(false, "--kind %q is a name that the packages of every API have already (%s); choose another", a.Kind, reserved[a.Kind])
	case token.IsKeyword(strings.ToLower(a.Kind)):
		check(false, "--kind %q is, in lower case, a keyword of Go, and the client generators use it as a name; choose another", a.Kind)
	}
	a.Singular = cmp.Or(a.Singular, strings.ToLower(a.Kind))
	a.Plural = cmp.Or(a.Plural, flect.Pluralize(a.Singular))
	resource := func(flag, name string) {
		check(len(validation.IsDNS1035Label(name)) == 0 || name == "",
			"--%s %q must be lower case letters, digits and hyphens, start with a letter, and have 63 characters at the most", flag, name)
	}
	resource("singular", a.Singular)
	resource("plural", a.Plural)
	for _, n := range a.ShortNames {
		resource("short-names", n)
		check(n != a.Plural && n != a.Singular, "--short-names %q is the plural or the singular already", n)
	}
	for _, n := range a.Categories {
		resource("categories", n)
	}
	switch strings.ToLower(o.Scope) {
	case "", "namespaced":
		a.Namespaced = true
	case "cluster":
	default:
		check(false, "--scope %q must be Namespaced or Cluster", o.Scope)
	}
	var err error
	if a.Fields, err = ParseFields(o.Fields); err != nil {
		problems = append(problems, err)
	}
	a.Dir = path.Join("pkg/apis", a.GroupFolder(), a.Version)
	return a, errors.Join(problems...)
}

// GroupFolder is the folder of the group, and the name of its packages in the clients: the group's first label, as a
// Go package name.
func (a *API) GroupFolder() string {
	name := strings.ReplaceAll(a.groupLabel(), "-", "")
	if token.IsKeyword(name) || name == "" || name[0] < 'a' || slices.Contains(notFolders, name) {
		return "group" + name
	}
	return name
}

func (a *API) groupLabel() string {
	label, _, _ := strings.Cut(a.Group, ".")
	return label
}

// GroupGoName is the group in the names of Go methods.
func (a *API) GroupGoName() string {
	if tag := a.GroupGoNameTag(); tag != "" {
		return tag
	}
	return upperFirst(a.groupLabel())
}

// GroupGoNameTag is the value of the tag groupGoName, where the generators would not find a Go name by themselves.
func (a *API) GroupGoNameTag() string {
	label := a.groupLabel()
	if label == a.GroupFolder() {
		return ""
	}
	var name strings.Builder
	for word := range strings.SplitSeq(label, "-") {
		name.WriteString(upperFirst(word))
	}
	if !token.IsIdentifier(name.String()) {
		return "Group" + name.String()
	}
	return name.String()
}

// VersionGoName is the version in the names of Go methods.
func (a *API) VersionGoName() string { return upperFirst(a.Version) }

// GoPlural is the plural in Go names: the resource's, with the kind's capitals.
func (a *API) GoPlural() string {
	if rest, ok := strings.CutPrefix(a.Plural, strings.ToLower(a.Kind)); ok {
		return a.Kind + rest
	}
	plural := flect.Pluralize(a.Kind)
	if strings.EqualFold(plural, a.Plural) {
		return plural
	}
	return upperFirst(strings.ReplaceAll(a.Plural, "-", ""))
}

// PluralException is the entry that makes the client generators use GoPlural, where they would not.
func (a *API) PluralException() (kind, plural string, needed bool) {
	return a.Kind, a.GoPlural(), codegen.GoPlural(a.Kind) != a.GoPlural()
}

// Alias is the name under which Go files import the package.
func (a *API) Alias() string { return a.GroupFolder() + a.Version }

// Scope is the scope as a CRD has it.
func (a *API) Scope() string {
	if a.Namespaced {
		return "Namespaced"
	}
	return "Cluster"
}

// Protected tells whether the group is one that the API server takes CRDs of only with an approval annotation.
func (a *API) Protected() bool {
	for _, domain := range []string{"k8s.io", "kubernetes.io"} {
		if a.Group == domain || strings.HasSuffix(a.Group, "."+domain) {
			return true
		}
	}
	return false
}

// Article is the kind with its article.
func (a *API) Article() string {
	if strings.ContainsRune("AEIOU", rune(a.Kind[0])) {
		return "an " + a.Kind
	}
	return "a " + a.Kind
}

// SampleName is the name of the sample object.
func (a *API) SampleName() string { return a.Singular + "-demo" }

func upperFirst(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
