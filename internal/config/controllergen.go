// SPDX-License-Identifier: Apache-2.0

package config

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"golang.org/x/mod/semver"

	"github.com/crdctl/crdctl/internal/text"
)

// ControllerGen has the calls of controller-gen that make the files of a project, as its Makefile or scripts have them.
type ControllerGen struct {
	// Version is that of sigs.k8s.io/controller-tools, for the calls that name none.
	Version string              `yaml:"version,omitempty"`
	Calls   []ControllerGenCall `yaml:"calls,omitempty"`
	// PostProcessed are the files that scripts change after controller-gen wrote them, and those that they change after code-generator
	// wrote them: the imports, or, without Changes, anything.
	PostProcessed []PostProcessed `yaml:"postProcessed,omitempty"`
	// Removed are files that controller-gen writes and a script deletes afterwards, or patterns of [path.Match] for them.
	Removed []string `yaml:"removed,omitempty"`
}

// ControllerGenCall is one run of controller-gen. A generator that is nil is not in the call.
type ControllerGenCall struct {
	// Version is that of controller-tools, or what a build without a version writes into annotations: see [Unreleased].
	Version string `yaml:"version,omitempty"`
	// Dir is the directory that the call runs in, to which Paths and all files are relative; empty for the project's root.
	Dir string `yaml:"dir,omitempty"`
	// Paths are the roots, in their order.
	Paths []string `yaml:"paths,omitempty"`
	// Env are variables that count for the go command, such as GOFLAGS and GOWORK.
	Env map[string]string `yaml:"env,omitempty"`
	// BuildTags are those of --load-build-tags; empty for the default.
	BuildTags []string `yaml:"buildTags,omitempty"`

	Object             *ObjectGenerator      `yaml:"object,omitempty"`
	CRD                *CRDGenerator         `yaml:"crd,omitempty"`
	RBAC               *RBACGenerator        `yaml:"rbac,omitempty"`
	Webhook            *WebhookGenerator     `yaml:"webhook,omitempty"`
	ApplyConfiguration *ApplyGenerator       `yaml:"applyconfiguration,omitempty"`
	SchemaPatch        *SchemaPatchGenerator `yaml:"schemapatch,omitempty"`

	// Output has the directory of a generator's files, by its name. Without an entry, manifests go to config/NAME and Go files next
	// to the sources. Apply configurations have no directory. OutputStdout and OutputNone stand for no files at all.
	Output map[string]string `yaml:"output,omitempty"`

	// Inferred is the file that detection made the call of, where no command in the tree has it. What such a call makes otherwise than it is
	// on disk is not compared unless enough else is equal.
	Inferred string `yaml:"inferred,omitempty"`
	// Place is what shows the call: a file, relative to the root, and its line. It is empty where no file does.
	Place string `yaml:"-" json:"-"`
	// IgnoreErrors is set where a script goes on when controller-gen reports errors in packages: what it makes in spite of them counts.
	IgnoreErrors bool `yaml:"ignoreErrors,omitempty"`
}

// What Output has of a generator that writes no files: it prints them, or it runs for its errors only.
const (
	OutputStdout = "-"
	OutputNone   = "/dev/null"
)

// GeneratedHeader is the header of the files of one generator.
type GeneratedHeader struct {
	HeaderFile string `yaml:"headerFile,omitempty"`
	// Year replaces " YEAR" in the header. CurrentYear stands for that of the day on which a file is made.
	Year string `yaml:"year,omitempty"`
}

// CurrentYear is the year of a header for which a script asks the clock: an existing file keeps its year, a new one gets today's.
const CurrentYear = "current"

// ObjectGenerator makes deep copies.
type ObjectGenerator struct {
	GeneratedHeader `yaml:",inline"`
}

