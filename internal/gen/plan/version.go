// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"fmt"

	"golang.org/x/mod/semver"
)

// The minor versions of code-generator in which its programs learnt flags, and kube_codegen.sh to pass them. An engine of an
// older version refuses a flag that it does not know, so none is given without need.
const (
	hasValidation = 33
	// hasModelNames is also when gen_openapi began to take every +k8s:openapi tag, and to define resource.Quantity.
	hasModelNames      = 35
	hasReadOnlyPackage = 36
)

// since reports whether the project's generators are of a minor version or a newer one. What is not a release counts as new.
func (b *planner) since(minor int) bool {
	n := 0
	_, err := fmt.Sscanf(b.version, "v0.%d", &n)
	return err != nil || n >= minor
}

// readOnly are the flags for packages of which nothing is written.
func (b *planner) readOnly() []string {
	if !b.since(hasReadOnlyPackage) {
		return nil
	}
	return flags("--readonly-pkg", b.settings.Validation.ReadOnlyPackages)
}

// readOnlyOpenAPI is older than the first version of kube-openapi whose openapi-gen knows the flag for such packages, and newer than the last
// that does not.
const readOnlyOpenAPI = "v0.0.0-20260128000000-000000000000"

// readOnlyTypes are these flags for openapi-gen, which may have a version of its own.
func (b *planner) readOnlyTypes() []string {
	if v := b.settings.OpenAPI.Version; v != "" && semver.Compare(v, readOnlyOpenAPI) < 0 {
		return nil
	}
	return b.readOnly()
}

// openAPIBase are read by gen_openapi of kube_codegen.sh wherever it runs: most API types refer to them.
func (b *planner) openAPIBase() []string {
	base := []string{"k8s.io/apimachinery/pkg/apis/meta/v1", "k8s.io/apimachinery/pkg/runtime", "k8s.io/apimachinery/pkg/version"}
	if b.since(hasModelNames) {
		base = append(base, "k8s.io/apimachinery/pkg/api/resource")
	}
	return base
}

// openAPITag is the tag that gen_openapi goes by, as a key of tags.
func (b *planner) openAPITag() string {
	if b.since(hasModelNames) {
		return "openapi"
	}
	return "openapi-gen"
}
