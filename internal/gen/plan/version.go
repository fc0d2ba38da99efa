// SPDX-License-Identifier: Apache-2.0

package plan

import "fmt"

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