// CRDGenerator makes CustomResourceDefinitions.
type CRDGenerator struct {
	GeneratedHeader             `yaml:",inline"`
	AllowDangerousTypes         *bool    `yaml:"allowDangerousTypes,omitempty"`
	CRDVersions                 []string `yaml:"crdVersions,omitempty"`
	GenerateEmbeddedObjectMeta  *bool    `yaml:"generateEmbeddedObjectMeta,omitempty"`
	IgnoreUnexportedFields      *bool    `yaml:"ignoreUnexportedFields,omitempty"`
	MaxDescLen                  *int     `yaml:"maxDescLen,omitempty"`
	OmitToolVersion             *bool    `yaml:"omitToolVersion,omitempty"`
	PreserveUnknownFieldsCompat *bool    `yaml:"deprecatedV1beta1CompatibilityPreserveUnknownFields,omitempty"`
	// TrivialVersions and PreserveUnknownFields are about CRDs of v1beta1, which versions before v0.7.0 make.
	TrivialVersions       *bool `yaml:"trivialVersions,omitempty"`
	PreserveUnknownFields *bool `yaml:"preserveUnknownFields,omitempty"`
}

// RBACGenerator makes the roles that markers ask for.
type RBACGenerator struct {
	GeneratedHeader `yaml:",inline"`
	RoleName        string `yaml:"roleName"`
	FileName        string `yaml:"fileName,omitempty"`
}

// WebhookGenerator makes the configurations of webhooks.
type WebhookGenerator struct {
	GeneratedHeader `yaml:",inline"`
}

// ApplyGenerator makes apply configurations.
type ApplyGenerator struct {
	HeaderFile                  string   `yaml:"headerFile,omitempty"`
	ExternalApplyConfigurations []string `yaml:"externalApplyConfigurations,omitempty"`
	OmitToolVersion             *bool    `yaml:"omitToolVersion,omitempty"`
}

// SchemaPatchGenerator puts schemas into existing manifests.
type SchemaPatchGenerator struct {
	// Manifests is the directory of the manifests that are patched.
	Manifests                  string `yaml:"manifests"`
	GenerateEmbeddedObjectMeta *bool  `yaml:"generateEmbeddedObjectMeta,omitempty"`
	MaxDescLen                 *int   `yaml:"maxDescLen,omitempty"`
}

// IsRemoved reports whether a script deletes a file that controller-gen writes.
func (c ControllerGen) IsRemoved(file string) bool {
	return slices.ContainsFunc(c.Removed, func(pattern string) bool {
		matches, err := path.Match(pattern, file)
		return matches && err == nil || pattern == file
	})
}

// PostProcessedBy is the entry of postProcessed for a file, or for the directory nearest to it; nil if no script changes it.
func (c ControllerGen) PostProcessedBy(file string) (by *PostProcessed) {
	for i, one := range c.PostProcessed {
		if text.Below(path.Clean(one.Path), file) && (by == nil || len(by.Path) < len(one.Path)) {
			by = &c.PostProcessed[i]
		}
	}
	return by
}

// PostProcessed is a file or directory whose content a script changes after a generator wrote it.
type PostProcessed struct {
	// Path is a file, or a directory for all files in it.
	Path string `yaml:"path"`
	// By is where: a file, its line, and the command.
	By string `yaml:"by,omitempty"`
	// Changes is what may differ from the generated content for that; anything may where it is empty.
	Changes Change `yaml:"changes,omitempty"`
}

// Change is what a script changes at most.
type Change string

// The changes that are known: a file with any other difference is stale.
const (
	ChangesForm     Change = "form"     // comments, white space, and imports
	ChangesMetadata Change = "metadata" // these, and the metadata of an object
)

// UnknownCommand stands, in PostProcessed.By, for a command that was not found.
const UnknownCommand = "a command that was not found"

// CRDDirs are the directories that crdctl and controller-gen write the CRDs of the project to, and those in which controller-gen patches them.
func (p *Project) CRDDirs() (dirs []string) {
	add := func(dir string) {
		if dir != "" && !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
	}
	add(p.CRDs.Dir)
	for _, call := range p.ControllerGen.Calls {
		if out := call.Output["crd"]; call.CRD != nil && out != OutputStdout && out != OutputNone {
			add(path.Join(call.Dir, cmp.Or(out, "config/crd")))
		}
		if call.SchemaPatch != nil {
			add(path.Join(call.Dir, call.SchemaPatch.Manifests))
			if out := call.Output["schemapatch"]; out != OutputStdout && out != OutputNone {
				add(path.Join(call.Dir, out))
			}
		}
	}
	return dirs
}

// ControllerGenNames are controller-gen's generators, by their names in its calls.
var ControllerGenNames = []string{"object", "crd", "rbac", "webhook", "applyconfiguration", "schemapatch"}

