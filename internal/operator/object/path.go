// SPDX-License-Identifier: Apache-2.0

package object

import "k8s.io/apimachinery/pkg/runtime/schema"

// Path returns the path, in segments, at which an API server has a resource: in one namespace, or everywhere if that is "".
func Path(resource schema.GroupVersionResource, namespace string) []string {
	path := []string{"/apis", resource.Group, resource.Version}
	if resource.Group == "" {
		path = []string{"/api", resource.Version}
	}
	if namespace != "" {
		path = append(path, "namespaces", namespace)
	}
	return append(path, resource.Resource)
}
