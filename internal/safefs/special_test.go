// SPDX-License-Identifier: Apache-2.0

//go:build unix

package safefs

import (
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/safefs/safefstest"
)

// specialFiles returns a directory with a FIFO, which blocks who opens it until another process does, and a socket.
func specialFiles(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "s") // a socket's path must be short
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	require.NoError(t, syscall.Mkfifo(filepath.Join(dir, "fifo"), 0o600))
	socket, err := net.Listen("unix", filepath.Join(dir, "socket"))
	require.NoError(t, err)
	t.Cleanup(func() { _ = socket.Close() })
	return dir
}

// Neither a FIFO nor a socket is opened.
func TestSpecialFilesDoNotBlock(t *testing.T) {
	dir := specialFiles(t)
	d, err := Anchor(dir, Self())
	require.NoError(t, err)
	defer func() { _ = d.Close() }()
	require.NoError(t, safefstest.Within(t, func() error {
		for _, name := range []string{"fifo", "socket"} {
			safefstest.Each(t, ErrSpecial, name, map[string]error{
				"read": second(d.Read(name, 1)), "write": d.Write(name, nil), "lock": second(d.Lock(name)), "locked": second(d.Locked(name)),
			})
			safefstest.Each(t, syscall.ENOTDIR, name, map[string]error{"sub": second(d.Sub(name)), "anchor": second(Anchor(filepath.Join(dir, name), Self()))})
		}
		return nil
	}))
}

func TestReadFileRefusesSpecialFiles(t *testing.T) {
	dir := specialFiles(t)
	root, err := os.OpenRoot(dir)
	require.NoError(t, err)
	defer func() { _ = root.Close() }()
	for name, to := range map[string]string{"link": "fifo", "zero": "/dev/zero", "null": os.DevNull} {
		require.NoError(t, os.Symlink(to, filepath.Join(dir, name)))
	}
	require.NoError(t, safefstest.Within(t, func() error {
		for _, name := range []string{"fifo", "link", "socket"} {
			safefstest.Each(t, ErrSpecial, name, map[string]error{"read": second(ReadFile(filepath.Join(dir, name), 1)), "read in": second(ReadFileIn(root, name, 1))})
		}
		_, err := ReadFile(filepath.Join(dir, "zero"), 1)
		assert.ErrorIs(t, err, ErrSpecial, "/dev/zero")
		data, err := ReadFile(filepath.Join(dir, "null"), 1)
		assert.NoError(t, err)
		assert.Equal(t, []byte{}, data)
		_, err = ReadNamed("/dev/zero", 1000)
		assert.ErrorIs(t, err, ErrTooBig, "/dev/zero on the command line")
		return nil
	}))
}
