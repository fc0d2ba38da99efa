// SPDX-License-Identifier: Apache-2.0

// Package config holds crdctl.yaml: the settings of one project, strictly decoded, defaulted and validated.
//
// It records settings only, never state, and it knows nothing of Go packages, generators or clusters: those who
// generate and run are handed a *Project and read it.
package config

import (
	"cmp"
	"reflect"
	"strings"
)

// FileName is the name of the project file; the directory that holds it is the project's root.
const FileName = "crdctl.yaml"

// SettingsPage describes its fields.
const SettingsPage = "https://github.com/crdctl/crdctl/blob/main/docs/settings.md"

// The one version of the project file that exists.
const (
	APIVersion = "crdctl.dev/v1alpha1"
	Kind       = "Project"
)

// Project is the content of crdctl.yaml. All paths are slash-separated and relative to the file's directory. What each field means,
// and what holds where it is left out, is in its Setting.
type Project struct {
	APIVersion           string              `yaml:"apiVersion"`
	Kind                 string              `yaml:"kind"`
	Boilerplate          string              `yaml:"boilerplate,omitempty"`
	BoilerplateText      string              `yaml:"boilerplateText,omitempty"`
	HelperBoilerplate    string              `yaml:"helperBoilerplate,omitempty"`
	Boilerplates         map[string]string   `yaml:"boilerplates,omitempty"`
	APIs                 []string            `yaml:"apis,omitempty"`
	Clients              []Client            `yaml:"clients,omitempty"`
	Exclude              []string            `yaml:"exclude,omitempty"`
	ExcludeFrom          map[string][]string `yaml:"excludeFrom,omitempty"`
	Generators           []string            `yaml:"generators,omitempty"`
	LintRules            []string            `yaml:"lintRules,omitempty"`
	Markers              string              `yaml:"markers,omitempty"`
	Conversion           Conversion          `yaml:"conversion,omitempty"`
	Validation           Validation          `yaml:"validation,omitempty"`
	OpenAPI              OpenAPI             `yaml:"openapi,omitempty"`
	CodeGeneratorVersion string              `yaml:"codeGeneratorVersion,omitempty"`
	CRDs                 CRDs                `yaml:"crds,omitempty"`
	RBAC                 RBAC                `yaml:"rbac,omitempty"`
	ControllerGen        ControllerGen       `yaml:"controllerGen,omitempty"`
	Docs                 Docs                `yaml:"docs,omitempty"`
	Controller           Controller          `yaml:"controller,omitempty"`
	Loop                 Loop                `yaml:"loop,omitempty"`
	Scaffold             *Scaffold           `yaml:"scaffold,omitempty"`
}

// Client is one tree of generated client code: the settings of one call of kube_codegen.sh's gen_client, under the
// names that its flags have.
type Client struct {
	Dir                             string            `yaml:"dir"`
	Package                         string            `yaml:"package,omitempty"`
	APIs                            []string          `yaml:"apis,omitempty"`
	Packages                        []string          `yaml:"packages,omitempty"`
	WatchPackages                   []string          `yaml:"watchPackages,omitempty"`
	ApplyConfigurationPackages      []string          `yaml:"applyConfigurationPackages,omitempty"`
	OneInputAPI                     string            `yaml:"oneInputAPI,omitempty"`
	Watch                           bool              `yaml:"watch,omitempty"`
	ApplyConfiguration              bool              `yaml:"applyConfiguration,omitempty"`
	ApplyConfigurationImport        string            `yaml:"applyConfigurationImport,omitempty"`
	ApplyConfigurationExternals     map[string]string `yaml:"applyConfigurationExternals,omitempty"`
	ApplyConfigurationOpenAPISchema string            `yaml:"applyConfigurationOpenAPISchema,omitempty"`
	KeepLeftOver                    bool              `yaml:"keepLeftOver,omitempty"`
	FakeClientset                   *bool             `yaml:"fakeClientset,omitempty"`
	PrefersProtobuf                 bool              `yaml:"prefersProtobuf,omitempty"`
	PluralExceptions                map[string]string `yaml:"pluralExceptions,omitempty"`
	LintRules                       []string          `yaml:"lintRules,omitempty"`
	ClientsetName                   string            `yaml:"clientsetName,omitempty"`
	VersionedName                   string            `yaml:"versionedName,omitempty"`
	ListersName                     string            `yaml:"listersName,omitempty"`
	InformersName                   string            `yaml:"informersName,omitempty"`
	SingleDirectory                 bool              `yaml:"singleDirectory,omitempty"`
	ApplyConfigurationName          string            `yaml:"applyConfigurationName,omitempty"`
}

