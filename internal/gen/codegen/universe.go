// SPDX-License-Identifier: Apache-2.0

package codegen

import (
	"go/ast"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"unsafe"

	"k8s.io/gengo/v2"
	"k8s.io/gengo/v2/generator"
	"k8s.io/gengo/v2/namer"
	"k8s.io/gengo/v2/parser"
	"k8s.io/gengo/v2/types"

	"github.com/crdctl/crdctl/internal/gen/load"
)

// source hands out gengo contexts for packages that were loaded once.
type source struct {
	graph    *load.Graph
	comments reflect.Value // by where they end, in a map of gengo's own type

	mu sync.Mutex
	// made are the universes by their inputs, for generators that load nothing while they run.
	made []madeUniverse
}

type madeUniverse struct {
	inputs []string
	base   *generator.Context
}

// context is what gengo would make for the generator in a process of its own: only its inputs are fully known, and of
// the packages that they import it is what they refer to.
func (s *source) context(inputs []string, shared bool) (*generator.Context, *parser.Parser, error) {
	if shared {
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, m := range s.made {
			if slices.Equal(m.inputs, inputs) {
				return m.base, nil, nil
			}
		}
	}
	p := s.parser()
	if err := p.LoadPackages(inputs...); err != nil {
		return nil, nil, err
	}
	c, err := generator.NewContext(p, nil, "")
	if err != nil {
		return nil, nil, err
	}
	if shared {
		s.made = append(s.made, madeUniverse{inputs: inputs, base: c})
	}
	return c, p, nil
}

// named is a copy of the context for one generator, which may add to it without the next one seeing that.
func named(base *generator.Context, g Generator, b *binding) *generator.Context {
	c := *base // keeps gengo's own parser in it
	c.Universe = clone(base.Universe)
	c.Namers = maps.Clone(b.nameSystems)
	order := c.Universe
	if readsClients[g.Name] {
		order = withClients(order)
	}
	// register-gen's default is a system that it has not: then gengo hands out no types.
	c.Order = nil
	if system, ok := b.nameSystems[b.defaultSystem]; ok {
		orderer := namer.Orderer{Namer: system}
		c.Order = orderer.OrderUniverse(order)
	}
	return &c
}

// readsClients are the generators whose every target skips types without +genclient.
var readsClients = map[string]bool{"client-gen": true, "lister-gen": true, "informer-gen": true}

// withClients are the types that those generators look at. Each of their targets reads the tags of every type that
// there is; with many targets, that is most of their time.
func withClients(u types.Universe) types.Universe {
	tagged := func(lines []string) bool {
		return slices.ContainsFunc(lines, func(line string) bool { return strings.Contains(line, "genclient") })
	}
	some := types.Universe{}
	for path, pkg := range u {
		for name, t := range pkg.Types {
			if tagged(t.CommentLines) || tagged(t.SecondClosestCommentLines) {
				some.Package(path).Types[name] = t
			}
		}
	}
	if len(some) == 0 {
		return u // what is made once for all types needs one to be made for
	}
	return some
}

// clone copies the maps of a universe. The types in it are shared: generators add types, but change none.
func clone(u types.Universe) types.Universe {
	out := make(types.Universe, len(u))
	for path, pkg := range u {
		p := *pkg
		p.Types = maps.Clone(pkg.Types)
		p.Functions = maps.Clone(pkg.Functions)
		p.Variables = maps.Clone(pkg.Variables)
		p.Constants = maps.Clone(pkg.Constants)
		p.Imports = maps.Clone(pkg.Imports)
		out[path] = &p
	}
	return out
}

// parser is a gengo parser that already has the packages, as if it had loaded them. gengo has no way to be given
// packages: it runs the go command and type-checks all that a program links, for each generator again. So what its
// LoadPackages would fill in is filled in from outside; TestPrimedParser holds the fields to what they are called.
func (s *source) parser() *parser.Parser {
	p := parser.NewWithOptions(parser.Options{BuildTags: []string{gengo.StdBuildTag}})
	field(p, "goPkgs").Set(reflect.ValueOf(maps.Clone(s.graph.Packages)))
	field(p, "fset").Set(reflect.ValueOf(s.graph.Fset))
	field(p, "endLineToCommentGroup").Set(s.comments)
	return p
}

// commentsByEnd maps the file and line where a comment ends to the comment. The key is a struct of gengo's own.
func commentsByEnd(g *load.Graph) reflect.Value {
	of := field(parser.New(), "endLineToCommentGroup").Type()
	all := reflect.MakeMap(of)
	key := reflect.New(of.Key()).Elem()
	file, line := open(key.FieldByName("file")), open(key.FieldByName("line"))
	for _, pkg := range g.Packages {
		for _, f := range pkg.Syntax {
			for _, c := range f.Comments {
				position := g.Fset.Position(c.End())
				file.SetString(position.Filename)
				line.SetInt(int64(position.Line))
				all.SetMapIndex(key, reflect.ValueOf((*ast.CommentGroup)(c)))
			}
		}
	}
	return all
}

func field(p *parser.Parser, name string) reflect.Value {
	return open(reflect.ValueOf(p).Elem().FieldByName(name))
}

// open makes a field settable that its package keeps to itself.
func open(field reflect.Value) reflect.Value {
	return reflect.NewAt(field.Type(), unsafe.Pointer(field.UnsafeAddr())).Elem() //nolint:gosec // see parser
}
