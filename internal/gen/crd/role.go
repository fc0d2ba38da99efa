package crd

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"go.yaml.in/yaml/v3"
	"golang.org/x/tools/go/packages"
	"sigs.k8s.io/controller-tools/pkg/rbac"
	k8syaml "sigs.k8s.io/yaml"

	"github.com/crdctl/crdctl/internal/gen/load"
)

// RoleFile is the file that the role is written to.
const RoleFile = "role.yaml"

// Role returns the role that the +kubebuilder:rbac markers in the packages ask for, as controller-gen writes it, or nil
// if there are none.
func Role(ctx context.Context, dir string, env *load.Env, importPaths []string, name string) ([]byte, error) {
	// The markers are comments of these packages. What they import may be the client that the same run is about to make, or
	// to mend.
	alone := func(*packages.Package) bool { return false }
	out, err := generate(ctx, dir, env, importPaths, rbac.Generator{RoleName: name}, "make the role", load.ListAlone, alone)
	if err != nil || out[RoleFile] == nil {
		return nil, err
	}
	return out[RoleFile].Bytes(), nil
}

// OwnsRole tells whether a file has nothing but roles that were generated before. They bear no mark, and so nobody can tell
// in general: either all of them have names that the settings or the markers give, or the file is the one that is made
// now, byte by byte, but for the name that the settings gave then. A form that controller-gen could have written proves
// nothing: people write their roles like that too.
func OwnsRole(manifest []byte, name string, made []byte) bool {
	names, err := roleNames(manifest)
	if err != nil {
		return false
	}
	renamed := func(old string) bool {
		return bytes.Equal(manifest, bytes.ReplaceAll(made, nameLine(name), nameLine(old)))
	}
	return unknownRole(names, name, made) == "" || slices.ContainsFunc(names, renamed)
}

// AboutRole says what to do about a file that OwnsRole does not know; "" where there is nothing to be said of roles.
func AboutRole(manifest []byte, name string, made []byte) string {
	names, err := roleNames(manifest)
	if err != nil {
		return ""
	}
	old := unknownRole(names, name, made)
	if old == "" {
		return ""
	}
	return fmt.Sprintf("it has the role %s, and rbac.roleName is %s: delete the file if it was generated under the old name, or if it is yours, move it away or name another rbac.dir", old, name)
}

// unknownRole is the first of the names that neither the settings nor the markers give a role, or "".
func unknownRole(names []string, name string, made []byte) string {
	given, _ := roleNames(made) // what is made is in order
	for _, n := range names {
		if n != name && !slices.Contains(given, n) {
			return cmp.Or(n, "without a name")
		}
	}
	return ""
}

// roleNames are the names of the roles in a file that has nothing else, each once.
func roleNames(manifest []byte) (names []string, err error) {
	for dec := yaml.NewDecoder(bytes.NewReader(manifest)); ; {
		var doc struct {
			Kind     string
			Metadata struct{ Name string }
		}
		if err := dec.Decode(&doc); errors.Is(err, io.EOF) {
			return names, nil
		} else if err != nil {
			return nil, err
		}
		if doc.Kind != "ClusterRole" && doc.Kind != "Role" {
			return nil, fmt.Errorf("a %s is no role", doc.Kind)
		}
		if !slices.Contains(names, doc.Metadata.Name) {
			names = append(names, doc.Metadata.Name)
		}
	}
}

// nameLine is the line of a generated role that has its name, with the one above it.
func nameLine(name string) []byte {
	line, err := k8syaml.Marshal(map[string]string{"name": name})
	if err != nil {
		return nil // no text fails
	}
	return slices.Concat([]byte("\nmetadata:\n  "), line)
}
