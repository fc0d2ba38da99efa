// SPDX-License-Identifier: Apache-2.0

package project

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
)

// webhookMarker is the marker of a webhook that changes objects.
var webhookMarker = regexp.MustCompile(`(?m)^\s*//\s*\+kubebuilder:webhook:.*\bmutating=true.*$`)

// Mutates reports whether a webhook of the project changes the objects of a resource before the API server validates them, as markers show it.
func (p *Project) Mutates(group, plural string) bool {
	var all []string
	for _, f := range p.repo.Files {
		if f.Tags["webhook"] > 0 {
			all = append(all, MutatingWebhooks(f.Data)...)
		}
	}
	return Mutate(all, group, plural)
}

// MutatingWebhooks are the markers of a Go file for webhooks that change objects.
func MutatingWebhooks(src []byte) []string {
	if !bytes.Contains(src, []byte("+kubebuilder:webhook:")) {
		return nil
	}
	return webhookMarker.FindAllString(string(src), -1)
}

// Mutate reports whether one of the webhooks with these markers changes the objects of a resource.
func Mutate(markers []string, group, plural string) bool {
	return slices.ContainsFunc(markers, func(m string) bool { return strings.Contains(m, plural) && strings.Contains(m, group) })
}
