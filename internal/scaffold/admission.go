// SPDX-License-Identifier: Apache-2.0

package scaffold

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
)

// AddWebhooks adds the admission webhooks that the options ask for to an API of the project. Those that it has stay.
func (p *Project) AddWebhooks(o APIOptions) (*API, error) {
	kinds := p.Kinds(o.Group, o.Kind)
	if len(kinds) == 0 {
		return nil, fmt.Errorf("%w; add a kind with \"crdctl create api\"", p.lacks(o))
	}
	if o.Version == "" && len(kinds) > 1 {
		return nil, fmt.Errorf("%s of %s has several versions; name the one that the webhooks read with --version", o.Kind, o.Group)
	}
	a := p.Find(o.Group, cmp.Or(o.Version, kinds[0].Version), o.Kind)
	switch {
	case a == nil:
		return nil, fmt.Errorf("%s of %s has no version %s; add it with \"crdctl create api\"", o.Kind, o.Group, o.Version)
	case !o.Defaulting && !o.Validation:
		return nil, errors.New("no webhook is named; use --defaulting, --validation, or both")
	}
	a.Defaulting, a.Validation = a.Defaulting || o.Defaulting, a.Validation || o.Validation
	return a, nil
}

// RemoveWebhooks removes the admission webhooks that the options name from an API of the project, or all that it has if they name none.
func (p *Project) RemoveWebhooks(o APIOptions) (*API, error) {
	kinds := p.Kinds(o.Group, o.Kind)
	if len(kinds) == 0 {
		return nil, p.lacks(o)
	}
	version := o.Version
	if version == "" {
		admitted := slices.DeleteFunc(slices.Clone(kinds), func(a *API) bool { return !a.Admitted() })
		if len(admitted) > 1 {
			return nil, fmt.Errorf("%s of %s has webhooks in several versions; name the one to remove them from with --version", o.Kind, o.Group)
		}
		version = append(admitted, kinds...)[0].Version
	}
	a := p.Find(o.Group, version, o.Kind)
	switch {
	case a == nil:
		return nil, fmt.Errorf("%s of %s has no version %s", o.Kind, o.Group, o.Version)
	case !a.Admitted():
		return nil, fmt.Errorf("%s %s of %s does not have webhooks for defaults or validation", a.Version, a.Kind, a.Group)
	case o.Defaulting && !a.Defaulting:
		return nil, fmt.Errorf("%s %s of %s does not have a webhook for defaults; omit --defaulting", a.Version, a.Kind, a.Group)
	case o.Validation && !a.Validation:
		return nil, fmt.Errorf("%s %s of %s does not have a webhook for validation; omit --validation", a.Version, a.Kind, a.Group)
	}
	all := !o.Defaulting && !o.Validation
	a.Defaulting, a.Validation = a.Defaulting && !all && !o.Defaulting, a.Validation && !all && !o.Validation
	return a, nil
}

// lacks is the error that the project does not have the kind of the options.
func (p *Project) lacks(o APIOptions) error {
	var has []string
	for _, a := range p.APIs {
		has = append(has, a.Kind+" of "+a.Group)
	}
	return fmt.Errorf("the project does not have %s of %s; it has %s", o.Kind, o.Group, strings.Join(slices.Compact(has), ", "))
}

// Admitted reports whether the controller has a webhook for the objects of an API.
func (a *API) Admitted() bool { return a.Defaulting || a.Validation }

// WebhookPath is the path at which a webhook of the API is served; what it does is mutate or validate.
func (a *API) WebhookPath(does string) string {
	return path.Join("/", does, a.Group, a.Version, a.Plural)
}

// Exact reports whether every one of several versions of a kind has a webhook that does the same, mutate or validate: then each is
// called for its own version alone. Where a version has none, the API server converts its objects for those of the others.
func (p *Project) Exact(a *API, does string) bool {
	kinds := p.Kinds(a.Group, a.Kind)
	lacks := func(k *API) bool { return does == "mutate" && !k.Defaulting || does == "validate" && !k.Validation }
	return len(kinds) > 1 && !slices.ContainsFunc(kinds, lacks)
}

// Admitted reports whether an API of the version has a webhook.
func (v *Version) Admitted() bool { return slices.ContainsFunc(v.APIs, (*API).Admitted) }

// Admitted are the APIs that have webhooks for their objects.
func (p *Project) Admitted() []*API {
	return slices.DeleteFunc(slices.Clone(p.APIs), func(a *API) bool { return !a.Admitted() })
}

// Served reports whether the controller serves webhooks of any sort.
func (p *Project) Served() bool { return len(p.Converted()) > 0 || len(p.Admitted()) > 0 }
