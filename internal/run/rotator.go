// SPDX-License-Identifier: Apache-2.0

package run

import (
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdctl/crdctl/internal/crd/manifest"
	"github.com/crdctl/crdctl/internal/run/pod"
)

// rotatedSecrets are the Secrets in which the controller keeps the certificates of its webhooks: those that its pod mounts and that the
// manifests leave empty. There are none without a rotator in its sources.
func (i *installer) rotatedSecrets(objects []manifest.Object, workload manifest.Object) (secrets []manifest.Object) {
	template, ok := pod.TemplateOf(workload)
	if !ok || i.applier == nil || i.program.source.Authority == "" {
		return nil
	}
	if len(i.program.source.CertDirs) == 0 && slices.ContainsFunc(objects, hasCertManagement) {
		return nil
	}
	if own, none := i.program.certSwitches(); len(own)+len(none) > 0 {
		return nil
	}
	for _, o := range objects {
		data, _, _ := unstructured.NestedMap(o.Object, "data")
		if o.GetKind() == "Secret" && len(data) == 0 && slices.ContainsFunc(template.Spec.Volumes, func(v corev1.Volume) bool { return v.Secret != nil && v.Secret.SecretName == o.GetName() }) {
			secrets = append(secrets, o)
		}
	}
	return secrets
}

// hasCertManagement reports whether an object has a configuration file with the switch of the rotator.
func hasCertManagement(o manifest.Object) bool {
	files, _, _ := unstructured.NestedStringMap(o.Object, "data")
	return o.GetKind() == "ConfigMap" && slices.ContainsFunc(slices.Collect(maps.Values(files)), func(content string) bool {
		return strings.Contains(content, certManagement+":")
	})
}

// fill puts the certificate of this run into the Secrets: the rotator finds nothing to renew there, and has the configurations of the
// webhooks trust it.
func (i *installer) fill(secrets, objects []manifest.Object) error {
	if len(secrets) > 0 && i.hooks.secret == nil {
		if err := i.hooks.rotate(i.program.source.Authority, serviceHosts(objects)); err != nil {
			return err
		}
	}
	for _, o := range secrets {
		if err := unstructured.SetNestedStringMap(o.Object, i.hooks.secret, "data"); err != nil {
			return err
		}
	}
	return nil
}

// serviceHosts are the names by which a cluster reaches the services among objects.
func serviceHosts(objects []manifest.Object) (hosts []string) {
	for _, o := range objects {
		if o.GetKind() == "Service" && o.GetNamespace() != "" {
			hosts = append(hosts, o.GetName()+"."+o.GetNamespace()+".svc")
		}
	}
	return hosts
}
