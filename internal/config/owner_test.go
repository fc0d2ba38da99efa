// SPDX-License-Identifier: Apache-2.0

package config

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/safefs"
	"github.com/crdctl/crdctl/internal/safefs/safefstest"
)

// The users are made up, so that the test runs as anyone: what this user creates belongs to another one if it is not among the
// owners. TestAnotherUser of e2e/stories has two users.
func TestCheckOwner(t *testing.T) {
	root := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(root, FileName), nil, 0o600))
	assert.NoError(t, checkOwner(root, safefs.Self()))
	others := safefs.Owners{os.Geteuid() + 1}
	err := checkOwner(root, others)
	owner, ok := errors.AsType[*safefs.OwnerError](err)
	if !ok || owner.Path != root || !strings.Contains(err.Error(), safefs.SafeDirectoryEnv+"="+root) {
		t.Errorf("%v; want the error of %s, and the variable that allows it", err, root)
	}
	t.Setenv(safefs.SafeDirectoryEnv, root)
	assert.NoError(t, CheckOwner(root))
}

// Each of the files decides on what is executed.
func TestCheckOwnerOfFiles(t *testing.T) {
	others := safefs.Owners{os.Geteuid() + 1}
	for _, name := range []string{FileName, stateName} {
		path := filepath.Join(t.TempDir(), name)
		assert.NoError(t, checkFile(path, others), "%s, which does not exist", name)
		// The link decides, and so does where it leads.
		require.NoError(t, os.Symlink("/", path))
		if err := checkFile(path, others); !errors.Is(err, fs.ErrPermission) {
			t.Errorf("a link to / by %s: %v, want the error of an owner", name, err)
		}
	}
	for _, name := range []string{"go.mod", "go.work"} {
		above := t.TempDir()
		below := filepath.Join(above, "a", "b")
		safefstest.WriteFiles(t, above, map[string]string{name: "", "a/b/x": ""})
		err := checkNearest(below, name, others)
		if owner, ok := errors.AsType[*safefs.OwnerError](err); !ok || owner.Path != filepath.Join(above, name) {
			t.Errorf("%s above the project: %v", name, err)
		}
		assert.NoError(t, checkNearest(below, name, safefs.Self()))
	}
}
