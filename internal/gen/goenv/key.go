// SPDX-License-Identifier: Apache-2.0

package goenv

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/gen/cache"
	"github.com/crdctl/crdctl/internal/gen/load"
	"github.com/crdctl/crdctl/internal/safefs"
	"github.com/crdctl/crdctl/internal/workspace"
)

// passing are variables that differ from shell to shell and that the go command does not read. PWD is the directory.
var passing = []string{"PWD", "OLDPWD", "SHLVL", "_"}

// compilers are those that the go command looks for to know whether to use cgo.
var compilers = []string{"gcc", "clang", "cc"}

// keyOf is the key of all that the go command's settings in a directory depend on, and where Go is if the go command in PATH is the
// one that answers. ok is false where that is not known.
func keyOf(dir string, environ []string) (key cache.Key, goroot string, ok bool) {
	program, err := exec.LookPath("go")
	if err == nil {
		program, err = filepath.EvalSymlinks(program)
	}
	if err != nil || !filepath.IsAbs(dir) {
		return key, "", false
	}
	info, err := os.Stat(program)
	if err != nil {
		return key, "", false
	}
	goroot = filepath.Dir(filepath.Dir(program))
	h := cache.NewHash("go env")
	h.Add(dir, program, fmt.Sprint(info.Size(), info.ModTime().UnixNano()), strings.Join(load.Names, " "))
	values := map[string]string{}
	for _, variable := range environ {
		name, value, _ := strings.Cut(variable, "=")
		values[name] = value // the last one counts
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if !slices.Contains(passing, name) {
			h.Add(name, values[name])
		}
	}
	for _, compiler := range append(slices.Clone(compilers), firstWord(values["CC"])) {
		at, err := exec.LookPath(compiler)
		h.Add(at, fmt.Sprint(err == nil))
	}
	files := []string{filepath.Join(goroot, "VERSION"), filepath.Join(goroot, "go.env"), settingsFile(values)}
	for _, name := range []string{"go.mod", "go.work"} {
		if at := workspace.Above(dir, name); at != "" {
			files = append(files, filepath.Join(at, name))
		}
	}
	if work := values["GOWORK"]; work != "" && work != "off" {
		files = append(files, work)
	}
	addFiles(h, files)
	return h.Key(), goroot, true
}

func firstWord(text string) string {
	first, _, _ := strings.Cut(text, " ")
	return first
}

// settingsFile is the file that "go env -w" writes.
func settingsFile(values map[string]string) string {
	if file := values["GOENV"]; file != "" {
		return file // also "off", which is the name of no file
	}
	dir, err := os.UserConfigDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "go", "env")
}

func addFiles(h *cache.Hash, files []string) {
	for _, file := range files {
		data, err := safefs.ReadFile(file, safefs.MaxFile)
		h.Add(file, string(data), fmt.Sprint(err == nil))
	}
}

func withFiles(base cache.Key, files []string) cache.Key {
	h := cache.NewHash("go check")
	h.Add(string(base[:]))
	addFiles(h, files)
	return h.Key()
}
