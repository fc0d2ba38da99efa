// SPDX-License-Identifier: Apache-2.0

package steps

import (
	"cmp"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/detect/repo"
	"github.com/crdctl/crdctl/internal/detect/shell"
	"github.com/crdctl/crdctl/internal/text"
)

// goGenerate returns the directory and the arguments of "go generate", of the words after "go".
func goGenerate(words []string, dir string) (in string, args []string, ok bool) {
	if len(words) > 1 && words[0] == "-C" {
		words = append([]string{"-C=" + words[1]}, words[2:]...)
	}
	if len(words) > 0 {
		if c, found := strings.CutPrefix(words[0], "-C="); found {
			words = words[1:]
			if dir = path.Join(dir, c); path.IsAbs(c) {
				dir = c
			}
		}
	}
	if len(words) == 0 || words[0] != "generate" {
		return "", nil, false
	}
	return dir, words[1:], true
}

// packagesOf are the packages of the arguments of go generate.
func packagesOf(args []string) (packages []string) {
	for i := 0; i < len(args); i++ {
		switch arg := strings.TrimPrefix(args[i], "-"); {
		case !strings.HasPrefix(args[i], "-"):
			packages = append(packages, args[i])
		case slices.Contains([]string{"run", "skip", "tags", "mod", "modfile", "ldflags", "gcflags"}, strings.TrimPrefix(arg, "-")):
			i++ // its value
		}
	}
	if len(packages) == 0 {
		return []string{"."}
	}
	return packages
}

// generate runs the lines of go:generate of the packages that go generate is given. A package that cannot be read, such as the output of
// a command, may be any of the module. env are the variables that are set for it.
func (x *run) generate(packages []string, dir string, env map[string]string) {
	if x.depth >= maxDepth {
		return
	}
	x.depth++
	for _, p := range packages {
		root, below := strings.CutSuffix(p, "/...")
		if !strings.HasPrefix(p, ".") && !path.IsAbs(p) && path.Ext(p) != ".go" {
			_, module := x.repo.Modules.Of(cmp.Or(Local(dir, "."), "."))
			root, below = path.Join(shell.Root, module), true
		}
		at := Local(dir, root)
		if at == "" {
			continue
		}
		_, module := x.repo.Modules.Of(at)
		for _, f := range x.repo.Files {
			if _, of := x.repo.Modules.Of(f.Dir); of == module && (f.Dir == at || f.Path == at || below && text.Below(at, f.Dir)) {
				x.directives(f, env)
			}
		}
	}
	x.depth--
}

// directives runs the lines of go:generate of a file. In them the go command replaces variables, of the environment too, and nothing else.
func (x *run) directives(f *repo.GoFile, env map[string]string) {
	value := func(name string) string {
		switch set, ok := env[name]; {
		case name == "GOFILE":
			return path.Base(f.Path)
		case name == "DOLLAR":
			return "$"
		case ok:
			return set
		}
		return "${" + name + "}"
	}
	for _, g := range f.Generate {
		words := fields(g.Text)
		if len(words) == 0 || words[0] == "-command" {
			continue
		}
		for i, w := range words {
			words[i] = os.Expand(w, value)
		}
		x.commands([]shell.Command{{Words: words, Line: g.Line, Dir: path.Join(shell.Root, f.Dir)}}, f.Path, 0, nil)
	}
}
