// SPDX-License-Identifier: Apache-2.0

package scaffold

import (
	"cmp"
	"errors"
	"fmt"
	"go/token"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/gen/naming"
	"github.com/crdctl/crdctl/internal/scaffold/fields"
)

// APIOptions are what a user asks for, and what crdctl.yaml records; what is left empty follows from the rest.
type APIOptions = config.ScaffoldedAPI

// API is one kind in one version of a group, with every name that it has anywhere: each is decided here, once.
type API struct {
	// APIOptions have nothing left empty that is needed: TypesFile and Sample are the names of the files without .go and .yaml.
	// Controller is the start of the Go names, too, and empty for a version of a kind whose controller works with another one;
	// Directory is empty where the group has the usual one.
	APIOptions
	Namespaced bool
	Status     bool
	// Fields and Owns are what the options of these names mean.
	Fields *fields.Set
	Owns   []Owned
}

var kindRule = regexp.MustCompile(`^[A-Z][A-Za-z0-9]*$`)

// reserved are the kinds whose names, or whose files' names, are taken in the packages of every API.
var reserved = map[string]string{
	"Kind": "register.go", "Resource": "register.go", "GroupName": "register.go", "SchemeGroupVersion": "register.go",
	"SchemeBuilder": "register.go", "AddToScheme": "register.go", "Generated": "generated_expansion.go",
}

// notFolders are names of directories, or of packages, that mean something to Go or to the generated clients.
var notFolders = []string{"internal", "vendor", "testdata", "meta"}

// NewAPI checks what the user says and decides all names. Every rule that is broken is in the error.
func NewAPI(o APIOptions) (*API, error) {
	a := &API{APIOptions: o, Status: !o.NoStatus}
	var problems []error
	check := func(ok bool, format string, args ...any) {
		if !ok {
			problems = append(problems, fmt.Errorf(format, args...))
		}
	}
	check(len(validation.IsDNS1123Subdomain(a.Group)) == 0 && strings.Contains(a.Group, "."),
		"--group %q must be a domain name in lower case with at least one dot, for example stable.example.com", a.Group)
	check(naming.VersionDir.MatchString(a.Version), "--version %q must be like v1, v1alpha1 or v1beta2", a.Version)
	before := len(problems)
	switch {
	case !kindRule.MatchString(a.Kind):
		check(false, "--kind %q must be UpperCamelCase of ASCII letters and digits, for example CronTab", a.Kind)
	case len(a.Kind) > validation.DNS1035LabelMaxLength:
		check(false, "--kind %q has %d characters; the maximum is %d", a.Kind, len(a.Kind), validation.DNS1035LabelMaxLength)
	case reserved[a.Kind] != "":
		check(false, "--kind %q is a name that every API package declares already (%s); choose another", a.Kind, reserved[a.Kind])
	case token.IsKeyword(strings.ToLower(a.Kind)):
		check(false, "--kind %q is a Go keyword in lower case, which the generated clients use as a name; choose another", a.Kind)
	}
	kindIsRight := len(problems) == before
	a.Singular = cmp.Or(a.Singular, strings.ToLower(a.Kind))
	a.Plural = cmp.Or(a.Plural, pluralOf(a.Singular))
	resource := func(flag, name string) {
		check(len(validation.IsDNS1035Label(name)) == 0 || name == "",
			"--%s %q must have at most 63 lower-case letters, digits and hyphens, and start with a letter", flag, name)
	}
	if o.Singular != "" || kindIsRight { // a name that is made of a wrong kind is the same mistake
		resource("singular", a.Singular)
	}
	if o.Plural != "" || kindIsRight {
		resource("plural", a.Plural)
	}
	for _, n := range a.ShortNames {
		resource("short-names", n)
		check(n != a.Plural && n != a.Singular, "--short-names %q is the plural or the singular already", n)
	}
	for _, n := range a.Categories {
		resource("categories", n)
	}
	switch strings.ToLower(o.Scope) {
	case "", "namespaced":
		a.Scope, a.Namespaced = "Namespaced", true
	case "cluster":
		a.Scope = "Cluster"
	default:
		check(false, "--scope %q must be Namespaced or Cluster", o.Scope)
	}
	var err error
	if a.Fields, err = fields.Parse(o.Fields, fields.Options{Kind: a.Kind, Status: a.Status}); err != nil {
		problems = append(problems, err)
	}
	if a.Owns, err = ParseOwned(o.Owns, a.Namespaced); err != nil {
		problems = append(problems, err)
	}
	a.TypesFile, a.Sample, a.Controller = cmp.Or(o.TypesFile, defaultTypesFile), cmp.Or(o.Sample, a.Singular), strings.ReplaceAll(a.Singular, "-", "")
	return a, errors.Join(problems...)
}

// HasField reports whether the API has a field, by its path below spec, or with status. in front by that below status, and
// whether its Go type is one of those named, if any are.
func (a *API) HasField(path string, goTypes ...string) bool {
	return a.Fields.Has(path) && (len(goTypes) == 0 || slices.Contains(goTypes, a.Fields.GoType(path)))
}

func upperFirst(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
