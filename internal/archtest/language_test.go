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
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// banned are phrases that a reader stumbles over, each with what Kubernetes' tools and the Go standard library write instead. They
// are kept out of the repository's text: strings and comments in Go, pages, templates, scripts, workflows, and the page of "crdctl view".
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
	for file, read := range textFiles(t) {
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

// unread are the directories whose text is not ours, or must stay as it was released.
var unread = []string{".git", "bin", "dist", ".crdctl", "testdata", "history", "third_party"}

// textFiles are the files with text, each with a function that reads its text with its line: all that is not Go, and of Go the comments
// and strings. Strings of tests are data.
func textFiles(t *testing.T) map[string]func(func(line int, text string)) {
	files := map[string]func(func(int, string)){}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if slices.Contains(unread, d.Name()) {
				return filepath.SkipDir
			}
			return nil
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		name := filepath.ToSlash(rel)
		switch {
		case strings.HasSuffix(name, ".go"):
			files[name] = func(take func(int, string)) { goText(t, path, name, take) }
		default:
			files[name] = func(take func(int, string)) {
				content, err := os.ReadFile(path)
				require.NoError(t, err)
				if utf8.Valid(content) { // not an image
					take(1, templateAction.ReplaceAllString(string(content), ""))
				}
			}
		}
		return nil
	})
	require.NoError(t, err)
	return files
}

// templateAction is what a template computes: names of Go.
var templateAction = regexp.MustCompile(`\{\{[^{}]*\}\}`)

// goText are the comments of a Go file, and its strings without import paths and the tags of fields.
func goText(t *testing.T, path, name string, take func(line int, text string)) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, nil, parser.ParseComments)
	require.NoError(t, err)
	for _, group := range file.Comments {
		for _, c := range group.List {
			take(set.Position(c.Pos()).Line, c.Text)
		}
	}
	if strings.HasSuffix(name, "_test.go") {
		return
	}
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
