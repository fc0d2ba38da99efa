// SPDX-License-Identifier: Apache-2.0

// Package safefstest has what tests of several packages need of files: fixtures, functions that must not block, and a home
// directory for the keys of seals.
package safefstest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// blockTime is how long a function may take that must not wait for a FIFO.
const blockTime = 10 * time.Second

// Within returns what f returns and fails the test when f blocks, as the opening of a FIFO does.
func Within(t *testing.T, f func() error) error {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- f() }()
	select {
	case err := <-done:
		return err
	case <-time.After(blockTime):
		t.Fatal("blocked")
		return nil
	}
}

// WriteFiles writes files, named by slash-separated paths below root, and makes the directories that they are in. As in a
// repository, other users can enter these.
func WriteFiles(t testing.TB, root string, files map[string]string) {
	t.Helper()
	for name, content := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	}
}

// WriteAll is WriteFiles of files with the same content.
func WriteAll(t testing.TB, root, content string, names ...string) {
	t.Helper()
	for _, name := range names {
		WriteFiles(t, root, map[string]string{name: content})
	}
}

// Read returns the content of a file.
func Read(t testing.TB, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(content)
}

// Each holds that all errors are a target, and names those that are not by what was tried.
func Each(t testing.TB, target error, of string, errs map[string]error) {
	t.Helper()
	for what, err := range errs {
		assert.ErrorIs(t, err, target, "%s %s", what, of)
	}
}

// IsPrivate holds that only the user can enter a directory.
func IsPrivate(t testing.TB, dir string) {
	t.Helper()
	info, err := os.Stat(dir)
	require.NoError(t, err)
	require.Equal(t, os.ModeDir|0o700, info.Mode(), dir)
}

// Run runs the tests of a package with a temporary directory of configurations, so that none reads or makes the key of the user who
// tests. The go command stays configured as it is. It returns the exit code, and panics when the directory cannot be made or removed.
func Run(m interface{ Run() int }) int {
	home, err := os.MkdirTemp("", "crdctl-test-")
	if err := errors.Join(err, keepGo(), moveConfig(home)); err != nil {
		panic(err)
	}
	code := m.Run()
	if err := os.RemoveAll(home); err != nil {
		panic(err)
	}
	return code
}

// moveConfig has os.UserConfigDir return dir or a directory in it.
func moveConfig(dir string) error {
	names := []string{"XDG_CONFIG_HOME", "AppData"}
	if runtime.GOOS == "darwin" {
		names = append(names, "HOME")
	}
	for _, name := range names {
		if err := os.Setenv(name, dir); err != nil {
			return err
		}
	}
	return nil
}

// keepGo sets what the go command takes from the directories of the user.
func keepGo() error {
	names := []string{"GOENV", "GOPATH", "GOMODCACHE", "GOCACHE"}
	out, err := exec.Command("go", append([]string{"env"}, names...)...).Output()
	if err != nil {
		return fmt.Errorf("go env: %w", err)
	}
	values := strings.Split(string(out), "\n")
	for i, name := range names {
		if err := os.Setenv(name, strings.TrimSpace(values[i])); err != nil {
			return err
		}
	}
	return nil
}