// Generators returns the names of the generators of a call, in the order of ControllerGenNames.
func (c *ControllerGenCall) Generators() (names []string) {
	for i, is := range []bool{c.Object != nil, c.CRD != nil, c.RBAC != nil, c.Webhook != nil, c.ApplyConfiguration != nil, c.SchemaPatch != nil} {
		if is {
			names = append(names, ControllerGenNames[i])
		}
	}
	return names
}

// Drop takes a generator out of a call. Its entry in Output stays: the map may be shared with other copies of the call.
func (c *ControllerGenCall) Drop(name string) {
	switch name {
	case "object":
		c.Object = nil
	case "crd":
		c.CRD = nil
	case "rbac":
		c.RBAC = nil
	case "webhook":
		c.Webhook = nil
	case "applyconfiguration":
		c.ApplyConfiguration = nil
	case "schemapatch":
		c.SchemaPatch = nil
	}
}

// Header is the header of a generator of the call; nil for one that has none, or none with a year.
func (c *ControllerGenCall) Header(generator string) *GeneratedHeader {
	switch {
	case generator == "object" && c.Object != nil:
		return &c.Object.GeneratedHeader
	case generator == "crd" && c.CRD != nil:
		return &c.CRD.GeneratedHeader
	case generator == "rbac" && c.RBAC != nil:
		return &c.RBAC.GeneratedHeader
	case generator == "webhook" && c.Webhook != nil:
		return &c.Webhook.GeneratedHeader
	}
	return nil
}

// OutputDir is the directory of a generator's manifests, relative to the project's root; ok is false where it writes none there.
func (c *ControllerGenCall) OutputDir(generator string) (dir string, ok bool) {
	dir, set := c.Output[generator]
	if !set {
		dir = "config/" + generator
	}
	if dir == OutputStdout || dir == OutputNone {
		return "", false
	}
	if path.IsAbs(dir) {
		return dir, false
	}
	dir = path.Join(c.Dir, dir)
	return dir, dir != ".." && !strings.HasPrefix(dir, "../")
}

// Unreleased reports whether a version is what controller-gen writes into annotations if it was built without a version: as a part of another
// module, or by "go run" with the name of its file.
func Unreleased(version string) bool { return version == "(devel)" || version == "(unknown)" }

// validateControllerGen checks the calls of controller-gen.
func (p *Project) validateControllerGen(report func(field, format string, args ...any)) {
	version := func(field, v string) {
		if v != "" && !Unreleased(v) && (!semver.IsValid(v) || semver.Canonical(v) != v) {
			report(field, "%q must be a version of sigs.k8s.io/controller-tools, for example v0.21.0", v)
		}
	}
	place := func(field, value string) {
		if err := local(value); err != nil {
			report(field, "%v", err)
		}
	}
	version("controllerGen.version", p.ControllerGen.Version)
	for i, one := range p.ControllerGen.PostProcessed {
		place(fmt.Sprintf("controllerGen.postProcessed[%d].path", i), one.Path)
		if !slices.Contains([]Change{"", ChangesForm, ChangesMetadata}, one.Changes) {
			report(fmt.Sprintf("controllerGen.postProcessed[%d].changes", i), "%q must be form or metadata, or empty where a script may change anything", one.Changes)
		}
	}
	for i, c := range p.ControllerGen.Calls {
		field := func(name string) string { return fmt.Sprintf("controllerGen.calls[%d].%s", i, name) }
		version(field("version"), c.Version)
		place(field("dir"), c.Dir)
		if len(c.Generators()) == 0 {
			report(fmt.Sprintf("controllerGen.calls[%d]", i), "has no generator; name one of %s", strings.Join(ControllerGenNames, ", "))
		}
		if len(c.Paths) == 0 {
			report(field("paths"), "is empty; name the packages, for example paths: [./...]")
		}
		if c.RBAC != nil && c.RBAC.RoleName == "" {
			report(field("rbac.roleName"), "is empty; name the role, for example manager-role")
		}
		if c.SchemaPatch != nil && c.SchemaPatch.Manifests == "" {
			report(field("schemapatch.manifests"), "is empty; name the directory of the manifests")
		}
		for name := range c.Output {
			if !slices.Contains(c.Generators(), name) {
				report(field("output"), "%q is not a generator of this call", name)
			}
		}
	}
}
