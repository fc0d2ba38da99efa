// SPDX-License-Identifier: Apache-2.0

//go:build !crdctl_loop

package cmd

import (
	"cmp"
	"fmt"
	"path/filepath"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/crdctl/crdctl/internal/safefs"
	"github.com/crdctl/crdctl/internal/scaffold"
	"github.com/crdctl/crdctl/internal/workspace"
	"github.com/crdctl/crdctl/internal/workspace/mainpkg"
)

// kubebuilderProject is what the PROJECT file of kubebuilder or operator-sdk says of a project.
type kubebuilderProject struct {
	File    string         `json:"-"`
	Domain  string         `json:"domain"`
	Plugins map[string]any `json:"plugins"`
	// Resources are the kinds that it has types, a controller or webhooks for.
	Resources []struct {
		Domain  string `json:"domain"`
		Group   string `json:"group"`
		Version string `json:"version"`
		Kind    string `json:"kind"`
	} `json:"resources"`
}

// kubebuilderAt returns the project of kubebuilder that a directory is in; nil where it is in none.
func kubebuilderAt(dir string) *kubebuilderProject {
	base, err := realPath(dir)
	if err != nil {
		return nil
	}
	root := workspace.Above(base, mainpkg.ProjectFile)
	if root == "" || !mainpkg.Uses(root) {
		return nil
	}
	p := &kubebuilderProject{File: filepath.Join(root, mainpkg.ProjectFile)}
	data, err := safefs.ReadFile(p.File, safefs.MaxFile)
	if err != nil || yaml.Unmarshal(data, p) != nil {
		return nil // a file of that name is not always kubebuilder's
	}
	return p
}

// apis are the kinds of the project. That of a core resource, such as a Deployment, has no domain.
func (p *kubebuilderProject) apis() (all []namedAPI) {
	for _, r := range p.Resources {
		group := r.Group
		switch {
		case group == "":
			group = r.Domain
		case r.Domain != "":
			group += "." + r.Domain
		}
		all = append(all, namedAPI{group, r.Version, r.Kind})
	}
	return all
}

// tool is the program that scaffolded the project.
func (p *kubebuilderProject) tool() string {
	for name := range p.Plugins {
		if strings.Contains(name, "sdk.operatorframework.io") {
			return "operator-sdk"
		}
	}
	return "kubebuilder"
}

// hint is what to do with the project's own tool, instead of the command of crdctl that works in its own scaffold.
func (p *kubebuilderProject) hint(verb string, api scaffold.APIOptions) string {
	switch verb {
	case "upgrade":
		return fmt.Sprintf("run \"%s alpha update\"", p.tool())
	case "delete":
		return fmt.Sprintf("%s has no command for it: remove the types, the controller and the entry in %s manually", p.tool(), mainpkg.ProjectFile)
	case "delete webhook":
		return fmt.Sprintf("run \"%s delete webhook\" if it has that command, or remove the webhook, its manifests and the entry in %s manually", p.tool(), mainpkg.ProjectFile)
	}
	group := strings.TrimSuffix(api.Group, "."+p.Domain)
	what, flags := "api", ""
	if verb == "create webhook" {
		what = "webhook"
		switch {
		case api.Defaulting && api.Validation:
			flags = " --defaulting --programmatic-validation"
		case api.Defaulting:
			flags = " --defaulting"
		case api.Validation:
			flags = " --programmatic-validation"
		default:
			flags = " (--defaulting | --programmatic-validation)"
		}
	}
	return fmt.Sprintf("run \"%s create %s --group %s --version %s --kind %s%s\"", p.tool(), what, cmp.Or(group, "GROUP"), cmp.Or(api.Version, "VERSION"), cmp.Or(api.Kind, "KIND"), flags)
}

// notOfKubebuilder refuses to change the scaffold of another tool. A project that crdctl scaffolded is its own, whatever else it has.
func (o *options) notOfKubebuilder(verb string, api scaffold.APIOptions) error {
	if _, settings, err := o.project(); err == nil && settings.Scaffold != nil {
		return nil
	}
	p := kubebuilderAt(o.dir)
	if p == nil {
		return nil
	}
	return fmt.Errorf("%s is a project of %s (%s), which crdctl generates, verifies and runs, but does not scaffold; %s",
		filepath.Dir(p.File), p.tool(), mainpkg.ProjectFile, p.hint(verb, api))
}
