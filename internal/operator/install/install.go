// Package install makes the manifests that a cluster needs to run crdctl's built-in loop for some CRDs: the CRDs, a service
// account with no more rights than the loop uses, what hooks and templates are made of, and a Deployment.
//
// It reads the files of hooks and templates, and writes none; it talks to no cluster and does not run the loop. What the loop
// asks the API server for is in rights.go: it changes when the loop does.
package install

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdctl/crdctl/internal/config"
)

// Options say what to deploy.
type Options struct {
	// Root is the folder that the paths in Loop are relative to.
	Root string
	// Loop are the settings of the loop, checked and with defaults.
	Loop config.Loop
	// CRDs are the kinds to follow, and to install.
	CRDs []*apiextv1.CustomResourceDefinition
	// Namespace is where the controller itself is to be.
	Namespace string
	// Image has crdctl as its entry point.
	Image string
	// Replicas is how many pods there are.
	Replicas int
}

// Set is all that is to be applied, and what was taken for granted.
type Set struct {
	// Files are in the order in which they have to be applied.
	Files []File
	// Notes are for the user to read, one a line.
	Notes []string
}

// File is one concern.
type File struct {
	Name    string
	Objects []any
}

// New makes all objects. The same options give the same objects.
func New(o Options) (*Set, error) {
	if len(o.CRDs) == 0 {
		return nil, errors.New("no CustomResourceDefinition to work on; name a manifest with -f, or its folder as crds.dir in " + config.FileName)
	}
	o.CRDs = slices.Clone(o.CRDs)
	slices.SortFunc(o.CRDs, func(a, b *apiextv1.CustomResourceDefinition) int { return strings.Compare(a.Name, b.Name) })
	for i, crd := range o.CRDs[1:] {
		if crd.Name == o.CRDs[i].Name {
			return nil, fmt.Errorf("customresourcedefinition %s is there twice; name it once", crd.Name)
		}
	}
	set := &Set{}
	note := func(format string, args ...any) {
		if text := fmt.Sprintf(format, args...); !slices.Contains(set.Notes, text) {
			set.Notes = append(set.Notes, text)
		}
	}

	cargo, err := o.pack(note)
	if err != nil {
		return nil, err
	}
	rights, err := o.rights(cargo.customizes, note)
	if err != nil {
		return nil, err
	}
	if o.Loop.Shards > 1 && o.Replicas < 2 {
		note("%d shards and one replica: it works on all of them; set --replicas", o.Loop.Shards)
	}
	add := func(name string, objects ...any) {
		if len(objects) > 0 {
			set.Files = append(set.Files, File{Name: name, Objects: objects})
		}
	}
	add("0-crds.yaml", crds(o.CRDs)...)
	add("1-namespace.yaml", o.namespace()...)
	add("2-rbac.yaml", o.roles(rights)...)
	add("3-config.yaml", cargo.objects...)
	add("4-deployment.yaml", o.deployment(cargo))
	add("5-disruption.yaml", o.disruptionBudget()...)
	return set, nil
}

func crds(definitions []*apiextv1.CustomResourceDefinition) (all []any) {
	for _, crd := range definitions {
		all = append(all, crd)
	}
	return all
}
