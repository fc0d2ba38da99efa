// SPDX-License-Identifier: Apache-2.0

package controlplane

import (
	"bytes"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/safefs"
)

// Data of a crdctl that had one user get the second one, and nothing else of them changes.
func TestSecretsOfOneUser(t *testing.T) {
	data := t.TempDir()
	w := workspace{data: data}
	made, err := loadSecrets(w.secrets())
	require.NoError(t, err)
	rows, err := os.ReadFile(made.tokenFile)
	require.NoError(t, err)
	first, second, found := bytes.Cut(rows, []byte("\n"))
	require.True(t, found)
	require.Contains(t, string(second), made.controllerToken+","+ControllerUser)
	require.NoError(t, os.WriteFile(made.tokenFile, append(first, '\n'), 0o600))

	again, err := loadSecrets(w.secrets())
	require.NoError(t, err)
	assert.Equal(t, made.token, again.token)
	assert.Equal(t, string(made.ca), string(again.ca))
	assert.NotContains(t, []string{"", made.token, made.controllerToken}, again.controllerToken)
	dir, err := safefs.Anchor(data, safefs.Trusted())
	require.NoError(t, err)
	defer closeIt(t, dir)
	token, err := ControllerToken(dir)
	require.NoError(t, err)
	assert.Equal(t, again.controllerToken, token)
	third, err := loadSecrets(w.secrets())
	require.NoError(t, err)
	assert.Equal(t, again, third)
}
