// SPDX-License-Identifier: Apache-2.0

package diag

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"

	"github.com/crdctl/crdctl/internal/workspace"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestNew(t *testing.T) {
	assert.NoError(t, New("cannot load the API packages", "/p", "", "\n"), "nothing")
	err := New("cannot load the API packages", "/p",
		"error loading packages: error(s) in \"example.com/p/api/v1\":\n/p/api/v1/types.go:18:2: expected '{', found metav1\n",
		"/p/api/v1/types.go:18:2: expected '{', found metav1\n-: go: updates to go.mod needed",
	)
	want := "cannot load the API packages:\n  api/v1/types.go:18:2: expected '{', found metav1\n  go: updates to go.mod needed\nrun \"go mod tidy\""
	assert.EqualError(t, err, want)
}

// A go command without a directory for its cache needs one, whatever it was to load.
// The parser of markers does not say what would be right.
func TestNewOfMarkers(t *testing.T) {
	for said, hint := range map[string]string{
		`a.go:7:1: unknown argument "foo" (at <input>:1:12)`:                                 "correct the arguments of the marker, or quote a value that has a comma or a semicolon",
		`a.go:7:1: missing argument "rule" (at <input>:1:12)`:                                "correct the arguments of the marker, or quote a value that has a comma or a semicolon",
		`a.go:7:1: invalid minimum value: strconv.ParseFloat: parsing "abc": invalid syntax`: "give the marker a number",
		`a.go:7:1: cannot apply non-integral minimum validation (1.5) to integer value`:      "give the marker an integer, or the field another type",
	} {
		assert.EqualError(t, New("make CRDs", "/p", said), "make CRDs:\n  "+said+"\n"+hint)
	}
}

func TestNewWithoutBuildCache(t *testing.T) {
	err := New("cannot load the API packages", "/p", "failed to initialize build cache at /nonexistent/.cache/go-build: mkdir /nonexistent: permission denied")
	assert.ErrorContains(t, err, "permission denied\nset HOME, or GOCACHE and GOMODCACHE, to writable directories")
}

// A vendor directory that does not fit is a list of all modules, of which a few are enough.
func TestNewOfVendoring(t *testing.T) {
	said := "go: inconsistent vendoring in /p:\n"
	for i := range 60 {
		said += fmt.Sprintf("\texample.com/m%d@v1.0.0: is explicitly required in go.mod, but not marked as explicit in vendor/modules.txt\n", i)
	}
	err := New("cannot load the API packages", "/p", said)
	if err == nil || strings.Count(err.Error(), "\n") != 8 || !strings.Contains(err.Error(), "GOFLAGS=-mod=readonly") || !strings.Contains(err.Error(), " 55 ") {
		t.Errorf("error:\n%v", err)
	}
}

// Where a module is unavailable, nothing is known of its types: that needs no line for each.
func TestNewWithoutModule(t *testing.T) {
	said := []string{"/p/types.go:3:2: missing go.sum entry for module providing package k8s.io/api/core/v1 (imported by example.com/p); to add:\n\tgo get example.com/p", "/p/types.go:9:2: unknown type corev1.Pod"}
	assert.NotContains(t, New("make CRDs", "/p", said...).Error(), "unknown type")
	assert.ErrorContains(t, New("make CRDs", "/p", said[1]), "types.go:9:2: unknown type corev1.Pod")
}

// A module whose replacement is elsewhere is named once, and not in each file that imports it.
func TestNewOfReplacement(t *testing.T) {
	gone := ": k8s.io/api@v0.30.2: replacement directory /home/me/api does not exist\n"
	err := New("cannot load the API packages", "/p", "/p/types.go:10:2"+gone+"/p/other.go:3:2"+gone)
	require.EqualError(t, err, "cannot load the API packages:\n  go.mod"+gone+"remove the replace directive from go.mod, or name a directory that is on this machine")
}

// What the go command prints before it fails is progress, and its exit code says nothing.
func TestOfGo(t *testing.T) {
	err := OfGo(errors.New("err: exit status 1: stderr: go: downloading k8s.io/api v0.37.1\nverifying k8s.io/api@v0.37.1: checksum mismatch\n\tgo.sum: h1:x/y="))
	require.EqualError(t, err, "verifying k8s.io/api@v0.37.1: checksum mismatch\n\tgo.sum: h1:x/y=")
	require.NoError(t, OfGo(nil))

	t.Setenv("PATH", t.TempDir())
	_, err = packages.Load(&packages.Config{}, ".")
	require.ErrorIs(t, OfGo(err), workspace.ErrNoGo)
}
