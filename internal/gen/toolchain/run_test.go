// SPDX-License-Identifier: Apache-2.0

package toolchain

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What a program that crashed wrote is cut to its first words.
func TestLastWords(t *testing.T) {
	for stderr, want := range map[string]string{
		"runtime: goroutine stack exceeds 1000000000-byte limit\nfatal error: stack overflow\n\ngoroutine 1 [running]:\nmain.main()\n": "fatal error: stack overflow",
		"W0101 a note\npanic: out of range\n\ngoroutine 1 [running]:\n":                                                                "panic: out of range",
		" no such file\nor directory\n": "no such file\nor directory",
	} {
		assert.Equal(t, want, lastWords(stderr))
	}
}

// What gengo fails with is more than the first line of a log.
func TestLogged(t *testing.T) {
	const log = "W1129 17:11:22.969034    6516 parse.go:815] Making unsupported type entry\n" +
		"E1129 17:11:22.969034    6516 a.go:1] one\nE1129 17:11:22.969034    6516 a.go:1] two\nmore\n" +
		"F1129 17:13:03.754173    9362 main.go:64] Error: Failed executing generator: some packages had errors:\n" +
		"errors in package \"example.com/a\":\nunable to format file\n\n" +
		"goroutine 1 [running]:\nmain.main()\n"
	said := logged(log)
	assert.Equal(t, "Failed executing generator: some packages had errors:\nerrors in package \"example.com/a\":\nunable to format file", said['F'])
	assert.Equal(t, "one\ntwo", said['E'])
}

// What a program says names its output without the scratch directory.
func TestOldRunFails(t *testing.T) {
	scratch := t.TempDir()
	r := oldRun{gen: Generator{Name: "client-gen"}, scratch: scratch}
	r.args = []string{"-c", `echo "F1129 17:13:03.754173    9362 main.go:64] unable to format file $0/example.com/a/a.go" >&2; exit 1`, filepath.Join(scratch, "out")}
	err := r.run(t.Context(), &Toolchain{Version: "v0.19.2", binary: "/bin/sh"}, scratch, nil)
	assert.EqualError(t, err, "client-gen v0.19.2: unable to format file example.com/a/a.go")
}

// A package for which deepcopy-gen makes nothing next to others is given to it alone.
func TestOldRunAlone(t *testing.T) {
	scratch := t.TempDir()
	r := oldRun{gen: Generator{Name: "deepcopy-gen", Inputs: []string{"example.com/a", "example.com/b"}}, scratch: scratch}
	r.args = []string{"-c", `mkdir -p "$0/${2%%,*}" && echo "$2" > "$0/${2%%,*}/z.go"`, filepath.Join(scratch, "out"), "--input-dirs", "example.com/a,example.com/b"}
	require.NoError(t, r.run(t.Context(), &Toolchain{binary: "/bin/sh"}, scratch, nil))
	for pkg, want := range map[string]string{"a": "example.com/a,example.com/b\n", "b": "example.com/b\n"} {
		made, err := os.ReadFile(filepath.Join(scratch, "out", "example.com", pkg, "z.go"))
		require.NoError(t, err)
		assert.Equal(t, want, string(made))
	}
}

// A file that a person wrote next to the output is found there by its name, and is not the program's.
func TestOldRunByHand(t *testing.T) {
	dir, scratch := t.TempDir(), t.TempDir()
	listers := filepath.Join(dir, "client", "listers")
	require.NoError(t, os.MkdirAll(filepath.Join(listers, "v1"), 0o700))
	for _, name := range []string{"apple_expansion.go", "generated_expansion.go", "apple.go"} {
		require.NoError(t, os.WriteFile(filepath.Join(listers, "v1", name), []byte("package v1\n"), 0o600))
	}
	r := oldRun{gen: Generator{Name: "lister-gen"}, scratch: scratch, dir: listers, pkg: "example.com/a/listers"}
	r.args = []string{"-c", `cd "$0" && ls > expansion_generated.go`, filepath.Join(scratch, "out", "example.com", "a", "listers", "v1")}
	require.NoError(t, r.run(t.Context(), &Toolchain{binary: "/bin/sh"}, dir, nil))
	files, err := r.files(dir, "example.com/a")
	require.NoError(t, err)
	require.Len(t, files, 1)
	assert.Equal(t, filepath.Join(listers, "v1", "expansion_generated.go"), files[0].Path)
	assert.Equal(t, "apple_expansion.go\nexpansion_generated.go\n", string(files[0].Content))
}
