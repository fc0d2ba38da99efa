// Package safefstest has what tests of several packages need of files: functions that must not block, and a home directory
// for the keys of seals.
package safefstest

import (
	"fmt"
	"os"
	"testing"
	"time"
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

// Run runs the tests of a package with a temporary home directory, so that none reads or makes the key of the user who tests.
// It returns the exit code.
func Run(m *testing.M) (code int) {
	home, err := os.MkdirTemp("", "crdctl-test-")
	if err != nil {
		return failed(err)
	}
	defer func() {
		if err := os.RemoveAll(home); err != nil {
			code = failed(err)
		}
	}()
	for _, name := range []string{"HOME", "XDG_CONFIG_HOME", "AppData"} { // see os.UserConfigDir
		if err := os.Setenv(name, home); err != nil {
			return failed(err)
		}
	}
	return m.Run()
}

func failed(err error) int {
	fmt.Fprintln(os.Stderr, err)
	return 1
}
