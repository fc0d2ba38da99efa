// SPDX-License-Identifier: Apache-2.0

package crdform

import (
	"bytes"
	"slices"
)

// WebhookFile is the file that configurations of webhooks are written to.
const WebhookFile = "manifests.yaml"

// defaultConfigurations are the names of the configurations that controller-gen writes where no marker gives another.
var defaultConfigurations = []string{"mutating-webhook-configuration", "validating-webhook-configuration"}

// OnlyWebhooks reports whether a file has nothing but configurations of webhooks. A file that is empty is what a crash left of one.
func OnlyWebhooks(manifest []byte) bool {
	names, err := configurations(manifest)
	return err == nil && (len(names) > 0 || len(manifest) == 0)
}

// LeftWebhooks reports whether a file has nothing but configurations under the names that controller-gen gives them, each as its
// writer puts it: what is left of markers that went.
func LeftWebhooks(manifest []byte) bool {
	names, err := configurations(manifest)
	if err != nil || slices.ContainsFunc(names, func(name string) bool { return !slices.Contains(defaultConfigurations, name) }) {
		return false
	}
	for doc := range bytes.SplitSeq(manifest, []byte("---\n")) {
		if len(doc) > 0 && !InForm(slices.Concat([]byte("---\n"), doc)) {
			return false
		}
	}
	return true
}

// configurations are the names of the configurations in a file that has nothing else.
func configurations(manifest []byte) (names []string, err error) {
	return namesOf(manifest, "MutatingWebhookConfiguration", "ValidatingWebhookConfiguration")
}
