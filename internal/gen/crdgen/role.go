// SPDX-License-Identifier: Apache-2.0

package crdgen

import (
	"context"

	"sigs.k8s.io/controller-tools/pkg/rbac"

	"github.com/crdctl/crdctl/internal/gen/crdform"
	"github.com/crdctl/crdctl/internal/gen/load"
)

// Role returns the role that the +kubebuilder:rbac markers in the packages ask for, as controller-gen writes it, or nil
// if there are none.
func Role(ctx context.Context, dir string, env *load.Env, importPaths []string, name string) ([]byte, error) {
	// The markers are comments of these packages. What they import may be the client that the same run is about to make, or
	// to repair, or to refuse to overwrite.
	const alone = true
	out, err := generate(ctx, dir, env, importPaths, rbac.Generator{RoleName: name}, "cannot generate the role", load.ListAlone, alone)
	if err != nil || out[crdform.RoleFile] == nil {
		return nil, err
	}
	return out[crdform.RoleFile].Bytes(), nil
}
