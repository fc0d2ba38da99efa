// SPDX-License-Identifier: Apache-2.0

package scaffold

import (
	"path"
	"regexp"
	"strings"

	"github.com/crdctl/crdctl/internal/workspace"
)

// Project is what the templates know of a project: its names, and every API in the order in which they came.
type Project struct {
	// Module is the path of the module, and Directory that of the project in it: "." or for example "controllers/crontab".
	Module string
	Folder string
	// Main is the directory of the main package, seen from the project's; "." is the project's own.
	Main string
	// ClientDir is the directory of the generated clients.
	ClientDir string
	// APIs are the kinds, each in one version.
	APIs []*API
	// Without are files of the templates that the project does not have: others were in their place.
	Without []string
}

// Group is an API group of a project.
type Group struct {
	Name    string
	Folder  string // below pkg/apis, and the name of the packages
	Package string // import path
	GoName  string // in the names of Go methods
	// GoNameTag is the value of the tag groupGoName, where the generators would not find GoName by themselves.
	GoNameTag string
	Versions  []*Version
}

// Version is a version of a group: one Go package.
type Version struct {
	Group   *Group
	Name    string
	Package string // import path
	Dir     string // in the project
	APIs    []*API
}

// Root is the import path of the project's directory.
func (p *Project) Root() string { return path.Join(p.Module, p.Folder) }

// ProjectName is what the project, its binary and its event source are called.
func (p *Project) ProjectName() string { return workspace.ModuleName(p.Root()) }

var notInName = regexp.MustCompile(`[^a-z0-9]+`)

// maxObjectName leaves room for "-system" in the name of a namespace.
const maxObjectName = 56

// ObjectName is the name of what the project has in a cluster: its deployment, its roles, its lease.
func (p *Project) ObjectName() string {
	name := strings.Trim(notInName.ReplaceAllString(strings.ToLower(p.ProjectName()), "-"), "-")
	if name == "" || name[0] < 'a' {
		name = strings.Trim("controller-"+name, "-")
	}
	return strings.Trim(name[:min(len(name), maxObjectName)], "-")
}

// Namespace is where the project is in a cluster.
func (p *Project) Namespace() string { return p.ObjectName() + "-system" }

// ModuleRoot is the module's directory, seen from the project's.
func (p *Project) ModuleRoot() string {
	if p.Folder == "." {
		return "."
	}
	return strings.TrimSuffix(strings.Repeat("../", strings.Count(p.Folder, "/")+1), "/")
}

// ClientPackage is the import path of the generated clients.
func (p *Project) ClientPackage() string { return path.Join(p.Root(), p.ClientDir) }

// MainPackage is the directory of the main package as the go command is told of it.
func (p *Project) MainPackage() string {
	if p.Main == "." {
		return "."
	}
	return "./" + p.Main
}

func (p *Project) mainPrefix() string {
	if p.Main == "." {
		return ""
	}
	return p.Main + "/"
}

// First is the API that examples are about, nil in a project that has none.
func (p *Project) First() *API {
	if len(p.APIs) == 0 {
		return nil
	}
	return p.APIs[0]
}
