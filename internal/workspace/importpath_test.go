// SPDX-License-Identifier: Apache-2.0

package workspace_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/crdctl/crdctl/internal/workspace"
)

func TestModuleName(t *testing.T) {
	for modulePath, want := range map[string]string{
		"example.com/shop": "shop", "example.com/shop/v26": "shop", "gopkg.in/shop.v1": "shop", "shop": "shop", "example.com/shop/v1": "v1",
	} {
		assert.Equal(t, want, workspace.ModuleName(modulePath), modulePath)
	}
}
