// SPDX-License-Identifier: Apache-2.0

package run

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/crdctl/crdctl/internal/safefs/safefstest"
)

// A directory with a usual name says nothing about its program; its module does.
func TestProgramName(t *testing.T) {
	root := t.TempDir()
	safefstest.WriteFiles(t, root, map[string]string{"go.mod": "module example.com/shop/v2\n", "operator/go.mod": "module example.com/shop/operator\n"})
	for dir, want := range map[string]string{".": "shop", "cmd": "shop", "cmd/shop-controller": "shop-controller", "cmd/main": "shop", "operator/cmd": "operator"} {
		assert.Equal(t, want, programName(root, dir), dir)
	}
}
