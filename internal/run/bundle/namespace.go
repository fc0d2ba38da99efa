// SPDX-License-Identifier: Apache-2.0

package bundle

import (
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdctl/crdctl/internal/run/kustomization"
)

// moved is an object with another namespace than the one that the controller has in its manifests: where the object is, what
// subjects and services it refers to, the DNS names of services, and annotations that name an object of the namespace.
func moved(object map[string]any, from, to string) map[string]any {
	m := move{from, to}
	out, _ := m.value("", object).(map[string]any)
	if metadata, ok := out["metadata"].(map[string]any); ok && out["kind"] == "Namespace" && metadata["name"] == from {
		metadata["name"] = to
	}
	return out
}

// place puts an object whose manifest names no namespace into one, if its kind has namespaces.
func place(object map[string]any, namespace string) {
	o := &unstructured.Unstructured{Object: object}
	namespaced := kustomization.Namespaced(o.GetAPIVersion(), o.GetKind()) || isCertificate(o) && o.GetKind() != "ClusterIssuer"
	if o.GetNamespace() == "" && namespaced {
		o.SetNamespace(namespace)
	}
}

type move struct{ from, to string }

// value is a copy of a value below a key.
func (m move) value(key string, value any) any {
	switch v := value.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, inner := range v {
			out[k] = m.value(k, inner)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, inner := range v {
			out[i] = m.value(key, inner)
		}
		return out
	case string:
		return m.text(key, v)
	}
	return value
}

func (m move) text(key, text string) string {
	switch {
	case key == "namespace" && text == m.from:
		return m.to
	case key == "cert-manager.io/inject-ca-from":
		if name, ok := strings.CutPrefix(text, m.from+"/"); ok {
			return m.to + "/" + name
		}
	case key == "args" || key == "command":
		if flag, ok := strings.CutSuffix(text, "="+m.from); ok {
			return flag + "=" + m.to
		}
	}
	return strings.ReplaceAll(text, "."+m.from+".svc", "."+m.to+".svc")
}
