// SPDX-License-Identifier: Apache-2.0

package builtin

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/crdctl/crdctl/internal/config"
)

// A hook whose children would all fail is reported at the start.
func TestOnlyStatus(t *testing.T) {
	assert.Contains(t, onlyStatus(config.Loop{Hook: "./sync.py"}), "the hook can only set the status")
	assert.Contains(t, onlyStatus(config.Loop{Template: "templates"}), "the templates can only set the status")
	assert.Empty(t, onlyStatus(config.Loop{Hook: "./sync.py", Owns: []string{"apps/v1/Deployment"}}))
	assert.Empty(t, onlyStatus(config.Loop{}))
}
