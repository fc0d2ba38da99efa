// SPDX-License-Identifier: Apache-2.0

package controllergen

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/gen/crdform"
)

// A generator runs in this process only where the linked one makes the same bytes. Those of v0.16 see other types where a field has an alias.
func TestEngineFor(t *testing.T) {
	for _, c := range []struct {
		version, generator string
		engine             bool
	}{
		{crdform.Version, "crd", false},
		{crdform.Version, "applyconfiguration", true},
		{"v0.17.0", "object", false},
		{"v0.16.5", "object", true},
		{"v0.17.1", "rbac", true},
		{"v0.17.2", "rbac", false},
		{"v0.19.0", "webhook", true},
		{"v0.20.0", "webhook", false},
	} {
		engine, err := engineFor(c.version, []string{c.generator})
		require.NoError(t, err)
		assert.Equal(t, c.engine, engine != "", "%s of %s", c.generator, c.version)
	}
}
