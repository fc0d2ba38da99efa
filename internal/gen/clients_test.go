// SPDX-License-Identifier: Apache-2.0

package gen

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/gen/gentest"
)

// Informers of a single directory are in that of the settings itself.
func TestInformersOfSingleDirectory(t *testing.T) {
	root := oneKindProject(t, "MORE", "", "FIELD", "string", "SCHEMA", ", watch: true, singleDirectory: true")
	r, err := Generate(t.Context(), root, gentest.Settings(t, root), Options{Year: 2026})
	require.NoError(t, err)
	assert.Contains(t, r.Compared(), "pkg/client/informers/factory.go")
	assert.NotContains(t, strings.Join(r.Compared(), " "), "externalversions")
}
