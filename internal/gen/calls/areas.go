// SPDX-License-Identifier: Apache-2.0

package calls

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/gen/codegen"
	"github.com/crdctl/crdctl/internal/gen/controllergen"
	"github.com/crdctl/crdctl/internal/gen/crdform"
	"github.com/crdctl/crdctl/internal/text"
	"github.com/crdctl/crdctl/internal/tree"
)

// areas are the places where files are the calls': a file of theirs that no call makes any more is left over, and one that is not
// theirs is never written over. Upstream deletes nothing, so only what is provably of a call counts as left over.
func (p *project) areas(failed map[int]error) (all []tree.Area) {
	for i := range p.settings.Calls {
		if failed[i] != nil {
			continue
		}
		for _, name := range p.settings.Calls[i].Generators() {
			if len(p.only) == 0 || slices.Contains(p.only, name) {
				all = append(all, p.areasOf(i, name)...)
			}
		}
	}
	for i, a := range all {
		owns, replaces := a.Owns, a.Replaces
		all[i].Tool = Tool
		all[i].Owns = func(file string, data []byte) bool {
			return !p.left[file] && !p.settings.IsRemoved(file) && p.settings.PostProcessedBy(file) == nil && owns(file, data) && !p.inUse(file) && !p.isCopy(file)
		}
		all[i].Replaces = func(file string, data []byte) bool {
			return p.exceeded[file] || replaces != nil && replaces(file, data)
		}
	}
	return all
}

// areasOf are those of one generator of a call.
func (p *project) areasOf(i int, name string) []tree.Area {
	switch name {
	case "object":
		return p.deepCopies(i)
	case "crd":
		return p.crds(i)
	case "rbac":
		return p.role(i)
	case "webhook":
		return p.webhooks(i)
	case "applyconfiguration":
		return p.applyConfigurations(i)
	}
	return nil
}

// deepCopies are the files next to the types below the paths of a call.
func (p *project) deepCopies(i int) []tree.Area {
	if _, elsewhere := p.settings.Calls[i].Output["object"]; elsewhere {
		return nil // all go to one directory, by one name
	}
	all := p.below(i, false, func(file string) bool { return path.Base(file) == controllergen.DeepCopyFile }, func(data []byte) bool { return codegen.Owns(Tool, data) })
	for a := range all {
		all[a].Replaces = func(_ string, data []byte) bool { return codegen.IsGenerated(data) }
	}
	return all
}

// below are the files in the packages of a call that match and are owned; with deep also those in directories below packages that it names one by one.
func (p *project) below(i int, deep bool, match func(file string) bool, owns func(data []byte) bool) (all []tree.Area) {
	c := &p.settings.Calls[i]
	for _, root := range c.Paths {
		dir, below := strings.CutSuffix(root, "/...")
		if root == "..." {
			dir, below = ".", true
		}
		at := path.Join(c.Dir, dir)
		if !strings.HasPrefix(root, ".") || strings.HasPrefix(at, "..") {
			continue // an import path, or not of this project
		}
		all = append(all, tree.Area{
			Dir:   at,
			Match: func(file string) bool { return match(file) && (deep || below || path.Dir(file) == at) },
			Owns:  func(file string, data []byte) bool { return owns(data) && !ignored(strings.TrimPrefix(file, at+"/")) },
		})
	}
	return all
}

// ignored reports whether the go command leaves a file's directory out of what is below another.
func ignored(file string) bool {
	return slices.ContainsFunc(strings.Split(path.Dir(file), "/"), func(part string) bool {
		return part != "." && (part[0] == '_' || part[0] == '.' || part == "testdata" || part == "vendor")
	})
}

// made are the files that a call made with a generator.
func (p *project) made(i int, generator string) (all []*controllergen.File) {
	for _, f := range p.files {
		if f.Call == i && f.Generator == generator {
			all = append(all, f)
		}
	}
	return all
}

var groupLine = regexp.MustCompile(`(?m)^  group: "?([^"\s]+)"?$`)

// crds are the files of a call's CRDs: those of other people may be next to them.
func (p *project) crds(i int) []tree.Area {
	dir, ok := p.settings.Calls[i].OutputDir("crd")
	if !ok {
		return nil
	}
	var groups []string
	for _, f := range p.made(i, "crd") {
		if m := groupLine.FindSubmatch(f.Content); m != nil {
			groups = append(groups, string(m[1]))
		}
	}
	return []tree.Area{{
		Dir:   dir,
		Match: func(file string) bool { return path.Dir(file) == dir && path.Ext(file) == ".yaml" },
		Owns: func(file string, data []byte) bool {
			if p.files[file] != nil {
				return crdform.IsCRD(path.Base(file), data)
			}
			return crdform.OwnsCRD(path.Base(file), data, Version(p.settings, i), groups)
		},
	}}
}

// role is the file of a call's roles.
func (p *project) role(i int) []tree.Area {
	c := &p.settings.Calls[i]
	dir, ok := c.OutputDir("rbac")
	if !ok {
		return nil
	}
	name := c.RBAC.RoleName
	at := roleFile(c, dir)
	content := p.content(at)
	return []tree.Area{{
		Dir:   dir,
		Match: func(file string) bool { return file == at },
		Owns:  func(_ string, data []byte) bool { return crdform.OwnsRole(data, name, content) },
		Act:   func(data []byte) string { return crdform.AboutRole(data, name, content) },
	}}
}

// webhooks is the file of a call's configurations of webhooks.
func (p *project) webhooks(i int) []tree.Area {
	dir, ok := p.settings.Calls[i].OutputDir("webhook")
	if !ok {
		return nil
	}
	at := path.Join(dir, crdform.WebhookFile)
	owns := crdform.LeftWebhooks
	if p.content(at) != nil {
		owns = crdform.OnlyWebhooks
	}
	return []tree.Area{{
		Dir:   dir,
		Match: func(file string) bool { return file == at },
		Owns:  func(_ string, data []byte) bool { return owns(data) },
	}}
}

// roleFile is the file of a call's roles in a directory.
func roleFile(c *config.ControllerGenCall, dir string) string {
	return path.Join(dir, cmp.Or(c.RBAC.FileName, crdform.RoleFile))
}

// content is what is made for a path; nil for nothing.
func (p *project) content(file string) []byte {
	if f := p.files[file]; f != nil {
		return f.Content
	}
	return nil
}

// applyConfigurations are the directories of a call's apply configurations: those that have its utils.go, and all below.
func (p *project) applyConfigurations(i int) (all []tree.Area) {
	for _, f := range p.made(i, "applyconfiguration") {
		if path.Base(f.Path) != "utils.go" {
			continue
		}
		dir := path.Dir(f.Path)
		all = append(all, tree.Area{
			Dir:   dir,
			Match: func(file string) bool { return text.Below(dir, file) && path.Ext(file) == ".go" },
			Owns:  func(_ string, data []byte) bool { return ownsApplyConfiguration(data) },
		})
	}
	return all
}
