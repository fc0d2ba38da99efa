// SPDX-License-Identifier: Apache-2.0

package project

import (
	"regexp"
	"strings"
)

// webhookMarker is the marker of a webhook that changes objects.
var webhookMarker = regexp.MustCompile(`(?m)^\s*//\s*\+kubebuilder:webhook:.*\bmutating=true.*$`)

// Mutates reports whether a webhook of the project changes the objects of a resource before the API server validates them, as markers show it.
func (p *Project) Mutates(group, plural string) bool {
	for _, f := range p.repo.Files {
		if f.Tags["webhook"] == 0 {
			continue
		}
		for _, marker := range webhookMarker.FindAllString(string(f.Data), -1) {
			if strings.Contains(marker, plural) && strings.Contains(marker, group) {
				return true
			}
		}
	}
	return false
}
