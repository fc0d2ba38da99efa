package crd

import (
	"bytes"
	"context"
	"errors"
	"io"

	"go.yaml.in/yaml/v3"
	"sigs.k8s.io/controller-tools/pkg/rbac"
)

// RoleFile is the file that the role is written to.
const RoleFile = "role.yaml"

// Role returns the role that the +kubebuilder:rbac markers in the packages ask for, as controller-gen writes it, or nil
// if there are none.
func Role(ctx context.Context, dir string, importPaths []string, name string) ([]byte, error) {
	out, err := generate(ctx, dir, importPaths, rbac.Generator{RoleName: name}, "make the role")
	if err != nil || out[RoleFile] == nil {
		return nil, err
	}
	return out[RoleFile].Bytes(), nil
}

// OwnsRole tells whether a file has nothing but the generated role: it bears no mark, but all in it has the role's name.
func OwnsRole(manifest []byte, name string) bool {
	for dec := yaml.NewDecoder(bytes.NewReader(manifest)); ; {
		var doc struct {
			Kind     string
			Metadata struct{ Name string }
		}
		if err := dec.Decode(&doc); errors.Is(err, io.EOF) {
			return true
		} else if err != nil || doc.Metadata.Name != name || doc.Kind != "ClusterRole" && doc.Kind != "Role" {
			return false
		}
	}
}
