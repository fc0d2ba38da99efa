// SPDX-License-Identifier: Apache-2.0

package run

import (
	"context"
	"errors"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdctl/crdctl/internal/crd/manifest"
)

// applySamples applies the samples as they are now. Users apply them with kubectl, too.
func (i *installer) applySamples(ctx context.Context) error {
	samples, err := i.sources.read(i.Project.Controller.Samples)
	samples = slices.DeleteFunc(samples, manifest.Object.IsCRD)
	i.sources.place(samples)
	once, others := oncePerObject(samples, i.installed)
	var notes []string
	for _, o := range others {
		notes = append(notes, fmt.Sprintf("%s: not applied: another sample has the same object, %s, in another version", o.Place(), nameOf(o.Unstructured)))
	}
	for _, note := range notes {
		if !slices.Contains(i.others, note) {
			i.reporter.Note("%s", note)
		}
	}
	i.others = notes
	return errors.Join(err, i.applier.apply(ctx, once, true))
}

// oncePerObject keeps one of the samples that are the same object in different versions: that of the version that is stored,
// or else the last. Applied one after the other, each would undo the one before.
func oncePerObject(samples []manifest.Object, crds []manifest.CRD) (kept, others []manifest.Object) {
	for _, o := range samples {
		i := slices.IndexFunc(kept, func(k manifest.Object) bool { return o.GetName() != "" && sameObject(k, o) })
		switch {
		case i < 0:
			kept = append(kept, o)
		case isStorage(kept[i], crds):
			others = append(others, o)
		default:
			others = append(others, kept[i])
			kept[i] = o
		}
	}
	return kept, others
}

// sameObject reports whether two manifests are of one object, whatever their versions. A namespace that is not named is the
// default one.
func sameObject(a, b manifest.Object) bool {
	namespace := func(o manifest.Object) string {
		if o.GetNamespace() == "" {
			return corev1.NamespaceDefault
		}
		return o.GetNamespace()
	}
	return a.GroupVersionKind().GroupKind() == b.GroupVersionKind().GroupKind() && a.GroupVersionKind().Version != b.GroupVersionKind().Version &&
		a.GetName() == b.GetName() && namespace(a) == namespace(b)
}

func isStorage(o manifest.Object, crds []manifest.CRD) bool {
	gvk := o.GroupVersionKind()
	for _, crd := range crds {
		if crd.Spec.Group != gvk.Group || crd.Spec.Names.Kind != gvk.Kind {
			continue
		}
		for _, v := range crd.Spec.Versions {
			if v.Name == gvk.Version {
				return v.Storage
			}
		}
	}
	return false
}

// maxLastApplied is well below the 256 KiB that all annotations of an object may have together.
const maxLastApplied = 200 << 10

// setLastApplied gives an object the annotation that "kubectl apply" would leave. Without it, the next one warns, and does not
// know which fields have left the manifest.
func setLastApplied(o *unstructured.Unstructured) error {
	unstructured.RemoveNestedField(o.Object, "metadata", "annotations", corev1.LastAppliedConfigAnnotation)
	content, err := o.MarshalJSON()
	if err != nil || len(content) > maxLastApplied {
		return err
	}
	annotations := o.GetAnnotations()
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[corev1.LastAppliedConfigAnnotation] = string(content)
	o.SetAnnotations(annotations)
	return nil
}
