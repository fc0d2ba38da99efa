// SPDX-License-Identifier: Apache-2.0

package mainpkg

import (
	"go/ast"
	"strings"
)

// commands are the commands of cobra in the sources of a program. A command is known by the variable or the function of a package that makes
// it, if that makes one alone.
type commands struct {
	names map[symbol]string // what a user calls a command; "" where that is not known
	added map[symbol]bool   // those that are commands of another
	flags []ownFlag
}

// symbol is a name of a package, which is known by its directory.
type symbol struct{ dir, name string }

// ownFlag is a flag that a command has, or with a zero owner the program.
type ownFlag struct {
	name  string
	flag  Flag
	owner symbol
}

const cobra = "github.com/spf13/cobra"

// collect notes the commands that a file makes.
func (c *commands) collect(s *source, f *file) {
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			c.note(symbol{s.dir, d.Name.Name}, d, f)
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				if v, ok := spec.(*ast.ValueSpec); ok && len(v.Names) == 1 {
					c.note(symbol{s.dir, v.Names[0].Name}, v, f)
				}
			}
		}
	}
}

func (c *commands) note(at symbol, in ast.Node, f *file) {
	ast.Inspect(in, func(n ast.Node) bool {
		literal, ok := n.(*ast.CompositeLit)
		if !ok || !isCommand(literal, f) {
			return true
		}
		name := ""
		if _, several := c.names[at]; !several {
			name = commandName(literal)
		}
		c.names[at] = name
		return true
	})
}

func isCommand(c *ast.CompositeLit, f *file) bool {
	t, ok := c.Type.(*ast.SelectorExpr)
	if !ok || t.Sel.Name != "Command" {
		return false
	}
	x, ok := t.X.(*ast.Ident)
	return ok && f.imports[x.Name] == cobra
}

// commandName is the first word of the usage that a command is made with.
func commandName(c *ast.CompositeLit) string {
	usage, _ := literal(valueOf(c, "Use"))
	name, _, _ := strings.Cut(usage, " ")
	return name
}

// add notes the commands that are given to AddCommand.
func (r *reading) add(s *source, f *file, args []ast.Expr) {
	r.program.Subcommands = true
	for _, e := range args {
		if call, ok := e.(*ast.CallExpr); ok {
			e = call.Fun
		}
		if of, ok := r.symbol(s, f, e); ok {
			r.commands.added[of] = true
		}
	}
}

// symbol is what an expression names: something of this package, or of another one of the module.
func (r *reading) symbol(s *source, f *file, e ast.Expr) (symbol, bool) {
	switch e := e.(type) {
	case *ast.Ident:
		return symbol{s.dir, e.Name}, true
	case *ast.SelectorExpr:
		if x, ok := e.X.(*ast.Ident); ok {
			dir, own := r.module.own(f.imports[x.Name])
			return symbol{dir, e.Sel.Name}, own
		}
	}
	return symbol{}, false
}

// owner is the command whose flags a method adds to: on is its receiver, as in command.Flags().
func (r *reading) owner(s *source, f *file, on ast.Expr) symbol {
	if call, ok := on.(*ast.CallExpr); ok {
		if flags, ok := call.Fun.(*ast.SelectorExpr); ok {
			if of, ok := r.symbol(s, f, flags.X); ok && r.commands.names[of] != "" {
				return of
			}
		}
	}
	return symbol{s.dir, r.function}
}

// settle returns the flags by name. A flag of the program itself comes before those of its commands.
func (c *commands) settle() map[string]Flag {
	flags := map[string]Flag{}
	for _, f := range c.flags {
		before, ok := flags[f.name]
		if ok && before.Commands == nil {
			continue
		}
		if name := c.names[f.owner]; c.added[f.owner] && name != "" {
			f.flag.Commands = append(before.Commands, name)
		}
		flags[f.name] = f.flag
	}
	return flags
}

// starter is the subcommand that starts the manager.
func (r *reading) starter() (found string) {
	for of, name := range r.commands.names {
		switch {
		case !r.managers[of.dir] || of.dir == r.program.Dir:
			continue
		case name == "" || !r.commands.added[of] || found != "":
			return ""
		}
		found = name
	}
	return found
}
