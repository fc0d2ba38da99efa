// SPDX-License-Identifier: Apache-2.0

package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// banned are phrases that a reader stumbles over, each with what Kubernetes' tools and the Go standard library write instead. They
// are kept out of all that users see: help, errors, notes and log messages (every string literal), the docs, and the templates.
var banned = []struct{ pattern, instead string }{
	{`(tells|says|tell|say) whether`, "reports whether"},
	{`somebody|nobody|whoever|anybody`, "name the actor: the user, another process, no client"},
	{`beside`, "next to, or compared with"},
	{`pass(es|ed|ing)? over`, "skip"},
	{`in the place of|in place of`, "instead of"},
	{`can't`, "cannot"},
	{`folders?`, "directory"},
	{`mends?|mended|mending`, "fix"},
	{`(is|are|was|were) said|without a word`, "is reported, prints a notice, silently"},
	{`taken for`, "treated as"},
	{`(is|are) no (such )?(file|object|name|list|kind|change|rule|generator|text|host)`, "is not a, or: no such thing exists"},
	{`what is not there|is not there`, "does not exist, is missing"},
	{`the act that|riddle|bury|quarrel`, "hint, problem, prune, conflict"},
	{`leave (it|one|them) out|to be had`, "omit it, remove one"},
}

// exempt are the literals that need such a phrase, by file and the text around it.
var exempt = []struct{ file, text, reason string }{}

func TestPlainEnglish(t *testing.T) {
	var patterns []string
	for _, b := range banned {
		patterns = append(patterns, "("+b.pattern+")")
	}
	all := regexp.MustCompile(`(?i)\b(?:` + strings.Join(patterns, "|") + `)\b`)
	instead := func(found string) string {
		for _, b := range banned {
			if regexp.MustCompile(`(?i)^(?:` + b.pattern + `)$`).MatchString(found) {
				return b.instead
			}
		}
		return ""
	}
	check := func(file string, line int, text string) {
		for i, l := range strings.Split(text, "\n") {
			for _, found := range all.FindAllString(l, -1) {
				if !isAllowed(file, l) {
					assert.Fail(t, "a phrase that is hard to read", "%s:%d: %q; write: %s", file, line+i, found, instead(found))
				}
			}
		}
	}
	for file, read := range proseFiles(t) {
		read(func(line int, text string) { check(file, line, text) })
	}
}

func isAllowed(file, text string) bool {
	for _, a := range exempt {
		if a.file == file && strings.Contains(text, a.text) {
			return true
		}
	}
	return false
}

// proseFiles are the files with text that users see, each with a function that reads their text with its line.
func proseFiles(t *testing.T) map[string]func(func(line int, text string)) {
	files := map[string]func(func(int, string)){}
	for _, dir := range []string{"cmd", "internal", "docs", "templates", "README.md"} {
		err := filepath.WalkDir(filepath.Join(root, dir), func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if d.IsDir() {
				if d.Name() == "testdata" || d.Name() == "history" || strings.HasSuffix(d.Name(), "test") {
					return filepath.SkipDir
				}
				return nil
			}
			rel, err := filepath.Rel(root, path)
			name := filepath.ToSlash(rel)
			switch {
			case err != nil:
				return err
			case strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go"):
				files[name] = func(take func(int, string)) { literals(t, path, take) }
			case strings.HasSuffix(name, ".md") || strings.HasPrefix(name, "templates/") && strings.HasSuffix(name, ".tmpl") && !strings.HasSuffix(name, "go.sum.tmpl"):
				files[name] = func(take func(int, string)) {
					content, err := os.ReadFile(path)
					require.NoError(t, err)
					take(1, templateAction.ReplaceAllString(string(content), ""))
				}
			}
			return nil
		})
		require.NoError(t, err)
	}
	return files
}

// templateAction is what a template computes: names of Go.
var templateAction = regexp.MustCompile(`\{\{[^{}]*\}\}`)

// literals are the strings of a Go file, without import paths and the tags of fields.
func literals(t *testing.T, path string, take func(line int, text string)) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, nil, 0)
	require.NoError(t, err)
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.Field:
			n.Tag = nil
		case *ast.BasicLit:
			if n.Kind == token.STRING {
				text, err := strconv.Unquote(n.Value)
				require.NoError(t, err)
				take(set.Position(n.Pos()).Line, text)
			}
		}
		return true
	})
}