// CRDs says where manifests of CustomResourceDefinitions live.
type CRDs struct {
	Dir                string              `yaml:"dir,omitempty"`
	EmbeddedObjectMeta bool                `yaml:"embeddedObjectMeta,omitempty"`
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
	ExtraPeers []string `yaml:"extraPeers,omitempty"`
	SkipUnsafe bool     `yaml:"skipUnsafe,omitempty"`
	BuildTag   string   `yaml:"buildTag,omitempty"`
}

// Validation has the settings of validation-gen.
type Validation struct {
	ReadOnlyPackages []string `yaml:"readOnlyPackages,omitempty"`
}

// RBAC says where the role that the markers ask for lives.
type RBAC struct {
	Dir      string `yaml:"dir,omitempty"`
	RoleName string `yaml:"roleName,omitempty"`
}

// Docs has the settings of the API reference.
type Docs struct {
	Dir      string   `yaml:"dir,omitempty"`
	Formats  []string `yaml:"formats,omitempty"`
	Template string   `yaml:"template,omitempty"`
	Against  string   `yaml:"against,omitempty"`
	Ignore   []string `yaml:"ignore,omitempty"`
}

// Helpers are the generators that write next to the types. Those that gen_helpers runs come first, in its order.
var Helpers = []string{"deepcopy", "validation", "defaulter", "conversion", "register", "prerelease-lifecycle"}

// defaultHelpers is how many of Helpers run where the settings name none.
const defaultHelpers = 4

// MarkerNotes is the value of Markers by which mistakes in markers are notes: upstream's generators ignore them.
const MarkerNotes = "note"

// BuildSchema is the value of ApplyConfigurationOpenAPISchema that has crdctl make the document.
const BuildSchema = "build"

// BuildReversedSchema is BuildSchema with the names that the programs of many projects give: a copy of that of k8s.io/kubernetes before
// v1.35, which reverses every name up to its first slash, also names that models give themselves.
const BuildReversedSchema = "build-reversed"

// BuildTaggedSchema is BuildSchema with the types that openapi-gen writes definitions of, and no others: some projects make the document
// of these, and have kinds that no tag asks to define.
const BuildTaggedSchema = "build-tagged"

// BuiltSchema reports whether a value of ApplyConfigurationOpenAPISchema has crdctl make the document.
func BuiltSchema(value string) bool {
	return value == BuildSchema || value == BuildReversedSchema || value == BuildTaggedSchema
}

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
	Package     string   `yaml:"package,omitempty"`
	BuildFlags  string   `yaml:"buildFlags,omitempty"`
	Args        []string `yaml:"args,omitempty"`
	Manifests   []string `yaml:"manifests,omitempty"`
	Samples     []string `yaml:"samples,omitempty"`
	WebhookPort int      `yaml:"webhookPort,omitempty"`
}

// Detects reports whether settings, without the defaults, are those of the controller and of docs alone. What is generated is detected then,
// as it is without a project file.
func (p *Project) Detects() bool {
	rest := *p
	rest.APIVersion, rest.Kind, rest.Controller, rest.Docs = "", "", Controller{}, Docs{}
	return reflect.ValueOf(rest).IsZero() && (!reflect.ValueOf(p.Controller).IsZero() || !reflect.ValueOf(p.Docs).IsZero())
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
		if !strings.HasPrefix(s.Field, "loop.") && !strings.HasPrefix(s.Field, "docs.") { // see WithDefaults
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
