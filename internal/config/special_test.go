// SPDX-License-Identifier: Apache-2.0

//go:build unix

package config

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/safefs"
	"github.com/crdctl/crdctl/internal/safefs/safefstest"
)

func TestLoadOfWhatIsNoFile(t *testing.T) {
	root := t.TempDir()
	file := filepath.Join(root, FileName)
	load := func() error {
		_, err := Load(root)
		return err
	}
	for name, place := range map[string]func() error{
		"FIFO":             func() error { return syscall.Mkfifo(file, 0o600) },
		"device by a link": func() error { return os.Symlink("/dev/zero", file) },
	} {
		require.NoError(t, place())
		if err := safefstest.Within(t, load); !errors.Is(err, safefs.ErrSpecial) {
			t.Errorf("%s: %v, want ErrSpecial", name, err)
		}
		require.NoError(t, os.Remove(file))
	}
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	require.NoError(t, os.Truncate(file, maxSize+1))
	assert.ErrorIs(t, load(), safefs.ErrTooBig)
}
