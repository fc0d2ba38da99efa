// Package project holds crdctl.yaml: the settings of one project, strictly decoded, defaulted and validated.
//
// It records settings only, never state, and it knows nothing of Go packages, generators or clusters: those who
// generate and run are handed a *Project and read it.
package project

import (
	"cmp"
	"path"
)

// FileName is the name of the project file; the folder that holds it is the project's root.
const FileName = "crdctl.yaml"

// The one version of the project file that exists.
const (
	APIVersion = "crdctl.dev/v1alpha1"
	Kind       = "Project"
)

// Project is the content of crdctl.yaml. All paths are slash-separated and relative to the file's folder.
type Project struct {
	APIVersion string `yaml:"apiVersion"`
	Kind       string `yaml:"kind"`

	// Boilerplate is the header of generated Go files. Its word YEAR becomes the year a file was first generated.
	Boilerplate string `yaml:"boilerplate,omitempty"`
	// APIs are the folders below which API packages are looked for.
	APIs []string `yaml:"apis,omitempty"`
	// Clients has an entry for each client tree. Left empty, no client code is generated.
	Clients []Client `yaml:"clients,omitempty"`
	// CRDs says where CustomResourceDefinitions are written. Left unspecified, none are.
	CRDs CRDs `yaml:"crds,omitempty"`
	// Controller is what "crdctl run" builds and runs.
	Controller Controller `yaml:"controller,omitempty"`
}

// Client is one tree of generated client code: the settings of one call of kube_codegen.sh's gen_client, under the
// names that its flags have.
type Client struct {
	// Dir is the root of the tree.
	Dir string `yaml:"dir"`
	// Package is the import path of Dir. Left unspecified, it follows from the module that Dir is in.
	Package string `yaml:"package,omitempty"`
	// APIs is a subset of the project's. Left unspecified, the tree covers all of them.
	APIs []string `yaml:"apis,omitempty"`
	// OneInputAPI restricts the tree to one folder below each of the APIs.
	OneInputAPI string `yaml:"oneInputAPI,omitempty"`
	// Watch adds listers and informers. The default is false.
	Watch bool `yaml:"watch,omitempty"`
	// ApplyConfiguration adds apply configurations. The default is false.
	ApplyConfiguration bool `yaml:"applyConfiguration,omitempty"`
	// ApplyConfigurationExternals maps a type (import path, dot, name) to the package of its apply configuration.
	ApplyConfigurationExternals map[string]string `yaml:"applyConfigurationExternals,omitempty"`
	// FakeClientset adds the clientset for tests. The default is true.
	FakeClientset *bool `yaml:"fakeClientset,omitempty"`
	// PrefersProtobuf makes the clients talk protobuf. The default is false.
	PrefersProtobuf bool `yaml:"prefersProtobuf,omitempty"`
	// PluralExceptions maps a kind to its Go plural where the usual rules give another one.
	PluralExceptions map[string]string `yaml:"pluralExceptions,omitempty"`
	// LintRules are the rules that upstream's generators hold the API packages to.
	LintRules []string `yaml:"lintRules,omitempty"`

	// The names of the tree's folders. The defaults are clientset, versioned, listers, informers, applyconfiguration.
	ClientsetName          string `yaml:"clientsetName,omitempty"`
	VersionedName          string `yaml:"versionedName,omitempty"`
	ListersName            string `yaml:"listersName,omitempty"`
	InformersName          string `yaml:"informersName,omitempty"`
	ApplyConfigurationName string `yaml:"applyConfigurationName,omitempty"`
}

// CRDs says where manifests of CustomResourceDefinitions live.
type CRDs struct {
	Dir string `yaml:"dir,omitempty"`
}

// Controller is the main package of the project's controller.
type Controller struct {
	Package string `yaml:"package,omitempty"`
}

// clean gives every path one spelling.
func (p *Project) clean() {
	paths := []*string{&p.Boilerplate, &p.CRDs.Dir, &p.Controller.Package}
	for i := range p.APIs {
		paths = append(paths, &p.APIs[i])
	}
	for i := range p.Clients {
		c := &p.Clients[i]
		paths = append(paths, &c.Dir, &c.OneInputAPI)
		for j := range c.APIs {
			paths = append(paths, &c.APIs[j])
		}
	}
	for _, s := range paths {
		if *s != "" {
			*s = path.Clean(*s)
		}
	}
}

// applyDefaults fills in what the file may leave out.
func (p *Project) applyDefaults() {
	for i := range p.Clients {
		c := &p.Clients[i]
		c.ClientsetName = cmp.Or(c.ClientsetName, "clientset")
		c.VersionedName = cmp.Or(c.VersionedName, "versioned")
		c.ListersName = cmp.Or(c.ListersName, "listers")
		c.InformersName = cmp.Or(c.InformersName, "informers")
		c.ApplyConfigurationName = cmp.Or(c.ApplyConfigurationName, "applyconfiguration")
		if c.FakeClientset == nil {
			yes := true
			c.FakeClientset = &yes
		}
		if len(c.APIs) == 0 {
			c.APIs = p.APIs
		}
	}
}
