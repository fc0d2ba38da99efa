// SPDX-License-Identifier: Apache-2.0

package host

import (
	"cmp"
	"context"
	"fmt"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"sync"

	"golang.org/x/tools/go/packages"
	"sigs.k8s.io/controller-tools/pkg/crd"
	"sigs.k8s.io/controller-tools/pkg/deepcopy"
	"sigs.k8s.io/controller-tools/pkg/genall"
	"sigs.k8s.io/controller-tools/pkg/loader"
	"sigs.k8s.io/controller-tools/pkg/markers"
	"sigs.k8s.io/controller-tools/pkg/rbac"
	"sigs.k8s.io/controller-tools/pkg/webhook"
)

// all are controller-gen's generators; apply.go and schemapatch.go add those that older versions lack.
var all = map[string]genall.Generator{
	"object": deepcopy.Generator{}, "crd": crd.Generator{}, "rbac": rbac.Generator{}, "webhook": webhook.Generator{},
}

// Run runs the calls side by side, and then, one after the other, those that need the process for themselves. Files are parsed once for
// all of them.
func Run(ctx context.Context, request Request) (Response, error) {
	parsed := &syntax{fset: token.NewFileSet()}
	response := Response{Results: make([]Result, len(request.Calls))}
	var together sync.WaitGroup
	var alone []func()
	for i := range request.Calls {
		call, result := &request.Calls[i], &response.Results[i]
		one := func() {
			if ctx.Err() == nil {
				*result = run(&request, call, parsed)
			}
		}
		if slices.ContainsFunc(call.Generators, func(g Generator) bool { return g.Name == "applyconfiguration" }) {
			alone = append(alone, one)
		} else {
			together.Go(one)
		}
	}
	together.Wait()
	for _, one := range alone {
		one()
	}
	return response, context.Cause(ctx)
}

// run is one call, as genall.Runtime has it, whose own Run prints what is wrong and says only that something was.
func run(request *Request, call *Call, parsed *syntax) (result Result) {
	raw := parsed.of(call, types.SizesFor("gc", request.Arch))
	gens, err := generators(call)
	if err != nil {
		return Result{Failures: []string{err.Error()}}
	}
	wrapped := Wrap(parsed.fset, raw)
	base, err := Context(gens, nil)
	if err != nil {
		return Result{Failures: []string{err.Error()}}
	}
	var roots, checked []*packages.Package
	for i, g := range gens {
		if typed(g) {
			for _, root := range call.Generators[i].Roots {
				checked = append(checked, raw[root])
			}
		}
	}
	parseAhead(parsed, request.Fixed, filters(gens), checked)
	out := &memory{call: call, root: request.Root, scratch: request.Scratch, version: request.Version}
	for i, g := range gens {
		at := *base
		at.Roots = nil
		for _, root := range call.Generators[i].Roots {
			at.Roots = append(at.Roots, wrapped[root])
			if !slices.Contains(roots, raw[root]) {
				roots = append(roots, raw[root])
			}
		}
		if err := out.generate(i, g, at); err != nil {
			result.Failures = append(result.Failures, err.Error())
		}
	}
	result.Files = out.files
	result.Errors = Errors(roots, nil)
	return result
}

// generators reads the words of a call.
func generators(call *Call) (gens []genall.Generator, err error) {
	for _, g := range call.Generators {
		known, ok := all[g.Name]
		if !ok {
			return nil, fmt.Errorf("this version of controller-tools has no generator %s", g.Name)
		}
		definition, err := markers.MakeDefinition(g.Name, markers.DescribesPackage, known)
		if err != nil {
			return nil, err
		}
		value, err := definition.Parse("+" + g.Word)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", g.Word, err)
		}
		one, ok := value.(genall.Generator)
		if !ok {
			return nil, fmt.Errorf("%s is a %T", g.Name, value)
		}
		gens = append(gens, one)
	}
	return gens, nil
}

// Context is what controller-tools hands to generators, without anything loaded.
func Context(gens []genall.Generator, roots []*loader.Package) (*genall.GenerationContext, error) {
	c := &genall.GenerationContext{
		Collector: &markers.Collector{Registry: &markers.Registry{}},
		Roots:     roots,
		InputRule: genall.InputFromFileSystem,
		Checker:   checker(gens),
	}
	for _, g := range gens {
		if err := g.RegisterMarkers(c.Collector.Registry); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// Generate runs one generator. One that panics does so on its input; its stack is of no use to the user.
func Generate(g genall.Generator, c genall.GenerationContext) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
		}
	}()
	if !typed(g) {
		c.Checker = nil
	}
	return g.Generate(&c)
}

// aboutKind are the errors of controller-tools about a CRD, which have the package for a place.
var aboutKind = regexp.MustCompile(`^CRD for (\w+)\.`)

// Errors are those of packages and of what they import, without those about types: controller-gen leaves these out, since its
// partial check of types makes up many of them. follow, if there is one, reports whether to go on to a package's imports.
func Errors(roots []*packages.Package, follow func(*packages.Package) bool) (all []packages.Error) {
	packages.Visit(roots, follow, func(p *packages.Package) {
		for _, e := range p.Errors {
			if e.Kind == packages.TypeError {
				continue
			}
			if m := aboutKind.FindStringSubmatch(e.Msg); m != nil {
				e.Pos = cmp.Or(placeOf(roots, p, m[1]), e.Pos)
			}
			all = append(all, e)
		}
	})
	return all
}
