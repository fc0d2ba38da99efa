// SPDX-License-Identifier: Apache-2.0

package crdgen

import (
	"bytes"
	"fmt"

	"github.com/crdctl/crdctl/internal/config"
)

// beforeConversion ends right before the place that the key conversion has among those of a manifest, which are sorted.
var beforeConversion = []byte("\nspec:\n")

// WithConversion is a manifest that Generate made, with a webhook that converts its versions. There is no marker for that in
// controller-tools; others patch the manifest afterwards.
func WithConversion(manifest []byte, w config.ConversionWebhook) ([]byte, error) {
	before, after, ok := bytes.Cut(manifest, beforeConversion)
	if !ok {
		return nil, fmt.Errorf("the manifest of %s has no spec", w.CRD)
	}
	conversion := fmt.Appendf(nil, `  conversion:
    strategy: Webhook
    webhook:
      clientConfig:
        service:
          name: %q
          namespace: %q
          path: %q
      conversionReviewVersions:
      - v1
`, w.Service.Name, w.Service.Namespace, w.Service.Path)
	return bytes.Join([][]byte{before, beforeConversion, conversion, after}, nil), nil
}
