// SPDX-License-Identifier: Apache-2.0

package cmd

import (
	"os"
	"path/filepath"
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/config"
)

// A project of a built-in loop has no API packages.
func TestGeneratorsOfAProjectWithoutAPIs(t *testing.T) {
	dir := t.TempDir()
	settings := "apiVersion: " + config.APIVersion + "\nkind: " + config.Kind + "\ncodeGeneratorVersion: v0.30.1\nloop: {hook: ./sync.sh}\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, config.FileName), []byte(settings), 0o600))
	assert.Equal(t, "v0.30.1", generatorsOf(dir).Version)
	assert.Zero(t, generatorsOf(t.TempDir()), "no project")
}

func TestFollowKeepsTheWatcher(t *testing.T) {
	var w watching
	root := t.TempDir()
	require.NoError(t, w.follow(root, nil))
	defer w.close()
	first := w.watcher
	require.NoError(t, w.follow(root, &config.Project{APIs: []string{"a"}}))
	require.NoError(t, w.follow(root, &config.Project{APIs: []string{"b"}}))
	assert.Same(t, first, w.watcher)
	assert.Equal(t, []string{"b"}, w.folders)
	require.NoError(t, w.follow(root, &config.Project{Boilerplate: "header.txt"}))
	assert.NotSame(t, first, w.watcher, "it does not follow the boilerplate")
	second := w.watcher
	require.NoError(t, w.follow(root, nil))
	assert.Same(t, second, w.watcher, "settings that cannot be read leave it as it was")
}

func TestStamp(t *testing.T) {
	commit := []debug.BuildSetting{{Key: "vcs.revision", Value: "0123456789abcdef0123"}, {Key: "vcs.modified", Value: "false"}, {Key: "vcs.time", Value: "2026-11-22T10:00:00Z"}}
	dirty := []debug.BuildSetting{commit[0], {Key: "vcs.modified", Value: "true"}}
	for name, test := range map[string]struct {
		linked, module string
		settings       []debug.BuildSetting
		version        string
		dirty          bool
	}{
		"go install module@version": {module: "v1.2.3", version: "v1.2.3"},
		"a checkout":                {module: "v1.2.4-0.20261122100000-0123456789ab+dirty", settings: dirty, version: "v1.2.4-0.20261122100000-0123456789ab+dirty", dirty: true},
		"linked":                    {linked: "v2.0.0", module: "v1.2.3", settings: commit, version: "v2.0.0"},
		"nothing":                   {version: "(devel)"},
	} {
		t.Run(name, func(t *testing.T) {
			var b buildInfo
			b.stamp(test.linked, &debug.BuildInfo{Main: debug.Module{Version: test.module}, Settings: test.settings})
			assert.Equal(t, test.version, b.Version)
			assert.Equal(t, test.dirty, b.Dirty)
			if len(test.settings) == 3 && (b.Time == nil || b.Commit != "0123456789abcdef0123") {
				t.Errorf("commit %s of %v", b.Commit, b.Time)
			}
		})
	}
}
