// SPDX-License-Identifier: Apache-2.0

package scaffold

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// defaultTypesFile is the file of the first kind of a version, less its .go.
const defaultTypesFile = "types"

// Find returns the API of a group, version and kind, nil if there is none.
func (p *Project) Find(group, version, kind string) *API {
	i := slices.IndexFunc(p.APIs, func(a *API) bool { return a.Group == group && a.Version == version && a.Kind == kind })
	if i < 0 {
		return nil
	}
	return p.APIs[i]
}

// Kinds are the versions of a kind, in the order in which they came.
func (p *Project) Kinds(group, kind string) []*API {
	return slices.DeleteFunc(slices.Clone(p.APIs), func(a *API) bool { return a.Group != group || a.Kind != kind })
}

const (
	takenByKubectl = "is reserved: kubectl treats an object of that kind as an API server response and cannot apply it"
	takenByMeta    = "is registered in every group by apimachinery, so the program would panic at startup"
)

// takenKinds are the kinds that apimachinery has a meaning for in every group, with what comes of another type of that name:
// those that metav1.AddToGroupVersion registers, and those that kubectl's decoder looks for.
var takenKinds = map[string]string{
	"List": takenByKubectl, "Status": takenByKubectl, "APIVersions": takenByKubectl, "APIGroup": takenByKubectl,
	"APIGroupList": takenByKubectl, "APIResourceList": takenByKubectl,
	"WatchEvent": takenByMeta, "ListOptions": takenByMeta, "GetOptions": takenByMeta, "DeleteOptions": takenByMeta,
	"CreateOptions": takenByMeta, "UpdateOptions": takenByMeta, "PatchOptions": takenByMeta,
}

// ErrExists is the error of adding an API that the project has.
var ErrExists = errors.New("exists already")

// Add adds an API, and decides the names that depend on those that are there. A further version of a kind has the kind's
// names and scope; options that say otherwise are refused.
func (p *Project) Add(o APIOptions) (*API, error) {
	if p.Find(o.Group, o.Version, o.Kind) != nil {
		return nil, fmt.Errorf("%s %s of %s %w; edit its Go types, and run \"crdctl generate\"", o.Version, o.Kind, o.Group, ErrExists)
	}
	if reason := takenKinds[o.Kind]; reason != "" {
		return nil, fmt.Errorf("--kind %q %s; choose another, for example Task%s", o.Kind, reason, o.Kind)
	}
	siblings := p.Kinds(o.Group, o.Kind)
	if len(siblings) > 0 {
		if err := inherit(&o, siblings[0]); err != nil {
			return nil, err
		}
	}
	a, err := NewAPI(o)
	if err != nil {
		return nil, err
	}
	if err := p.checkNames(a); err != nil {
		return nil, err
	}
	if err := p.checkTypes(a); err != nil {
		return nil, err
	}
	a.Folder = p.freeFolder(a)
	in := slices.DeleteFunc(slices.Clone(p.APIs), func(b *API) bool { return b.Group != a.Group || b.Version != a.Version })
	if slices.ContainsFunc(in, func(b *API) bool { return b.TypesFile == a.TypesFile }) {
		a.TypesFile = strings.ReplaceAll(a.Singular, "-", "") + "_types"
	}
	for _, name := range []string{a.Singular, a.GroupFolder() + "-" + a.Singular, a.GroupFolder() + "-" + a.Singular + "-" + a.Version} {
		if a.Sample = name; !slices.ContainsFunc(p.APIs, func(b *API) bool { return b.Sample == name }) {
			break
		}
		if len(siblings) > 0 {
			a.Sample = a.Singular + "-" + a.Version
			break
		}
	}
	a.Controller = ""
	if len(siblings) == 0 && !o.NoController {
		a.Controller = p.freeController(a)
	}
	if o.Storage {
		for _, b := range siblings {
			b.Storage = false
		}
	}
	p.APIs = append(p.APIs, a)
	return a, p.convert(a, o.Conversion)
}

// Remove takes an API out. A version that is left alone is stored and converted as any kind of one version.
func (p *Project) Remove(api *API) {
	p.APIs = slices.DeleteFunc(p.APIs, func(a *API) bool { return a == api })
	if left := p.Kinds(api.Group, api.Kind); len(left) == 1 {
		left[0].Storage, left[0].Conversion = false, ""
	}
}

// inherit takes from a version of the kind what all its versions share, and refuses what contradicts that. A further version
// has no status where that one has none, unless it is given fields of a status: a conversion would lose the status.
func inherit(o *APIOptions, a *API) error {
	inStatus := func(f string) bool { return strings.HasPrefix(f, "status.") }
	if !a.Status && !o.Imported && !slices.ContainsFunc(o.Fields, inStatus) {
		o.NoStatus = true
	}
	list := func(names []string) string { return strings.Join(names, ",") }
	for _, x := range []struct{ flag, is, given string }{
		{"plural", a.Plural, o.Plural}, {"singular", a.Singular, o.Singular}, {"scope", a.Scope, o.Scope},
		{"short-names", list(a.ShortNames), list(o.ShortNames)}, {"categories", list(a.Categories), list(o.Categories)},
	} {
		if x.given != "" && !strings.EqualFold(x.given, x.is) {
			return fmt.Errorf("--%s %q: all versions of a kind share this, and %s exists in %s with %q; omit --%s", x.flag, x.given, a.Kind, a.Version, x.is, x.flag)
		}
	}
	o.Plural, o.Singular, o.Scope, o.ShortNames, o.Categories = a.Plural, a.Singular, a.Scope, a.ShortNames, a.Categories
	return nil
}
