// SPDX-License-Identifier: Apache-2.0

//go:build unix

package trace

import (
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// To open a pipe waits until another process opens it, too, and signals do not end that.
func TestPipes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.gz")
	require.NoError(t, syscall.Mkfifo(path, 0o600))
	_, err := OpenFile(path)
	require.EqualError(t, err, path+": not a regular file; copy what it has to one")
	_, err = New(Options{File: path})
	require.EqualError(t, err, path+": not a regular file")
	_, err = SaveFile(path, "whole", sequence([]Record{{Seq: 1, Body: &Header{Format: Format}}}))
	require.EqualError(t, err, path+": not a regular file")
}
