// SPDX-License-Identifier: Apache-2.0

package steps

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"strconv"
	"strings"

	"github.com/crdctl/crdctl/internal/detect/shell"
	"github.com/crdctl/crdctl/internal/text/lazyregexp"
)

// mage reads the functions of magefiles. They run a command by a call with its words, as sh.Run("controller-gen", "crd").
func (x *Reader) mage() {
	for _, t := range x.repo.Texts {
		if !t.Mage() || !x.wanted(string(t.Data)) {
			continue
		}
		fset := token.NewFileSet()
		parsed, err := parser.ParseFile(fset, "", t.Data, parser.SkipObjectResolution)
		if err != nil {
			continue // the go command says that
		}
		dir := path.Dir(t.Path)
		if path.Base(dir) == "magefiles" {
			dir = path.Dir(dir)
		}
		tools := toolsOf(parsed)
		for _, d := range parsed.Decls {
			target, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			var all []Step
			ast.Inspect(target, func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				if words := tools.words(call); ok && len(words) > 1 {
					line := fset.Position(call.Pos()).Line
					all = append(all, Step{Command: shell.Command{Words: words, Line: line, Dir: path.Join(shell.Root, dir)}, Path: t.Path})
				}
				return true
			})
			x.add(t.Path+": "+target.Name.Name, capital.ReplaceAllString(target.Name.Name, " $0"), all)
		}
	}
}

// capital begins a word in the name of a function.
var capital = lazyregexp.New(`[A-Z]`)

// mageTools are the variables of mageutil and go-ci with programs, by name: of bintool.NewGo("example.com/cmd/tool", "v1.0.0"), of
// command.NewCommandAlias(filepath.Join(bin, "tool")), and shellcmd, which has none.
type mageTools map[string]string

func toolsOf(file *ast.File) mageTools {
	all := mageTools{"shellcmd": ""}
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || len(spec.Names) != len(spec.Values) {
			return true
		}
		for i, value := range spec.Values {
			ast.Inspect(value, func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				if !ok || len(call.Args) == 0 {
					return true
				}
				f, ok := call.Fun.(*ast.SelectorExpr)
				switch {
				case ok && f.Sel.Name == "NewGo":
					all[spec.Names[i].Name] = path.Base(wordsOf(call.Args)[0])
				case ok && f.Sel.Name == "NewCommandAlias":
					words := wordsOf(call.Args)
					if join, ok := call.Args[0].(*ast.CallExpr); ok && len(join.Args) > 0 {
						words = wordsOf(join.Args)
					}
					all[spec.Names[i].Name] = path.Base(words[len(words)-1])
				}
				return true
			})
		}
		return true
	})
	return all
}

// words are those of a command that a call runs: of all its arguments, or of one text after the program of a tool.
func (t mageTools) words(call *ast.CallExpr) []string {
	if call == nil || len(call.Args) == 0 {
		return nil
	}
	if alias, ok := call.Fun.(*ast.Ident); ok && t[alias.Name] != "" {
		return append([]string{t[alias.Name]}, withArgs(call)...)
	}
	words := wordsOf(call.Args)
	if len(words) > 1 {
		return words
	}
	f, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || f.Sel.Name != "Command" {
		return nil
	}
	if tool, ok := f.X.(*ast.Ident); ok {
		if program, known := t[tool.Name]; known {
			return strings.Fields(program + " " + words[0])
		}
	}
	return nil
}

// withArgs are the words of command.WithArgs{"crd", "paths=./..."} among the arguments of a call.
func withArgs(call *ast.CallExpr) []string {
	for _, arg := range call.Args {
		if list, ok := arg.(*ast.CompositeLit); ok {
			if of, ok := list.Type.(*ast.SelectorExpr); ok && of.Sel.Name == "WithArgs" {
				return wordsOf(list.Elts)
			}
		}
	}
	return nil
}

// wordsOf are the words that arguments or elements are. What is not a string there is like a variable of a shell.
func wordsOf(all []ast.Expr) (words []string) {
	for _, arg := range all {
		word := "$"
		switch arg := arg.(type) {
		case *ast.BasicLit:
			if text, err := strconv.Unquote(arg.Value); err == nil && arg.Kind == token.STRING {
				word = text
			}
		case *ast.Ident:
			word += arg.Name
		}
		words = append(words, word)
	}
	return words
}
