// SPDX-License-Identifier: Apache-2.0

package crds

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
)

// Values that are structs are left out of what the API server says, others stay, and so does what cannot be read.
func TestRefused(t *testing.T) {
	for said, want := range map[string]string{
		`[spec.versions: Invalid value: [{"Name":"v1","Schema":null},{"Name":"a: b"}]: must have one storage version, spec.scope: Invalid value: "x": no]`: `[spec.versions: must have one storage version, spec.scope: Invalid value: "x": no]`,
		`spec: Invalid value: {"a":{"b":1}}: one, c: Invalid value: [{}]: two`:                                                                             `spec: one, c: two`,
		`status.storedVersions: Invalid value: ["v1"]: must have v2`:                                                                                       `status.storedVersions: Invalid value: ["v1"]: must have v2`,
		`spec: Invalid value: {"a": and no end`:                                                                                                            `spec: Invalid value: {"a": and no end`,
		`spec: Invalid value: {}`:                                                                                                                          `spec: Invalid value: {}`,
	} {
		require.EqualError(t, refusedError{"a.example.com", errors.New(said)}, "the API server refused CRD a.example.com: "+want)
	}
}
