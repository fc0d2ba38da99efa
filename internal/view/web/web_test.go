// SPDX-License-Identifier: Apache-2.0

package web_test

import (
	"crypto/sha256"
	"encoding/base64"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/view/web"
)

// What is vendored is what vendor.sum has: names, versions, hashes, licenses, and nothing else.
func TestVendorSum(t *testing.T) {
	sum, err := os.ReadFile("third_party/vendor.sum")
	require.NoError(t, err)
	var held, libraries []string
	for line := range strings.Lines(string(sum)) {
		name, hash, ok := strings.Cut(strings.TrimSpace(line), " ")
		require.True(t, ok, line)
		if library, _, isLibrary := strings.Cut(name, "@"); isLibrary {
			assert.Regexp(t, `^sha512-`, hash)
			libraries = append(libraries, library)
			continue
		}
		content, err := os.ReadFile(filepath.Join("third_party", name))
		require.NoError(t, err)
		is := sha256.Sum256(content)
		assert.Equal(t, hash, "sha256-"+base64.StdEncoding.EncodeToString(is[:]), "%s was changed; \"go generate ./internal/view/web\" restores it", name)
		held = append(held, name)
	}
	held = append(held, "vendor.sum")
	var there []string
	require.NoError(t, fs.WalkDir(os.DirFS("third_party"), ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			there = append(there, path)
		}
		return err
	}))
	assert.ElementsMatch(t, held, there)
	for _, library := range libraries {
		assert.Contains(t, there, library+"/LICENSE")
	}
}

var (
	imports = regexp.MustCompile(`(?m)^import (?:[^'"]* from )?['"]([^'"]+)['"];`)
	markup  = regexp.MustCompile(`innerHTML|outerHTML|insertAdjacentHTML|document\.write|unsafeHTML|unsafeSVG|eval\(|new Function|createPolicy|\sstyle=`)
)

// The page loads only its own files, and text reaches it as text only.
func TestPageIsSelfContained(t *testing.T) {
	files := web.Files()
	require.Contains(t, files, "/")
	for name, f := range files {
		if strings.HasPrefix(name, "/lib/") {
			continue
		}
		assert.NotRegexp(t, markup, string(f.Content), name)
		for _, remote := range regexp.MustCompile(`https?://[^\s'"]+`).FindAllString(string(f.Content), -1) {
			assert.Equal(t, "http://www.w3.org/2000/svg", remote, name)
		}
		for _, found := range imports.FindAllStringSubmatch(string(f.Content), -1) {
			path := found[1]
			if rest, ok := strings.CutPrefix(path, "./"); ok {
				path = "/" + rest
			}
			assert.Contains(t, files, path, "imported by %s", name)
		}
	}
}

// The page's own files stay small: they are in the binary, and a browser loads them as they are.
func TestSize(t *testing.T) {
	own := 0
	for name, f := range web.Files() {
		if !strings.HasPrefix(name, "/lib/") {
			own += len(f.Content)
		}
	}
	assert.Less(t, own, 120_000)
}
