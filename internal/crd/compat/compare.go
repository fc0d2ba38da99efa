// SPDX-License-Identifier: Apache-2.0

package compat

import (
	"context"
	"slices"
	"strings"
	"sync"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// compare holds one object against both CRDs.
func compare(ctx context.Context, before, after *resource, u *unstructured.Unstructured) ([]Finding, error) {
	var found []Finding
	own := versionOf(u)
	for _, to := range after.targets(own) {
		wrong, err := worse(ctx, before, after, u, to)
		if err != nil {
			return nil, err
		}
		if len(wrong) > 0 {
			refused, err := refusals(ctx, before, after, u, to)
			if err != nil {
				return nil, err
			}
			if wrong.block() { // no rule was run; an update that leaves the wrong value runs them
				for _, w := range Writes {
					for _, p := range slices.Clone(refused[w]).without(wrong) {
						if p.rule && !strings.Contains(p.Detail, wrongShape) {
							wrong = append(wrong, p)
						}
					}
				}
			}
			f := finding(u, to, Invalid, wrong.fields(), wrong.messages())
			f.Problems = wrong.public(refused)
			for _, w := range Writes {
				if refused[w] != nil {
					f.Writes = append(f.Writes, w)
				}
			}
			found = append(found, f)
		}
	}
	lost, err := dropped(before, after, u)
	if len(lost) > 0 {
		found = append(found, finding(u, own, Dropped, lost, nil))
	}
	return found, err
}

// wrongShape is in what the API server says of a rule that it ran on a value of another type: the type is wrong, and not what the rule asks for.
const wrongShape = "invalid data, expected"

// worse is what is wrong with an object at a version of the changed CRD, and was not under the current one.
func worse(ctx context.Context, before, after *resource, u *unstructured.Unstructured, to string) (problems, error) {
	now, _, err := after.read(u, to)
	if err != nil {
		return nil, err
	}
	at := to
	if before.versions[at] == nil {
		at = versionOf(u) // a new version: the object was valid or not at its own
	}
	// Most objects are valid, and what they were does not matter then.
	was := sync.OnceValues(func() (map[string]any, error) {
		object, _, err := before.read(u, at)
		return object, err
	})
	wrong := valuesOf(after.versions[to].Values(ctx, now))
	if len(wrong) > 0 {
		object, err := was()
		if err != nil {
			return nil, err
		}
		wrong = wrong.without(valuesOf(before.versions[at].Values(ctx, object)))
	}
	if wrong.block() {
		return wrong, nil
	}
	broken := rulesOf(after.versions[to].Rules(ctx, now))
	if len(broken) > 0 {
		object, err := was()
		if err != nil {
			return nil, err
		}
		broken = broken.without(rulesOf(before.versions[at].Rules(ctx, object)))
	}
	return append(wrong, broken...), nil
}

// dropped are the fields that an object loses when it is stored again under the changed CRD, and only there.
func dropped(before, after *resource, u *unstructured.Unstructured) ([]string, error) {
	to := after.stores(versionOf(u))
	if to == "" {
		return nil, nil
	}
	_, now, err := after.read(u, to)
	if err != nil || len(now) == 0 {
		return nil, err
	}
	_, was, err := before.read(u, before.stores(versionOf(u)))
	now = slices.DeleteFunc(now, func(path string) bool {
		return slices.ContainsFunc(was, func(p string) bool {
			return path == p || strings.HasPrefix(path, p+".") || strings.HasPrefix(path, p+"[")
		})
	})
	slices.Sort(now)
	return slices.Compact(now), err
}

// gone are the versions that the changed CRD has not, and that objects are or may be stored in, with the names of these objects.
type gone struct {
	after *resource
	of    map[string][]string
}

func newGone(current *apiextv1.CustomResourceDefinition, after *resource) gone {
	g := gone{after, map[string][]string{}}
	for _, stored := range current.Status.StoredVersions {
		if after.versions[stored] == nil {
			g.of[stored] = nil
		}
	}
	return g
}

func (g gone) add(u *unstructured.Unstructured) {
	if version := versionOf(u); g.after.versions[version] == nil {
		g.of[version] = append(g.of[version], name(u.GetNamespace(), u.GetName()))
	}
}

func (g gone) findings(current *apiextv1.CustomResourceDefinition) (found []Finding) {
	for version, names := range g.of {
		slices.Sort(names)
		f := Finding{Version: version, Kind: Gone}
		if len(names) > 0 {
			f.Messages = append(f.Messages, "objects of it: "+bounded(names, ", "))
		}
		if slices.Contains(current.Status.StoredVersions, version) {
			f.Messages = append(f.Messages, "status.storedVersions has it: keep it, with served: false, until no object is stored in it")
		}
		found = append(found, f)
	}
	return found
}

func versionOf(u *unstructured.Unstructured) string { return u.GroupVersionKind().Version }
