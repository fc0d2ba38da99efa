// SPDX-License-Identifier: Apache-2.0

package crdgen

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Only the packages with the markers are read: what is wrong with those that they import is nothing to the role, and what is
// wrong with themselves is.
func TestRoleOfWhatImportsNothingThatLoads(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		require.NoError(t, os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	const main = "package main\n\nimport (\n\t_ \"example.com/farm/pkg/client\"\n\t_ \"example.com/farm/torn\"\n)\n\n" +
		"// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=get\n\nfunc main() {}\n"
	write("go.mod", "module example.com/farm\n")
	write("main.go", main)
	write("torn/torn.go", "")
	got, err := Role(t.Context(), dir, nil, []string{"example.com/farm"}, "new")
	require.NoError(t, err)
	assert.Contains(t, string(got), "- deployments\n")
	// A user's file among the clients may import what imports them.
	write("pkg/cron/cron.go", strings.Replace(main, "package main", "package cron", 1))
	write("pkg/client/client.go", "package client\n\nimport _ \"example.com/farm/pkg/cron\"\n")
	got, err = Role(t.Context(), dir, nil, []string{"example.com/farm/pkg/cron"}, "new")
	require.NoError(t, err)
	assert.Contains(t, string(got), "- deployments\n")
	write("main.go", main+"\nfunc {\n")
	_, err = Role(t.Context(), dir, nil, []string{"example.com/farm"}, "new")
	assert.ErrorContains(t, err, "main.go:12:6: ", "an error of syntax")
}
