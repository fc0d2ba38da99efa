// SPDX-License-Identifier: Apache-2.0

package project

import (
	"bytes"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/safefs"
)

// webhookMarker is the marker of a webhook that changes objects.
var webhookMarker = regexp.MustCompile(`(?m)^\s*//\s*\+kubebuilder:webhook:.*\bmutating=true.*$`)

// Mutates reports whether a webhook of the project changes the objects of a resource before the API server validates them, as markers show it, or calls of
// Knative's webhook, whose kinds are known only when it runs.
func (p *Project) Mutates(group, plural string) bool {
	var all []string
	for _, f := range p.repo.Files {
		if f.Tags["webhook"] > 0 {
			all = append(all, MutatingWebhooks(f.Data)...)
		}
	}
	// Without the module there is no need to read all Go files.
	if module, err := safefs.ReadFile(filepath.Join(p.Root, "go.mod"), safefs.MaxFile); err == nil && bytes.Contains(module, []byte("knative.dev/pkg")) {
		for _, src := range p.webhooks() {
			all = append(all, MutatingWebhooks(src)...)
		}
	}
	return Mutate(all, group, plural)
}

// knative begins Knative's webhook that sets defaults. It also sets all fields of the Go type that have no omitempty.
var knative = []byte("defaulting.NewAdmissionController(")

// MutatingWebhooks are the markers of a Go file for webhooks that change objects, and its call of Knative's webhook.
func MutatingWebhooks(src []byte) []string {
	if bytes.Contains(src, knative) {
		return []string{string(knative)}
	}
	if !bytes.Contains(src, []byte("+kubebuilder:webhook:")) {
		return nil
	}
	return webhookMarker.FindAllString(string(src), -1)
}

// Mutate reports whether one of the webhooks with these markers changes the objects of a resource.
func Mutate(markers []string, group, plural string) bool {
	return slices.ContainsFunc(markers, func(m string) bool {
		return m == string(knative) || strings.Contains(m, plural) && strings.Contains(m, group)
	})
}
