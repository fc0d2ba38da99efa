// SPDX-License-Identifier: Apache-2.0

package cmd

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/safefs"
	"github.com/crdctl/crdctl/internal/workspace"
)

// rebased is a hook of a flag as one of the settings: what its words name as a file in base, they then name from root.
func rebased(text, root, base string) string {
	c, err := config.ParseCommand(text)
	if err != nil || c.URL != "" || root == base {
		return text
	}
	for i, word := range c.Words {
		info, err := os.Stat(filepath.Join(base, filepath.FromSlash(word)))
		isFile := err == nil && info.Mode().IsRegular() && (i > 0 || strings.Contains(word, "/"))
		if filepath.IsAbs(word) || !isFile && (i > 0 || !strings.Contains(word, "/")) {
			continue
		}
		if c.Words[i] = relativeTo(root, base, word); i == 0 && !strings.Contains(c.Words[0], "/") {
			c.Words[0] = "./" + c.Words[0] // or it would be looked for in PATH
		}
	}
	return c.String()
}

// realPath has no symbolic links: generators compare the directories of packages with it, and the go command resolves links.
func realPath(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	real, err := filepath.EvalSymlinks(abs)
	if errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("%s: %w", dir, fs.ErrNotExist)
	}
	return real, err
}

// relativeTo is a path as base sees it, as root does.
func relativeTo(root, base, file string) string {
	if !filepath.IsAbs(file) {
		file = filepath.Join(base, filepath.FromSlash(file))
	}
	rel, err := filepath.Rel(root, file)
	if err != nil {
		return filepath.ToSlash(file)
	}
	return filepath.ToSlash(rel)
}

var notInLabel = regexp.MustCompile(`[^a-z0-9]+`)

// maxDefaultName leaves room for what is put behind the name in others, such as that of a namespace.
const maxDefaultName = 40

// controllerName is the last element of the module's path, or the name of the directory, as a label of DNS.
func controllerName(root string) string {
	name := filepath.Base(root)
	if data, err := safefs.ReadFile(filepath.Join(root, "go.mod"), safefs.MaxFile); err == nil {
		if p := modfile.ModulePath(data); p != "" {
			name = workspace.ModuleName(p)
		}
	}
	name = strings.Trim(notInLabel.ReplaceAllString(strings.ToLower(name), "-"), "-")
	if len(name) > maxDefaultName {
		name = strings.TrimRight(name[:maxDefaultName], "-")
	}
	if !config.IsDNSLabel(name) {
		return "crdctl"
	}
	return name
}
