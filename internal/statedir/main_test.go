package statedir

import (
	"fmt"
	"os"
	"testing"
)

// The key of seals is not that of the user who tests.
func TestMain(m *testing.M) {
	home, err := os.MkdirTemp("", "crdctl-test-")
	if err == nil {
		err = os.Setenv("HOME", home)
	}
	if err == nil {
		err = os.Setenv("XDG_CONFIG_HOME", home)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	if err := os.RemoveAll(home); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}
