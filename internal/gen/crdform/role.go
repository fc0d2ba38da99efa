// SPDX-License-Identifier: Apache-2.0

package crdform

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"

	"go.yaml.in/yaml/v3"
	k8syaml "sigs.k8s.io/yaml"
)

// RoleFile is the file that a role is written to.
const RoleFile = "role.yaml"

// OwnsRole reports whether a file has nothing but roles that were generated before; made is what the markers ask for now, nil for
// nothing. They bear no mark, and so it cannot be told in general. The file is generated if
//   - it has a role of the name that the settings give, and is in the form of controller-gen: markers with names of their own
//     come and go, and there may be no markers any more; or
//   - the settings or the markers give all of its names; or
//   - it is the one that is made now, byte by byte, but for the name that the settings gave then.
//
// The form alone proves nothing: people write their roles like that too. Nor do names, where the file is to go for good.
func OwnsRole(manifest []byte, name string, made []byte) bool {
	names, err := roleNames(manifest)
	switch {
	case err != nil:
		return false
	case len(names) == 0:
		return len(manifest) == 0
	case slices.Contains(names, name) && inForm(manifest):
		return true
	case made == nil:
		return false
	}
	renamed := func(old string) bool {
		return bytes.Equal(manifest, bytes.ReplaceAll(made, nameLine(name), nameLine(old)))
	}
	return unknownRole(names, name, made) == "" || slices.ContainsFunc(names, renamed)
}

// PlaceholderRole reports whether a file is the role that kubebuilder scaffolds for want of markers. People do not keep it: the first
// "make manifests" overwrites it. It has a label of kubebuilder's manifests, which controller-gen never writes, and one rule, about pods.
func PlaceholderRole(manifest []byte) bool {
	var role struct {
		Metadata struct{ Labels map[string]string }
		Rules    []struct{ Resources, Verbs []string }
	}
	if names, err := roleNames(manifest); err != nil || len(names) != 1 || yaml.Unmarshal(manifest, &role) != nil {
		return false
	}
	return role.Metadata.Labels["app.kubernetes.io/managed-by"] == "kustomize" && len(role.Rules) == 1 &&
		slices.Equal(role.Rules[0].Resources, []string{"pods"}) && slices.Equal(role.Rules[0].Verbs, []string{"get", "list", "watch"})
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
	return fmt.Sprintf("it has the role %s, but rbac.roleName is %s: delete it if it was generated under the old name; if it is yours, move it away or set another rbac.dir", old, name)
}

// AboutLeftRole says what to do about a file that OwnsRole does not know and that no marker asks for, and that may be generated
// all the same; "" where there is nothing to be said.
func AboutLeftRole(manifest []byte, name string) string {
	names, err := roleNames(manifest)
	if err != nil || OwnsRole(manifest, name, nil) || !slices.Contains(names, name) && !inForm(manifest) {
		return ""
	}
	return "no +kubebuilder:rbac marker asks for it: delete it if it was generated; if it is yours, move it away or set another rbac.dir"
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

// RolesInForm returns the names of the roles in a file that has the form in which controller-gen writes a role.yaml; ok is
// false for any other file.
func RolesInForm(manifest []byte) (names []string, ok bool) {
	names, err := roleNames(manifest)
	return names, err == nil && len(names) > 0 && inForm(manifest)
}

// roleNames are the names of the roles in a file that has nothing else, each once.
func roleNames(manifest []byte) (names []string, err error) {
	return namesOf(manifest, "ClusterRole", "Role")
}

// namesOf are the names of the objects of some kinds in a file that has no others, each once.
func namesOf(manifest []byte, kinds ...string) (names []string, err error) {
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
		if !slices.Contains(kinds, doc.Kind) {
			return nil, fmt.Errorf("it has a %s", doc.Kind)
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
