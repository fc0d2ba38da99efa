// SPDX-License-Identifier: Apache-2.0

package config

import (
	"cmp"
	"fmt"
	"path"
)

// OpenAPI has the settings of openapi-gen: those of one call of kube_codegen.sh's gen_openapi, and other calls.
type OpenAPI struct {
	Dir           string        `yaml:"dir,omitempty"`
	Package       string        `yaml:"package,omitempty"`
	ExtraPackages []string      `yaml:"extraPackages,omitempty"`
	Report        string        `yaml:"report,omitempty"`
	UpdateReport  bool          `yaml:"updateReport,omitempty"`
	ModelNameFile string        `yaml:"modelNameFile,omitempty"`
	Version       string        `yaml:"version,omitempty"`
	GengoVersion  string        `yaml:"gengoVersion,omitempty"`
	Calls         []OpenAPICall `yaml:"calls,omitempty"`
}

// OpenAPICall is a run of openapi-gen that a script calls itself. It defines the types of the packages that it names and no others.
type OpenAPICall struct {
	Dir      string   `yaml:"dir"`
	File     string   `yaml:"file,omitempty"`
	Package  string   `yaml:"package,omitempty"`
	Packages []string `yaml:"packages"` // import paths
}

// OpenAPIFile is the name that gen_openapi gives its output.
const OpenAPIFile = "zz_generated.openapi.go"

// Dirs are the directories that have definitions.
func (o *OpenAPI) Dirs() (dirs []string) {
	if o.Dir != "" {
		dirs = append(dirs, o.Dir)
	}
	for _, c := range o.Calls {
		dirs = append(dirs, c.Dir)
	}
	return dirs
}

// IsSet reports whether definitions are generated.
func (o *OpenAPI) IsSet() bool { return len(o.Dirs()) > 0 }

// check reports the problems of the calls.
func (o *OpenAPI) check(report func(field, format string, args ...any)) {
	if len(o.Calls) > 0 && o.Report != "" { // the report says nothing of the call that a violation is of
		report("openapi.report", "cannot be used with openapi.calls; remove one of them")
	}
	writes := map[string]string{} // by file: the setting that has it written
	if o.Dir != "" {
		writes[path.Join(o.Dir, OpenAPIFile)] = "openapi.dir"
	}
	for i, c := range o.Calls {
		field := func(name string) string { return fmt.Sprintf("openapi.calls[%d].%s", i, name) }
		file := path.Join(c.Dir, cmp.Or(c.File, OpenAPIFile))
		if by := writes[file]; by != "" && c.Dir != "" {
			report(field("file"), "%s is written by %s too; name another file", file, by)
		} else {
			writes[file] = fmt.Sprintf("openapi.calls[%d]", i)
		}
		if c.Dir == "" {
			report(field("dir"), "is empty; name the directory of the OpenAPI definitions, for example dir: pkg/openapi")
		} else if err := local(c.Dir); err != nil {
			report(field("dir"), "%v", err)
		}
		if c.File != "" && (path.Base(c.File) != c.File || path.Ext(c.File) != ".go") {
			report(field("file"), "%q must be the name of a Go file, for example %s", c.File, OpenAPIFile)
		}
		if len(c.Packages) == 0 {
			report(field("packages"), "is empty; name the import paths of the packages to define")
		}
	}
}
