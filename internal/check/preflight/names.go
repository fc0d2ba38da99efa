// SPDX-License-Identifier: Apache-2.0

package preflight

import (
	"strconv"

	"k8s.io/apimachinery/pkg/api/validation"

	"github.com/crdctl/crdctl/internal/check/project"
	"github.com/crdctl/crdctl/internal/check/rule"
)

// builtinShortNames are the short names of the kinds of Kubernetes: kubectl prefers these.
var builtinShortNames = map[string]string{
	"cm": "ConfigMap", "crd": "CustomResourceDefinition", "crds": "CustomResourceDefinition", "cs": "ComponentStatus", "cj": "CronJob", "csr": "CertificateSigningRequest",
	"deploy": "Deployment", "ds": "DaemonSet", "ep": "Endpoints", "ev": "Event", "hpa": "HorizontalPodAutoscaler", "ing": "Ingress", "ip": "IPAddress", "limits": "LimitRange",
	"netpol": "NetworkPolicy", "no": "Node", "ns": "Namespace", "pc": "PriorityClass", "pdb": "PodDisruptionBudget", "po": "Pod", "pv": "PersistentVolume",
	"pvc": "PersistentVolumeClaim", "quota": "ResourceQuota", "rc": "ReplicationController", "rs": "ReplicaSet", "sa": "ServiceAccount", "sc": "StorageClass",
	"sts": "StatefulSet", "svc": "Service", "vac": "VolumeAttributesClass",
}

// shortNames finds short names that built-in kinds have.
func shortNames(crd *project.CRD) (all []rule.Finding) {
	for i, name := range crd.Spec.Names.ShortNames {
		kind := builtinShortNames[name]
		if kind == "" {
			continue
		}
		place := crd.InManifest("spec", "names", "shortNames", strconv.Itoa(i))
		if at := ofVersion(crd, storage(crd), markers["names"]); at.File != crd.File {
			place = at
		}
		all = append(all, rule.New("short-name-builtin", place, crd.Subject(""), "the short name %s is that of %s", name, kind))
	}
	return all
}

// The API server keeps what "kubectl apply" last applied in an annotation, and all annotations together may have maxAnnotations bytes. etcd takes
// requests of maxRequest bytes.
const (
	maxAnnotations = validation.TotalAnnotationSizeLimitB
	maxRequest     = 3 << 19
)

// tooLarge finds CRDs that are too large to apply. Messages do not have the size: each change would make a new finding of it.
func tooLarge(crd *project.CRD) (all []rule.Finding) {
	switch {
	case validation.ValidateAnnotationsSize(crd.Annotations) != nil:
		f := rule.New("apply-size", crd.InManifest("metadata", "annotations"), crd.Subject(""), "the annotations have more than 256 KiB, which the API server refuses")
		f.Severity = rule.Error
		return []rule.Finding{f}
	case crd.Size > maxRequest:
		f := rule.New("apply-size", crd.InManifest("metadata", "name"), crd.Subject(""), "the CRD has more than 1.5 MiB, and etcd takes no such request")
		f.Severity = rule.Error
		return []rule.Finding{f}
	case crd.Size > maxAnnotations:
		return []rule.Finding{rule.New("apply-size", crd.InManifest("metadata", "name"), crd.Subject(""),
			"the CRD has more than 256 KiB: \"kubectl apply\" without --server-side is refused")}
	}
	return nil
}
