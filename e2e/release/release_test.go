// SPDX-License-Identifier: Apache-2.0

package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/safefs/safefstest"
)

// Archives have their files with their modes, and no trace of when or where they were made.
func TestArchives(t *testing.T) {
	date := time.Date(2026, 11, 23, 10, 0, 0, 0, time.UTC)
	made := func(pack func([]file, time.Time) ([]byte, error)) []byte {
		from := filepath.Join(t.TempDir(), "program")
		require.NoError(t, os.WriteFile(from, []byte("content"), 0o600))
		content, err := pack([]file{{from: from, name: "crdctl", mode: 0o755}}, date)
		require.NoError(t, err)
		return content
	}
	packed := made(tarball)
	assert.Equal(t, packed, made(tarball))
	unzipped, err := gzip.NewReader(bytes.NewReader(packed))
	require.NoError(t, err)
	archive := tar.NewReader(unzipped)
	header, err := archive.Next()
	require.NoError(t, err)
	assert.Equal(t, "crdctl", header.Name)
	assert.Equal(t, int64(0o755), header.Mode)
	assert.True(t, header.ModTime.Equal(date))
	content, err := io.ReadAll(archive)
	require.NoError(t, err)
	assert.Equal(t, "content", string(content))

	packed = made(zipFile)
	assert.Equal(t, packed, made(zipFile))
	zipped, err := zip.NewReader(bytes.NewReader(packed), int64(len(packed)))
	require.NoError(t, err)
	require.Len(t, zipped.File, 1)
	assert.Equal(t, "-rwxr-xr-x crdctl", zipped.File[0].Mode().String()+" "+zipped.File[0].Name)
}

func TestBill(t *testing.T) {
	info := &debug.BuildInfo{GoVersion: "go1.26.8", Main: debug.Module{Path: module}, Deps: []*debug.Module{
		{Path: "example.com/a", Version: "v1.2.3+incompatible", Sum: "h1:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="},
	}}
	content, err := billOf(info, "v1.0.0", "loop")
	require.NoError(t, err)
	var got bill
	require.NoError(t, json.Unmarshal(content, &got))
	assert.Equal(t, "pkg:golang/github.com/crdctl/crdctl@v1.0.0", got.Metadata.Component.PURL)
	require.Len(t, got.Components, 2)
	assert.Equal(t, "pkg:golang/std@1.26.8", got.Components[0].PURL)
	assert.Equal(t, component{
		Ref: "pkg:golang/example.com/a@v1.2.3%2Bincompatible", Type: "library", Name: "example.com/a", Version: "v1.2.3+incompatible",
		PURL:   "pkg:golang/example.com/a@v1.2.3%2Bincompatible",
		Hashes: []hash{{"SHA-256", "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"}},
	}, got.Components[1])

	info.Deps[0].Replace = &debug.Module{Path: "../a"}
	_, err = billOf(info, "v1.0.0", "loop")
	assert.ErrorContains(t, err, "not replaced")
}

func TestArchiveName(t *testing.T) {
	assert.Equal(t, "crdctl_v1.2.3_linux_amd64", archiveName("full", "v1.2.3", "linux", "amd64"))
	assert.Equal(t, "crdctl-loop_v1.2.3_darwin_arm64", archiveName("loop", "v1.2.3", "darwin", "arm64"))
}

// The links of an archive lead to the pages of its version, which for one without a tag is a commit.
func TestReadme(t *testing.T) {
	assert.Contains(t, readmeOf("v1.2.3", "loop"), "crdctl v1.2.3, the loop build\n\nDocumentation of this version: https://github.com/crdctl/crdctl/tree/v1.2.3/docs#readme\n")
	assert.Contains(t, readmeOf("v0.0.0-20261129065829-879f3dcc0123+dirty", "full"), "/blob/879f3dcc0123/docs/tutorial.md\n")
}

// Each build has man pages of the commands that it has.
func TestManuals(t *testing.T) {
	t.Chdir("../..")
	r := release{log: t.Output()}
	files, err := r.manuals(t.Context(), t.TempDir(), "loop")
	require.NoError(t, err)
	var names []string
	for _, f := range files {
		names = append(names, f.name)
	}
	assert.Subset(t, names, []string{"man/man1/crdctl.1", "man/man1/crdctl-run.1", "completions/crdctl.zsh"})
	assert.NotContains(t, names, "man/man1/crdctl-generate.1")
	page := safefstest.Read(t, files[slices.Index(names, "man/man1/crdctl-run.1")].from)
	assert.Contains(t, page, "built-in controller")
	assert.NotContains(t, page, "no-controller", "a flag of the full build")
}

// The version of a release is the tag of its commit, if that has one.
func TestCheckTags(t *testing.T) {
	dir := t.TempDir()
	git := func(args ...string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "git", append([]string{"-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "tag.gpgsign=false", "-c", "commit.gpgsign=false"}, args...)...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
	require.NoError(t, checkTags(t.Context(), dir, "v1.2.3"), "no repository")
	git("init", "-q")
	git("commit", "-q", "--allow-empty", "-m", "a")
	git("tag", "nightly")
	require.NoError(t, checkTags(t.Context(), dir, "v1.2.3"))
	git("tag", "v1.2.4")
	require.NoError(t, checkTags(t.Context(), dir, "v1.2.4"))
	require.NoError(t, checkTags(t.Context(), dir, ""))
	require.EqualError(t, checkTags(t.Context(), dir, "v1.2.3"), "-version v1.2.3: the commit is tagged v1.2.4; omit -version, or check out the tag")
}

// Files come to their directory together, with their checksums; a release that was interrupted changes nothing there.
func TestPublish(t *testing.T) {
	r := &release{out: t.TempDir(), staged: t.TempDir()}
	require.NoError(t, os.WriteFile(filepath.Join(r.out, sumsFile), []byte("of an earlier release"), 0o600))
	require.NoError(t, r.write("b.zip", []byte("b")))
	require.NoError(t, r.write("a.zip", []byte("a")))
	names := func() (all []string) {
		entries, err := os.ReadDir(r.out)
		require.NoError(t, err)
		for _, e := range entries {
			all = append(all, e.Name())
		}
		return all
	}
	assert.Equal(t, []string{sumsFile}, names())
	interrupted, stop := context.WithCancel(t.Context())
	stop()
	require.ErrorIs(t, r.publish(interrupted), context.Canceled)
	assert.Equal(t, []string{sumsFile}, names())

	require.NoError(t, r.publish(t.Context()))
	assert.Equal(t, []string{sumsFile, "a.zip", "b.zip"}, names())
	assert.Equal(t, "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb  a.zip\n3e23e8160039594a33894f6564e1b1348bbd7a0088d42c4acb73eeaed59c009d  b.zip\n", safefstest.Read(t, filepath.Join(r.out, sumsFile)))
}
