// SPDX-License-Identifier: Apache-2.0

package compat

import (
	"context"
	"errors"
	"fmt"
	"slices"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdctl/crdctl/internal/check/project"
	"github.com/crdctl/crdctl/internal/check/rule"
	"github.com/crdctl/crdctl/internal/text"
)

// Live is a cluster whose CRDs and objects a project is compared with.
type Live interface {
	// CRD is the CRD of a name, as JSON; nil if there is none.
	CRD(ctx context.Context, name string) ([]byte, error)
	// Objects hands out all objects of a CRD, a page at a time, which it does not keep. It ends with the error of each.
	Objects(ctx context.Context, crd *apiextv1.CustomResourceDefinition, each func(page []unstructured.Unstructured) error) error
}

// CheckLive compares the CRDs of a project with those of a cluster, and tries the objects of those that differ.
func CheckLive(ctx context.Context, p *project.Project, live Live, name string) (*Result, error) {
	old := State{}
	for _, now := range p.CRDs {
		data, err := live.CRD(ctx, now.Name)
		if err != nil {
			return nil, err
		}
		if data == nil {
			continue
		}
		crds, err := project.Parse("CRD "+now.Name+" of "+name, data)
		if err != nil {
			return nil, err
		}
		if len(crds) != 1 {
			return nil, fmt.Errorf("%s: the cluster has no CRD that could be read", now.Name)
		}
		old[now.Name] = crds[0]
	}
	if len(old) == 0 {
		return nil, errors.New("the cluster of context " + name + " has no CRD of the project; name another context with --context")
	}
	found, notes, tried, err := compare(ctx, old, StateOf(p.CRDs), func(ctx context.Context, old *project.CRD, each func(Objects) error) error {
		return live.Objects(ctx, old.CustomResourceDefinition, func(page []unstructured.Unstructured) error { return each(Objects(page).of(old)) })
	})
	r := &Result{Findings: slices.Concat(Versions(p.CRDs), found), Notes: notes, Judged: fmt.Sprintf("%s against the cluster of context %s", crds(len(old)), name)}
	if tried > 0 {
		r.Judged += ", with " + text.Count(tried, "object", "objects")
	}
	if n := len(p.CRDs) - len(old); n > 0 {
		r.Judged += fmt.Sprintf(", %d new", n)
	}
	return r, err
}

// onceStored finds versions that the status of a CRD has, in which objects may be stored still, and that went.
func (all *findings) onceStored(old, now *project.CRD) {
	for _, name := range old.Status.StoredVersions {
		if now.Version(name) == nil && name != storageOf(old) {
			all.add(rule.New("stored-version-removed", now.InManifest("spec", "versions"), now.Subject(name),
				"the version %s was removed, and status.storedVersions of the cluster's CRD still has it", name))
		}
	}
}
