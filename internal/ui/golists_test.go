// SPDX-License-Identifier: Apache-2.0

package ui

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestShortenGo(t *testing.T) {
	var vendor, sums strings.Builder
	vendor.WriteString("go: inconsistent vendoring in /p:\n")
	for i := range 60 {
		fmt.Fprintf(&vendor, "\texample.com/m%d@v1.0.0: is explicitly required in go.mod, but not marked as explicit in vendor/modules.txt\n", i)
		fmt.Fprintf(&sums, "main.go:%d:2: missing go.sum entry for module providing package example.com/m%d (imported by p); to add:\n\tgo get p\n", i, i)
	}
	vendor.WriteString("\n\tTo sync the vendor directory, run:\n\t\tgo mod vendor")
	compiler := strings.Repeat("main.go:1:2: undefined: x@v1: is not in std\n", 60)
	for name, test := range map[string]struct {
		output, left string
		lines        int
		hint         bool
	}{
		"vendor":   {vendor.String(), "55 more", 10, true},
		"compiler": {compiler, "", 61, false},
	} {
		t.Run(name, func(t *testing.T) {
			short, hint := ShortenGo(t.TempDir(), test.output)
			if n := strings.Count(short, "\n") + 1; n != test.lines || !strings.Contains(short, test.left) {
				t.Errorf("%d lines, want %d:\n%s", n, test.lines, short)
			}
			assert.Equal(t, test.hint, strings.Contains(hint, "GOFLAGS"), "hint %q", hint)
			if test.left != "" && (!strings.Contains(short, "m4") || strings.Contains(short, "m5")) {
				t.Errorf("not the first five:\n%s", short)
			}
			if test.hint && !strings.Contains(short, "go mod vendor") {
				t.Error("what comes after the list is lost")
			}
		})
	}
}

// Of the lines about go.sum one is left, and the others stay.
func TestShortenGoSums(t *testing.T) {
	var sums strings.Builder
	sums.WriteString("main.go:1:2: package x is not in std\n")
	for i := range 40 {
		fmt.Fprintf(&sums, "main.go:%d:2: missing go.sum entry for module providing package example.com/m%d (imported by p); to add:\n\tgo get p\n", i, i)
	}
	for name, test := range map[string]struct{ output, short string }{
		"packages": {strings.TrimSuffix(sums.String(), "\n"),
			"main.go:1:2: package x is not in std\ngo.sum lacks 40 entries that the build needs; it has none for the module of example.com/m0"},
		"go.mod of a module": {"go: example.com/a@v1.0.0: missing go.sum entry for go.mod file; to add it:\n\tgo mod download example.com/a",
			"go.sum lacks an entry that the build needs"},
	} {
		t.Run(name, func(t *testing.T) {
			short, hint := ShortenGo(t.TempDir(), test.output)
			assert.Equal(t, test.short, short)
			assert.Equal(t, `run "go mod tidy"`, hint)
		})
	}
}

// The go command says of a go.sum that does not exist what it says of one that lacks entries.
func TestShortenGoWithoutSums(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module m\n"), 0o600))
	output := "go: example.com/a@v1.0.0: missing go.sum entry for go.mod file; to add it:\n\tgo mod download example.com/a"
	short, hint := ShortenGo(dir, output)
	assert.Equal(t, "go.sum does not exist, and the build needs it", short)
	assert.Equal(t, `run "go mod tidy", which creates it`, hint)

	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.sum"), nil, 0o600))
	short, _ = ShortenGo(dir, output)
	assert.Equal(t, "go.sum lacks an entry that the build needs", short)
}

// A module that cannot be downloaded is named once; other errors stay.
func TestShortenGoDownloads(t *testing.T) {
	var output []string
	for i := range 25 {
		output = append(output, fmt.Sprintf("api/a%d.go:20:2: example.com/m@v1.2.3: reading https://proxy.example.com/example.com/m/@v/v1.2.3.mod: 403 Forbidden", i), "\tserver response: not available")
	}
	output = append(output, "api/b.go:1:1: undefined: Other")
	short, hint := ShortenGo(t.TempDir(), strings.Join(output, "\n"))
	assert.Equal(t, "api/a0.go:20:2: example.com/m@v1.2.3: reading https://proxy.example.com/example.com/m/@v/v1.2.3.mod: 403 Forbidden (server response: not available)\n"+
		"api/b.go:1:1: undefined: Other", short)
	assert.Equal(t, `run "go mod download" where the module can be downloaded; GOPROXY and GOPRIVATE name where from`, hint)
}

// Modules that cannot be downloaded for one reason are one line.
func TestShortenGoCauses(t *testing.T) {
	var output []string
	for i := range 12 {
		output = append(output, fmt.Sprintf("a.go:%d:2: example.com/m%d@v1.2.3: reading https://proxy.example.com/m%d.mod: 403 Forbidden", i, i, i), "\tserver response: not available")
	}
	output = append(output, "a.go:13:2: example.com/x@v1.0.0: reading https://proxy.example.com/x.mod: 404 Not Found", "\tserver response: not found")
	short, _ := ShortenGo(t.TempDir(), strings.Join(output, "\n"))
	assert.Equal(t, "a.go:0:2: example.com/m0@v1.2.3: reading https://proxy.example.com/m0.mod: 403 Forbidden (server response: not available), and so 11 more modules\n"+
		"a.go:13:2: example.com/x@v1.0.0: reading https://proxy.example.com/x.mod: 404 Not Found (server response: not found)", short)
}

// With GOPROXY=off and an empty module cache, there is a line for each import that names no module.
func TestShortenGoOffline(t *testing.T) {
	short, hint := ShortenGo(".", "a.go:3:2: module lookup disabled by GOPROXY=off\na.go:4:2: module lookup disabled by GOPROXY=off\nb.go:4:2: module lookup disabled by GOPROXY=off")
	assert.Equal(t, "a.go:3:2: module lookup disabled by GOPROXY=off, and so 2 more imports", short)
	assert.Equal(t, `run "go mod download" where the module can be downloaded; GOPROXY and GOPRIVATE name where from`, hint)
}
