// SPDX-License-Identifier: Apache-2.0

//go:build !crdctl_loop

package cmd

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/config"
)

func TestFollowKeepsTheWatcher(t *testing.T) {
	var w watching
	root := t.TempDir()
	require.NoError(t, w.follow(root, nil))
	defer w.close()
	first := w.watcher
	require.NoError(t, w.follow(root, &config.Project{APIs: []string{"a"}}))
	require.NoError(t, w.follow(root, &config.Project{APIs: []string{"b"}}))
	assert.Same(t, first, w.watcher)
	assert.Equal(t, []string{"b"}, w.dirs)
	require.NoError(t, w.follow(root, &config.Project{Boilerplate: "header.txt"}))
	assert.NotSame(t, first, w.watcher, "it does not follow the boilerplate")
	second := w.watcher
	require.NoError(t, w.follow(root, nil))
	assert.Same(t, second, w.watcher, "settings that cannot be read leave it as it was")
}
