// SPDX-License-Identifier: Apache-2.0

package run

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestControllerEnv(t *testing.T) {
	got := controllerEnv([]string{"PATH=/bin", "KUBECONFIG=/theirs", "KUBERNETES_SERVICE_HOST=h", "KUBERNETES_SERVICE_PORT=1"}, []string{"KUBECONFIG=/ours"})
	assert.Equal(t, []string{"PATH=/bin", "KUBECONFIG=/ours"}, got)
}

func TestExpand(t *testing.T) {
	got := expand([]string{"--port=$(PORT)", "--file=$(A)$(B)", "$(NONE)", "$PORT"}, []string{"PORT=1", "A=x=y", "PORT=2", "B=$(PORT)"})
	assert.Equal(t, []string{"--port=2", "--file=x=y$(PORT)", "$(NONE)", "$PORT"}, got)
}
