// SPDX-License-Identifier: Apache-2.0

package steps

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"strconv"

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
		for _, d := range parsed.Decls {
			target, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			var all []Step
			ast.Inspect(target, func(n ast.Node) bool {
				if call, ok := n.(*ast.CallExpr); ok && len(call.Args) > 1 {
					line := fset.Position(call.Pos()).Line
					all = append(all, Step{Command: shell.Command{Words: wordsOfCall(call), Line: line, Dir: path.Join(shell.Root, dir)}, Path: t.Path})
				}
				return true
			})
			x.add(t.Path+": "+target.Name.Name, capital.ReplaceAllString(target.Name.Name, " $0"), all)
		}
	}
}

// capital begins a word in the name of a function.
var capital = lazyregexp.New(`[A-Z]`)

// wordsOfCall are the arguments of a call. What is not a string there is like a variable of a shell.
func wordsOfCall(call *ast.CallExpr) (words []string) {
	for _, arg := range call.Args {
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
