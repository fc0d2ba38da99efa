// SPDX-License-Identifier: Apache-2.0

package bundle

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"text/template"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/crdctl/crdctl/internal/tree"
)

// header is the first line of files that crdctl manifests wrote, and overwrites.
const header = "# Written by crdctl manifests, which overwrites changes made here.\n"

// Settings are the files of a chart that are its author's once they exist.
var Settings = []string{"Chart.yaml", "values.yaml"}

//go:embed chart.tmpl
var chartSource string

var chartTemplates = template.Must(template.New("").Delims("[[", "]]").Funcs(template.FuncMap{"json": func(v any) (string, error) {
	text, err := json.Marshal(v)
	return string(text), err
}}).Parse(chartSource))

// Placeholders stand in the objects for what Helm sets; plain words in YAML, which no manifest has.
const (
	namespaceHere  = "crdctl-placeholder-namespace"
	imageHere      = "crdctl-placeholder-image"
	pullPolicyHere = "crdctl-placeholder-pull-policy"
	replicasHere   = "crdctl-placeholder-replicas"
	resourcesHere  = "crdctl-placeholder-resources"
	keepHere       = "crdctl-placeholder-keep"
)

var (
	resourcesLine = regexp.MustCompile(`(?m)^( *)resources: ` + resourcesHere + `$`)
	keepLine      = regexp.MustCompile(`(?m)^ *helm\.sh/resource-policy: ` + keepHere + `\n`)
)

// files are the templates of a chart, and the kinds in them; others.yaml has all other kinds.
var files = []struct{ name, kinds string }{
	{"crds.yaml", "CustomResourceDefinition"},
	{"rbac.yaml", "ServiceAccount ClusterRole Role ClusterRoleBinding RoleBinding"},
	{"certificate.yaml", "Issuer ClusterIssuer Certificate"},
	{"deployment.yaml", "Deployment"},
	{"service.yaml", "Service"},
	{"webhooks.yaml", "MutatingWebhookConfiguration ValidatingWebhookConfiguration"},
	{"others.yaml", ""},
}

// values are what a chart lets its users set.
type values struct {
	Name, Version           string
	Repository, Tag, Digest string
	PullPolicy, Namespace   string
	Replicas                any
	Resources               string
	CRDs, Certificates      bool
}

// Chart returns the files of a Helm chart. Force has files that others wrote overwritten.
func (b *Bundle) Chart(force bool) (*tree.Tree, error) {
	v, err := b.values()
	if err != nil {
		return nil, err
	}
	templates := map[string][][]byte{}
	for _, o := range b.objects {
		if o.GetKind() == "Namespace" && o.GetName() == b.Namespace {
			continue // helm install --create-namespace
		}
		doc, err := b.templateOf(o)
		if err != nil {
			return nil, fmt.Errorf("write %s %s: %w", o.GetKind(), o.GetName(), err)
		}
		name := fileOf(o.GetKind())
		templates[name] = append(templates[name], doc)
	}
	t := tree.New()
	for _, f := range files {
		if docs := templates[f.name]; len(docs) > 0 {
			if err := t.Add("templates/"+f.name, append([]byte(header), bytes.Join(docs, []byte("---\n"))...)); err != nil {
				return nil, err
			}
		}
	}
	for _, name := range Settings {
		var text bytes.Buffer
		if err := chartTemplates.ExecuteTemplate(&text, name, v); err != nil {
			return nil, err
		}
		if err := t.Add(name, text.Bytes()); err != nil {
			return nil, err
		}
	}
	own(t, "templates", func(path string) bool { return fileNamed(strings.TrimPrefix(path, "templates/")) }, force)
	return t, nil
}

func fileNamed(name string) bool {
	return slices.ContainsFunc(files, func(f struct{ name, kinds string }) bool { return f.name == name })
}

func fileOf(kind string) string {
	for _, f := range files {
		if slices.Contains(strings.Fields(f.kinds), kind) {
			return f.name
		}
	}
	return "others.yaml"
}

