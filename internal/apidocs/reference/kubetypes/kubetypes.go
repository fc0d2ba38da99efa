// SPDX-License-Identifier: Apache-2.0

// Package kubetypes knows which Go types have a place in the API reference on kubernetes.io, and which.
//
// It knows their names only, of the Kubernetes that crdctl is built with, and no fields.
package kubetypes

import (
	_ "embed"
	"fmt"
	"strings"
	"sync"
)

// names has one type a line, as in core/v1.PodSpec; the test writes it.
//
//go:embed names.txt
var names string

var known = sync.OnceValue(func() map[string]bool {
	all := map[string]bool{}
	for line := range strings.Lines(names) {
		all[strings.TrimSpace(line)] = true
	}
	return all
})

// packages are the import paths of the types, less group and version.
var packages = []string{"k8s.io/api/", "k8s.io/apimachinery/pkg/apis/"}

// URL is the place of a type, such as k8s.io/api/core/v1.PodSpec, in the API reference of Kubernetes 1.minor; "" if it has none.
func URL(goType string, minor int) string {
	for _, prefix := range packages {
		name, ok := strings.CutPrefix(goType, prefix)
		if !ok || !known()[name] {
			continue
		}
		path, kind, _ := strings.Cut(name, ".")
		group, version, _ := strings.Cut(path, "/")
		return fmt.Sprintf("https://kubernetes.io/docs/reference/generated/kubernetes-api/v1.%d/#%s-%s-%s", minor, strings.ToLower(kind), version, anchors(group))
	}
	return ""
}

// anchors is the full name of a group as anchors have it.
func anchors(group string) string {
	switch group {
	case "apps", "autoscaling", "batch", "core", "meta", "policy":
		return group
	case "apiserverinternal":
		return "internal-apiserver-k8s-io"
	case "flowcontrol":
		return "flowcontrol-apiserver-k8s-io"
	case "rbac":
		return "rbac-authorization-k8s-io"
	}
	return group + "-k8s-io"
}
