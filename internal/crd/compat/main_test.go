package compat_test

import (
	"flag"
	"os"
	"testing"
)

// The cases of TestServer wait for the API server most of the time, and need no core each.
func TestMain(m *testing.M) {
	flag.Parse()
	if err := flag.Set("test.parallel", "16"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}
