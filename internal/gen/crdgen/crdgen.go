// SPDX-License-Identifier: Apache-2.0

// Package crdgen makes CustomResourceDefinition manifests from Go types, with controller-tools as a library, in memory.
//
// It does not install them and does not check them against a server.
package crdgen

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"regexp"
	"strings"

	"golang.org/x/tools/go/packages"
	"sigs.k8s.io/controller-tools/pkg/crd"
	"sigs.k8s.io/controller-tools/pkg/genall"
	"sigs.k8s.io/controller-tools/pkg/loader"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/gen/controllergen/host"
	"github.com/crdctl/crdctl/internal/gen/crdform"
	"github.com/crdctl/crdctl/internal/gen/diag"
	"github.com/crdctl/crdctl/internal/gen/load"
)

var annotationLine = regexp.MustCompile(`(?m)^(    ` + regexp.QuoteMeta(crdform.Annotation) + `: ).*$`)

// Generate returns the manifests of all kinds in the packages, by file name, as controller-gen writes them. With env, the
// packages are found without the go command where that is sure.
func Generate(ctx context.Context, dir string, env *load.Env, importPaths []string, o config.CRDs) (map[string][]byte, error) {
	out, err := generate(ctx, dir, env, importPaths, crd.Generator{GenerateEmbeddedObjectMeta: embedded(o)}, "cannot generate the CRDs", load.List, false)
	files := make(map[string][]byte, len(out))
	for name, b := range out {
		if strings.HasPrefix(name, "_") {
			return nil, fmt.Errorf("the kind of %s has no group; add // +groupName=GROUP to the doc.go of its package", strings.TrimPrefix(name, "_"))
		}
		// controller-gen takes the version of the main module for its own, and that would be crdctl's.
		files[name] = annotationLine.ReplaceAll(b.Bytes(), []byte("${1}"+crdform.Version))
	}
	return files, err
}

// embedded is nil for false: a setting that is there is not the same as none to every version of controller-tools.
func embedded(o config.CRDs) *bool {
	if !o.EmbeddedObjectMeta {
		return nil
	}
	return &o.EmbeddedObjectMeta
}

// lists are the two ways to list packages without the go command: load.List and load.ListAlone.
type lists func(context.Context, *load.Env, []string) (*load.Listing, error)

// generate runs one of controller-gen's generators into memory. What is wrong with what the packages import counts
// unless they alone are read. env may be nil: then the go command finds the packages.
func generate(ctx context.Context, dir string, env *load.Env, importPaths []string, g genall.Generator, doing string, list lists, alone bool) (memory, error) {
	gens := genall.Generators{&g}
	if env != nil {
		if listing, err := list(ctx, env, importPaths); err == nil {
			out, err := run(gens, dir, listedRoots(listing), doing, alone)
			if err == nil && ctx.Err() == nil && !wasRead(listing.Unread) {
				return out, nil
			}
		}
		if wrong := load.Syntax(env, importPaths, alone); wrong != nil {
			return nil, diag.New(doing, dir, wrong.Error())
		}
		// What else cannot be listed, or failed, is for the go command to judge, and its words are those that people know.
	}
	environment, done, err := load.ReadOnly(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer done()
	roots, err := loader.LoadRootsWithConfig(&packages.Config{Context: ctx, Dir: dir, Env: environment}, importPaths...)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		return nil, diag.New("cannot load the API packages", dir, err.Error())
	}
	return run(gens, dir, roots, doing, alone)
}

// run runs the one generator on packages.
func run(gens genall.Generators, dir string, roots []*loader.Package, doing string, alone bool) (memory, error) {
	c, err := host.Context([]genall.Generator{*gens[0]}, roots)
	if err != nil {
		return nil, err
	}
	out := memory{}
	c.OutputRule = out
	if err := host.Generate(*gens[0], *c); err != nil {
		return nil, fmt.Errorf("%s: %w", doing, err)
	}
	return out, packageErrors(dir, roots, doing, alone)
}

// dangerous is advice of controller-gen about a flag of its own.
const dangerous = " If you are really sure you want to use them, re-run with crd:allowDangerousTypes=true"

// packageErrors gathers what was found wrong in the packages. Type errors are left out, as controller-gen leaves them:
// its partial type check makes up many of them.
func packageErrors(dir string, roots []*loader.Package, doing string, alone bool) error {
	var raw []*packages.Package
	for _, r := range roots {
		raw = append(raw, r.Package)
	}
	var said []string
	for _, e := range host.Errors(raw, func(*packages.Package) bool { return !alone }) {
		if !alone || !aboutCycle(e) {
			said = append(said, strings.ReplaceAll(e.Error(), dangerous, ""))
		}
	}
	return diag.New(doing, dir, said...)
}

// aboutCycle reports whether an error is about an import cycle. The go command says it of every package in the cycle, though what
// does not belong there may be a file of one that they import.
func aboutCycle(e packages.Error) bool {
	return e.Kind == packages.ListError && strings.HasPrefix(e.Msg, "import cycle not allowed")
}

// memory is an output rule that keeps what is written, by name.
type memory map[string]*bytes.Buffer

// Open implements genall.OutputRule.
func (m memory) Open(_ *loader.Package, path string) (io.WriteCloser, error) {
	b := &bytes.Buffer{}
	m[path] = b
	return nopCloser{b}, nil
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }
