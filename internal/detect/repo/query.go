// SPDX-License-Identifier: Apache-2.0

package repo

import (
	"bytes"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/safefs"
)

// GengoTools are the generators of code-generator, and openapi-gen.
var GengoTools = []string{"client-gen", "lister-gen", "informer-gen", "applyconfiguration-gen", "deepcopy-gen", "defaulter-gen", "conversion-gen",
	"validation-gen", "register-gen", "prerelease-lifecycle-gen", "openapi-gen"}

// GoSources are the Go files of a directory, by path.
func (r *Repo) GoSources(dir string) map[string][]byte {
	entries, err := os.ReadDir(filepath.Join(r.Root, filepath.FromSlash(dir)))
	if err != nil {
		return nil
	}
	all := map[string][]byte{}
	for _, e := range entries {
		if name := e.Name(); e.Type().IsRegular() && isSource(name) {
			if data, err := safefs.ReadFile(filepath.Join(r.Root, filepath.FromSlash(dir), name), safefs.MaxFile); err == nil {
				all[path.Join(dir, name)] = data
			}
		}
	}
	return all
}

// isSource reports whether a file is one of Go that the go command compiles, outside of tests.
func isSource(name string) bool {
	return path.Ext(name) == ".go" && !strings.HasSuffix(name, "_test.go") && name[0] != '_' && name[0] != '.'
}

// HasMarker reports whether any file has one of controller-gen's markers.
func (r *Repo) HasMarker(name string) bool {
	return slices.ContainsFunc(r.Files, func(f *GoFile) bool { return f.Tags[name] > 0 })
}

// IsDir reports whether a path is a directory.
func (r *Repo) IsDir(rel string) bool {
	info, err := os.Stat(filepath.Join(r.Root, filepath.FromSlash(rel)))
	return rel != "" && err == nil && info.IsDir()
}

// NamesModule reports whether a command may take a file of another name for go.mod.
func (r *Repo) NamesModule(m *Module) bool {
	return slices.ContainsFunc(r.Texts, func(t Script) bool {
		return bytes.Contains(t.Data, []byte("-modfile")) && bytes.Contains(t.Data, []byte(path.Base(m.File)))
	})
}

// Paths are the paths of files.
func Paths(files []*GoFile) (all []string) {
	for _, f := range files {
		all = append(all, f.Path)
	}
	return all
}

// AboveHeader returns a function that finds the text of a header file at the end of a generated file's header, and returns what is above it. The
// header is one of NormalHeader. ok is false if the header does not end with the text. A file "" has no text.
func (r *Repo) AboveHeader(file string) func(header string) (above string, ok bool) {
	data := ""
	if file != "" {
		content, err := safefs.ReadFile(filepath.Join(r.Root, filepath.FromSlash(file)), safefs.MaxFile)
		if err != nil || len(content) > HeaderSize {
			return func(string) (string, bool) { return "", false }
		}
		data = NormalHeader(string(content))
	}
	// controller-gen replaces YEAR only after a blank, with nothing where it is given no year.
	text := strings.ReplaceAll(regexp.QuoteMeta(data), " YEAR", `(?: (?:\d{4})?)?`)
	re, err := regexp.Compile(`(?s)\A(.*)` + strings.ReplaceAll(text, "YEAR", `(?:\d{4}|YEAR)`) + `\z`)
	return func(header string) (string, bool) {
		if err != nil {
			return "", false
		}
		m := re.FindStringSubmatch(header)
		if m == nil {
			return "", false
		}
		return m[1], true
	}
}

// NormalHeader is a header without what formatting changes.
func NormalHeader(header string) string {
	var b strings.Builder
	for line := range strings.Lines(header) {
		if content, ok := strings.CutSuffix(line, "\n"); ok {
			line = strings.TrimRight(strings.TrimSuffix(content, "\r"), " \t") + "\n"
		}
		b.WriteString(line)
	}
	return strings.TrimSpace(b.String())
}
