// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"context"
	"errors"
	"fmt"

	"github.com/crdctl/crdctl/internal/check/project"
	"github.com/crdctl/crdctl/internal/check/rule"
	"github.com/crdctl/crdctl/internal/text"
)

// Cluster is a cluster that CRDs are read from, one at a time.
type Cluster interface {
	// CRD is the CRD of a name, as JSON; nil if there is none.
	CRD(ctx context.Context, name string) ([]byte, error)
}

// live compares the CRDs of the project with those of a cluster; judged has how many that were.
func live(ctx context.Context, p *project.Project, c Cluster) (all []rule.Finding, judged string, err error) {
	if p == nil || len(p.CRDs) == 0 {
		return nil, "", errors.New("--against-cluster: no CustomResourceDefinition of the project was found; run \"crdctl generate\", or set crds.dir in crdctl.yaml")
	}
	var absent []rule.Finding
	for _, crd := range p.CRDs {
		data, err := c.CRD(ctx, crd.Name)
		if err != nil {
			return all, "", fmt.Errorf("--against-cluster: %w", err)
		}
		at := crd.InManifest("metadata", "name")
		if data == nil {
			absent = append(absent, rule.New("cluster-crd-missing", at, crd.Name, "the cluster does not have the CRD %s", crd.Name))
			continue
		}
		found, err := project.Parse("CRD "+crd.Name+" of the cluster", data)
		if err == nil && len(found) != 1 {
			err = errors.New("the answer is not a CustomResourceDefinition with a group, a kind and versions")
		}
		if err != nil {
			return all, "", fmt.Errorf("--against-cluster: the CRD %s of the cluster cannot be read: %w", crd.Name, err)
		}
		all = append(all, older(crd, found[0])...)
	}
	if len(absent) == len(p.CRDs) {
		return nil, "", errors.New("--against-cluster: the cluster has no CRD of the project; name the context of another cluster with --context")
	}
	return append(all, absent...), text.Count(len(p.CRDs)-len(absent), "CRD", "CRDs") + " of the cluster", nil
}

// older finds what a CRD of a cluster has from an earlier release of the project.
func older(crd, of *project.CRD) (all []rule.Finding) {
	for _, version := range of.Status.StoredVersions {
		if crd.Version(version) == nil {
			all = append(all, rule.New("stored-version-gone", crd.InManifest("spec", "versions"), crd.Subject(version),
				"the cluster may have objects of %s that are stored as %s, which the CRD does not have", crd.Name, version))
		}
	}
	lacks, _ := differences(crd, of)
	if len(lacks) == 0 {
		return all
	}
	f := rule.New("cluster-crd-old", crd.InManifest("metadata", "name"), crd.Name, "the CRD %s of the cluster %s", crd.Name, inTotal(lacks))
	if of.Labels["app.kubernetes.io/managed-by"] == "Helm" || of.Annotations["meta.helm.sh/release-name"] != "" {
		f.Message += "; Helm installed it"
	}
	f.Fix = "kubectl apply --server-side -f " + crd.File + ", before the new controller starts."
	return append(all, f)
}
