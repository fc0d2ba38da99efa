// Package config holds crdctl.yaml: the settings of one project, strictly decoded, defaulted and validated.
//
// It records settings only, never state, and it knows nothing of Go packages, generators or clusters: those who
// generate and run are handed a *Project and read it.
package config

import (
	"cmp"
	"strings"
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
	// Exclude are folders below the APIs that are passed over, tags or not.
	Exclude []string `yaml:"exclude,omitempty"`
	// ExcludeFrom are folders that single generators beside the types pass over, by the generators' names.
	ExcludeFrom map[string][]string `yaml:"excludeFrom,omitempty"`
	// Generators are those that write beside the types and run where tags ask for them: see Helpers. The default is
	// what kube_codegen.sh's gen_helpers runs; an empty list is none.
	Generators []string `yaml:"generators,omitempty"`
	// LintRules are the rules that upstream's generators hold the API packages to.
	LintRules []string `yaml:"lintRules,omitempty"`
	// Conversion has the settings of conversion-gen.
	Conversion Conversion `yaml:"conversion,omitempty"`
	// Validation has the settings of validation-gen.
	Validation Validation `yaml:"validation,omitempty"`
	// OpenAPI says where OpenAPI definitions are written. Left unspecified, none are.
	OpenAPI OpenAPI `yaml:"openapi,omitempty"`
	// CodeGeneratorVersion is the version of k8s.io/code-generator, for example v0.35.2. Left unspecified, it is the one
	// that go.mod pins, and crdctl's own where go.mod pins none.
	CodeGeneratorVersion string `yaml:"codeGeneratorVersion,omitempty"`
	// CRDs says where CustomResourceDefinitions are written. Left unspecified, none are.
	CRDs CRDs `yaml:"crds,omitempty"`
	// RBAC says where the role of the +kubebuilder:rbac markers is written. Left unspecified, it is not.
	RBAC RBAC `yaml:"rbac,omitempty"`
	// Controller is what "crdctl run" builds and runs.
	Controller Controller `yaml:"controller,omitempty"`
	// Loop is the control loop that crdctl has built in.
	Loop Loop `yaml:"loop,omitempty"`
	// Scaffold is what the project was scaffolded from. Left unspecified, it was not.
	Scaffold *Scaffold `yaml:"scaffold,omitempty"`
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
	// Packages are the import paths of the API packages, in the order that the clientset has them, other modules' too.
	// Left unspecified, they are those below APIs that have +genclient and a folder named like a version.
	Packages []string `yaml:"packages,omitempty"`
	// WatchPackages and ApplyConfigurationPackages are the import paths of the packages with listers and informers, and
	// of those with apply configurations. Left unspecified, they are all of the tree's.
	WatchPackages              []string `yaml:"watchPackages,omitempty"`
	ApplyConfigurationPackages []string `yaml:"applyConfigurationPackages,omitempty"`
	// OneInputAPI restricts the tree to one folder below each of the APIs.
	OneInputAPI string `yaml:"oneInputAPI,omitempty"`
	// Watch adds listers and informers. The default is false.
	Watch bool `yaml:"watch,omitempty"`
	// ApplyConfiguration adds apply configurations. The default is false.
	ApplyConfiguration bool `yaml:"applyConfiguration,omitempty"`
	// ApplyConfigurationExternals maps a type (import path, dot, name) to the package of its apply configuration.
	ApplyConfigurationExternals map[string]string `yaml:"applyConfigurationExternals,omitempty"`
	// ApplyConfigurationOpenAPISchema is the OpenAPI v2 document that the apply configurations carry, without which
	// fake.NewClientset does not know the types: a file, or "build" to have crdctl make it.
	ApplyConfigurationOpenAPISchema string `yaml:"applyConfigurationOpenAPISchema,omitempty"`
	// FakeClientset adds the clientset for tests. The default is true.
	FakeClientset *bool `yaml:"fakeClientset,omitempty"`
	// PrefersProtobuf makes the clients talk protobuf. The default is false.
	PrefersProtobuf bool `yaml:"prefersProtobuf,omitempty"`
	// PluralExceptions maps a kind to its Go plural where the usual rules give another one.
	PluralExceptions map[string]string `yaml:"pluralExceptions,omitempty"`
	// LintRules are the rules that upstream's client generators hold the API packages to. The default is the project's.
	LintRules []string `yaml:"lintRules,omitempty"`

	// The names of the tree's folders. The defaults are clientset, versioned, listers, informers, applyconfiguration. A
	// name may have several parts, and that of the clientset may be ".".
	ClientsetName          string `yaml:"clientsetName,omitempty"`
	VersionedName          string `yaml:"versionedName,omitempty"`
	ListersName            string `yaml:"listersName,omitempty"`
	InformersName          string `yaml:"informersName,omitempty"`
	ApplyConfigurationName string `yaml:"applyConfigurationName,omitempty"`
}

// CRDs says where manifests of CustomResourceDefinitions live.
type CRDs struct {
	Dir string `yaml:"dir,omitempty"`
	// EmbeddedObjectMeta gives the metadata of embedded objects, such as pod templates, a schema. Without it API servers drop
	// their labels and annotations. The default is false, as controller-gen has it.
	EmbeddedObjectMeta bool `yaml:"embeddedObjectMeta,omitempty"`
	// ConversionWebhooks are the CRDs whose versions a webhook converts. The others have the strategy None.
	ConversionWebhooks []ConversionWebhook `yaml:"conversionWebhooks,omitempty"`
}