// values are the defaults of a chart: what the manifests have, and what the options say.
func (b *Bundle) values() (*values, error) {
	v := &values{Name: b.Name, Namespace: b.options.Namespace, Replicas: 1, PullPolicy: "IfNotPresent"}
	v.Repository, v.Tag, v.Digest = splitImage(b.options.Image)
	v.Version = cmp.Or(v.Tag, "latest")
	if policy, ok := b.container["imagePullPolicy"].(string); ok {
		v.PullPolicy = policy
	}
	if replicas, ok, _ := unstructured.NestedFieldNoCopy(b.deployment.Object, "spec", "replicas"); ok {
		v.Replicas = replicas
	}
	resources := b.container["resources"]
	if resources == nil {
		resources = map[string]any{}
	}
	text, err := yaml.Marshal(map[string]any{"resources": resources})
	if err != nil {
		return nil, err
	}
	v.Resources = string(text)
	for _, o := range b.objects {
		v.CRDs = v.CRDs || o.GetKind() == "CustomResourceDefinition"
		v.Certificates = v.Certificates || isCertificate(o)
	}
	return v, nil
}

func isCertificate(o *unstructured.Unstructured) bool {
	return o.GroupVersionKind().Group == "cert-manager.io"
}

// ImageOf is the image that the values of a chart name; "" if they are not those of such a chart.
func ImageOf(values []byte) string {
	var v struct {
		Image struct{ Repository, Tag, Digest string }
	}
	switch err := yaml.Unmarshal(values, &v); {
	case err != nil || v.Image.Repository == "":
		return ""
	case v.Image.Digest != "":
		return v.Image.Repository + "@" + v.Image.Digest
	default:
		return strings.TrimSuffix(v.Image.Repository+":"+v.Image.Tag, ":")
	}
}

// splitImage splits REPOSITORY[:TAG][@DIGEST].
func splitImage(image string) (repository, tag, digest string) {
	repository, digest, _ = strings.Cut(image, "@")
	if i := strings.LastIndex(repository, ":"); i > strings.LastIndex(repository, "/") {
		repository, tag = repository[:i], repository[i+1:]
	}
	return repository, tag, digest
}

// templateOf is an object as Helm renders it.
func (b *Bundle) templateOf(o *unstructured.Unstructured) ([]byte, error) {
	object := &unstructured.Unstructured{Object: moved(o.Object, b.Namespace, namespaceHere)}
	place(object.Object, namespaceHere)
	switch {
	case o == b.deployment:
		placed := Bundle{deployment: object}
		if err := placed.findContainer(); err != nil {
			return nil, err
		}
		placed.container["image"], placed.container["imagePullPolicy"], placed.container["resources"] = imageHere, pullPolicyHere, resourcesHere
		if err := unstructured.SetNestedField(object.Object, replicasHere, "spec", "replicas"); err != nil {
			return nil, err
		}
	case o.GetKind() == "CustomResourceDefinition":
		annotations := object.GetAnnotations()
		if annotations == nil {
			annotations = map[string]string{}
		}
		annotations["helm.sh/resource-policy"] = keepHere
		object.SetAnnotations(annotations)
	}
	data, err := yaml.Marshal(object.Object)
	if err != nil {
		return nil, err
	}
	text := strings.ReplaceAll(string(data), "{{", `{{ "{{" }}`)
	text = resourcesLine.ReplaceAllString(text, "${1}resources:\n${1}  {{- toYaml .Values.resources | nindent INDENT }}")
	if m := resourcesLine.FindStringSubmatch(string(data)); m != nil {
		text = strings.Replace(text, "INDENT", fmt.Sprint(len(m[1])+2), 1)
	}
	text = keepLine.ReplaceAllString(text, "    {{- if .Values.crds.keep }}\n    helm.sh/resource-policy: keep\n    {{- end }}\n")
	text = strings.NewReplacer(
		namespaceHere, "{{ .Values.namespace | default .Release.Namespace }}",
		imageHere, `"{{ .Values.image.repository }}{{ with .Values.image.digest }}@{{ . }}{{ else }}:{{ .Values.image.tag | default .Chart.AppVersion }}{{ end }}"`,
		pullPolicyHere, "{{ .Values.image.pullPolicy }}",
		replicasHere, "{{ .Values.replicas }}",
	).Replace(text)
	switch {
	case o.GetKind() == "CustomResourceDefinition":
		text = "{{- if .Values.crds.enabled }}\n" + text + "{{- end }}\n"
	case isCertificate(o):
		text = "{{- if .Values.certManager.enabled }}\n" + text + "{{- end }}\n"
	}
	return []byte(text), nil
}
