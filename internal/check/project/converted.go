// SPDX-License-Identifier: Apache-2.0

package project

import (
	"bytes"
	"path/filepath"

	"github.com/crdctl/crdctl/internal/safefs"
)

// Converted reports whether versions of the CRD are converted, although its manifest does not have it: kustomize patches a webhook into it, or
// the Go types have the functions of controller-runtime's conversion webhook.
func (c *CRD) Converted() bool {
	if c.project == nil {
		return false
	}
	for _, m := range c.project.repo.CRDs {
		if m.Name != c.Name || m.Path == c.File {
			continue
		}
		data, err := safefs.ReadFile(filepath.Join(c.project.Root, filepath.FromSlash(m.Path)), safefs.MaxFile)
		if err == nil && bytes.Contains(data, []byte("strategy: Webhook")) {
			return true
		}
	}
	for _, v := range c.Spec.Versions {
		if types := c.typesOf(v.Name); types != nil && (types.HasMethod(c.Spec.Names.Kind, "ConvertTo") || types.HasMethod(c.Spec.Names.Kind, "Hub")) {
			return true
		}
	}
	return false
}