// ConversionWebhook is the webhook that converts the versions of a CRD.
type ConversionWebhook struct {
	// CRD is the name of the CRD, for example crontabs.stable.example.com.
	CRD string `yaml:"crd"`
	// Service is where the webhook is served in a cluster. "crdctl run" points it to this machine.
	Service WebhookService `yaml:"service"`
}

// WebhookService is a service of a cluster, port 443.
type WebhookService struct {
	Namespace string `yaml:"namespace"`
	Name      string `yaml:"name"`
	// Path is that of the URL. The default is /convert.
	Path string `yaml:"path,omitempty"`
}

// Conversion has the settings of conversion-gen.
type Conversion struct {
	// ExtraPeers are the import paths of packages whose conversion functions are used too.
	ExtraPeers []string `yaml:"extraPeers,omitempty"`
}

// Validation has the settings of validation-gen.
type Validation struct {
	// ReadOnlyPackages are the import paths of packages whose validations are used and not generated. The default is
	// kube_codegen.sh's list.
	ReadOnlyPackages []string `yaml:"readOnlyPackages,omitempty"`
}

// OpenAPI has the settings of openapi-gen: those of one call of kube_codegen.sh's gen_openapi.
type OpenAPI struct {
	// Dir is the folder of the definitions.
	Dir string `yaml:"dir,omitempty"`
	// Package is the import path of Dir. Left unspecified, it follows from the module that Dir is in.
	Package string `yaml:"package,omitempty"`
	// ExtraPackages are the import paths of packages whose types are defined too.
	ExtraPackages []string `yaml:"extraPackages,omitempty"`
	// Report is the file of the known violations of the API rules. A new violation fails the generation; left
	// unspecified, none does.
	Report string `yaml:"report,omitempty"`
	// ModelNameFile is the name of the file with the types' model names, in each package that has any.
	ModelNameFile string `yaml:"modelNameFile,omitempty"`
}

// RBAC says where the role that the markers ask for lives.
type RBAC struct {
	Dir string `yaml:"dir,omitempty"`
	// RoleName is the name of the role. The default is manager-role.
	RoleName string `yaml:"roleName,omitempty"`
}

// Helpers are the generators that write beside the types. Those that gen_helpers runs come first, in its order.
var Helpers = []string{"deepcopy", "validation", "defaulter", "conversion", "register", "prerelease-lifecycle"}

// defaultHelpers is how many of Helpers run where the settings name none.
const defaultHelpers = 4

// BuildSchema is the value of ApplyConfigurationOpenAPISchema that has crdctl make the document.
const BuildSchema = "build"

// readOnlyPackages is the list of kube_codegen.sh.
var readOnlyPackages = []string{
	"k8s.io/apimachinery/pkg/apis/meta/v1",
	"k8s.io/apimachinery/pkg/api/resource",
	"k8s.io/apimachinery/pkg/runtime",
	"k8s.io/apimachinery/pkg/types",
	"k8s.io/apimachinery/pkg/util/intstr",
	"k8s.io/apimachinery/pkg/version",
	"time",
}

// Controller is what "crdctl run" runs, and what it applies for it.
type Controller struct {
	// Package is the folder of the main package.
	Package string `yaml:"package,omitempty"`
	// Args are the controller's arguments; those on the command line come after them.
	Args []string `yaml:"args,omitempty"`
	// Manifests are files and folders that are applied before the controller starts, and when they change: its service
	// account, its roles, its webhooks.
	Manifests []string `yaml:"manifests,omitempty"`
	// Samples are files and folders that are applied when they change.
	Samples []string `yaml:"samples,omitempty"`
	// WebhookPort is the port of 127.0.0.1 on which the controller serves its webhooks. Left unspecified, it is a free
	// one that the controller is told in $CRDCTL_WEBHOOK_PORT.
	WebhookPort int `yaml:"webhookPort,omitempty"`
}

// Complete cleans, validates and defaults settings that were put together in memory; name is what errors call them.
func (p *Project) Complete(name string) error {
	p.clean()
	if err := p.validate(name); err != nil {
		return err
	}
	p.applyDefaults()
	return nil
}

// applyDefaults fills in what the file may leave out.
func (p *Project) applyDefaults() {
	p.each(func(s Setting, of *Project) {
		if !strings.HasPrefix(s.Field, "loop.") { // see WithDefaults
			s.fill(of)
		}
	})
	if len(p.Validation.ReadOnlyPackages) == 0 {
		p.Validation.ReadOnlyPackages = readOnlyPackages
	}
	for i := range p.CRDs.ConversionWebhooks {
		service := &p.CRDs.ConversionWebhooks[i].Service
		service.Path = cmp.Or(service.Path, "/convert")
	}
	for i := range p.Clients {
		c := &p.Clients[i]
		if c.FakeClientset == nil {
			yes := true
			c.FakeClientset = &yes
		}
		if len(c.APIs) == 0 {
			c.APIs = p.APIs
		}
		if len(c.LintRules) == 0 {
			c.LintRules = p.LintRules
		}
	}
}
