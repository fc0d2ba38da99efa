// SPDX-License-Identifier: Apache-2.0

//go:build unix

package manifest

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/safefs"
	"github.com/crdctl/crdctl/internal/safefs/safefstest"
)

// What lies in a directory must be a file; what a user names may be a pipe.
func TestManifestThatIsNoFile(t *testing.T) {
	dir := t.TempDir()
	fifo := filepath.Join(dir, "crd.yaml")
	require.NoError(t, syscall.Mkfifo(fifo, 0o600))
	for name, read := range map[string]func() error{
		"of a project":         func() error { _, err := CRDsIn(dir, "."); return err },
		"objects":              func() error { _, err := Objects(dir, "crd.yaml"); return err },
		"in a named directory": func() error { _, err := CRDs(dir); return err },
	} {
		if err := safefstest.Within(t, read); !errors.Is(err, safefs.ErrSpecial) {
			t.Errorf("%s: %v, want ErrSpecial", name, err)
		}
	}
	const content = "kind: List\napiVersion: v1\nitems: []\n"
	go func() { _ = os.WriteFile(fifo, []byte(content), 0o600) }()
	var files []file
	if err := safefstest.Within(t, func() (err error) { files, err = filesOf("", fifo); return err }); err != nil || len(files) != 1 || string(files[0].data) != content {
		t.Errorf("%+v, %v", files, err)
	}
}
