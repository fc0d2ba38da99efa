// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"bytes"
	"go/ast"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/crdctl/crdctl/internal/check/rule"
)

// webhooks finds webhook configurations that the API server refuses. An entry without address is a patch, and so is one without
// rules of a webhook that is in another file as well.
func webhooks(s *Source) (all []rule.Finding) {
	for _, d := range s.documents() {
		if d.apiVersion != "admissionregistration.k8s.io/v1" || d.kind != "ValidatingWebhookConfiguration" && d.kind != "MutatingWebhookConfiguration" || d.template {
			continue
		}
		list := child(d.node(), "webhooks")
		if list == nil || list.Kind != yaml.SequenceNode {
			continue
		}
		for _, w := range list.Content {
			name := child(w, "name")
			address := child(w, "clientConfig", "service") != nil || child(w, "clientConfig", "url") != nil
			if name == nil || child(w, "clientConfig") == nil || child(w, "rules") == nil && (!address || s.elsewhere(d.file, name.Value)) {
				continue
			}
			if child(w, "sideEffects") == nil {
				all = append(all, rule.New("webhook-refused", d.place(name), name.Value, "the webhook %s has no sideEffects", name.Value))
			} else if effects := child(w, "sideEffects"); effects.Value != "None" && effects.Value != "NoneOnDryRun" {
				all = append(all, rule.New("webhook-refused", d.place(effects), name.Value, "sideEffects of the webhook %s is %s", name.Value, effects.Value))
			}
			if versions := child(w, "admissionReviewVersions"); versions == nil || len(versions.Content) == 0 {
				all = append(all, rule.New("webhook-refused", d.place(name), name.Value, "the webhook %s has no admissionReviewVersions", name.Value))
			}
		}
	}
	return all
}

// elsewhere reports whether another YAML file or a Go file has a word.
func (s *Source) elsewhere(file *YAMLFile, word string) bool {
	return slices.ContainsFunc(s.YAML, func(f *YAMLFile) bool { return f != file && bytes.Contains(f.Data, []byte(word)) }) ||
		slices.ContainsFunc(s.Go, func(f *GoFile) bool { return f.Has(word) })
}

// anywhere reports whether a YAML file, a script or a Go file has one of the words.
func (s *Source) anywhere(words ...string) bool {
	for _, word := range words {
		for _, f := range s.YAML {
			if strings.Contains(string(f.Data), word) {
				return true
			}
		}
		for _, f := range s.Go {
			if f.Has(word) {
				return true
			}
		}
		for _, f := range s.Scripts {
			if strings.Contains(string(f.Data), word) {
				return true
			}
		}
	}
	return false
}

// conversions finds Go functions that convert objects and that no CRD calls, and CRDs whose conversion no client can trust.
func conversions(s *Source) (all []rule.Finding) {
	served := s.active("strategy: Webhook") || s.anywhere("WebhookConverter", "Spec.Conversion", "CustomResourceConversion")
	if !served && !slices.ContainsFunc(s.Go, convertsItself) {
		for _, f := range s.Go {
			if !f.Has(") ConvertTo(") || !f.Has("sigs.k8s.io/controller-runtime/pkg/conversion") || f.Generated() {
				continue
			}
			inspect(f, func(fn *ast.FuncDecl) {
				if fn.Name.Name == "ConvertTo" && fn.Recv != nil && len(fn.Recv.List) == 1 && len(all) == 0 {
					all = append(all, rule.New("conversion-not-called", f.place(fn), "conversion", "ConvertTo is there, and no CRD has spec.conversion.strategy: Webhook"))
				}
			})
		}
	}
	if s.Project == nil || s.anywhere("inject-ca-from", "caBundle", "CABundle", "inject-cabundle", "WebhookClientConfig") {
		return all
	}
	for _, crd := range s.Project.CRDs {
		if c := crd.Spec.Conversion; c != nil && c.Strategy == "Webhook" {
			return append(all, rule.New("conversion-untrusted", crd.InManifest("spec", "conversion", "strategy"), crd.Subject(""), "the CRD %s is converted by a webhook, and nothing gives it the webhook's CA", crd.Name))
		}
	}
	return all
}

// convertsItself reports whether a file calls ConvertTo and declares none: a controller that turns one kind into another needs no
// webhook. Helpers of tests prove nothing.
func convertsItself(f *GoFile) bool {
	return f.Has(".ConvertTo(") && !f.Has(") ConvertTo(") && !f.Has(`"testing"`)
}

// active reports whether a YAML file has some words outside of comments.
func (s *Source) active(words string) bool {
	for _, f := range s.YAML {
		if !strings.Contains(string(f.Data), words) {
			continue
		}
		for line := range strings.Lines(string(f.Data)) {
			if before, _, _ := strings.Cut(line, "#"); strings.Contains(before, words) {
				return true
			}
		}
	}
	return false
}
