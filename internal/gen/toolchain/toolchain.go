// SPDX-License-Identifier: Apache-2.0

// Package toolchain runs upstream's generators at a version other than the one that crdctl is linked with, and
// validation-gen, which is a program and no library.
//
// An engine is a program that holds all generators of one version of k8s.io/code-generator. crdctl builds it from
// upstream's module and the source in program/, once, and keeps it in the user's cache directory. In it run upstream's own
// main functions, with what writes, and what leaves the process, replaced. It decides nothing.
package toolchain

import (
	"context"
	"fmt"

	"golang.org/x/mod/semver"

	"github.com/crdctl/crdctl/internal/gen/codegen"
	"github.com/crdctl/crdctl/internal/gen/diag"
	"github.com/crdctl/crdctl/internal/safefs"
)

// module is what a version is a version of.
const module = "k8s.io/code-generator"

// openAPIModule is what has openapi-gen. It has no releases.
const openAPIModule = "k8s.io/kube-openapi"

// gengoModule is what reads the types for all generators of both.
const gengoModule = "k8s.io/gengo/v2"

// oldest is the first version of which engines were tried.
const oldest = "v0.16.0"

// Generator is as for the generators in this process.
type Generator = codegen.Generator

// File is a file that came of one, formatted.
type File = codegen.File

// Toolchain is all generators of one version.
type Toolchain struct {
	// Version is that of k8s.io/code-generator, or of k8s.io/kube-openapi for openapi-gen alone.
	Version string
	binary  string
	old     bool // the binary holds programs of an old version
}

// Open returns the engine of a version of k8s.io/code-generator, from the user's cache or built into it.
func Open(ctx context.Context, version string) (*Toolchain, error) {
	if !semver.IsValid(version) || semver.Compare(version, oldest) < 0 {
		return nil, diag.Unsupported(fmt.Errorf("%s %s is older than crdctl can run; pin %s or newer in go.mod", module, version, oldest))
	}
	cache, err := cacheDir()
	if err != nil {
		return nil, err
	}
	return in(ctx, cache, version)
}

// OpenOpenAPI returns the engine that has openapi-gen of a version of k8s.io/kube-openapi. gengo is the version of k8s.io/gengo/v2 to
// build it with; "" or an older one than kube-openapi requires stands for the required one.
func OpenOpenAPI(ctx context.Context, version, gengo string) (*Toolchain, error) {
	cache, err := cacheDir()
	if err != nil {
		return nil, err
	}
	binary, err := openAPI(gengo).in(ctx, cache, version)
	if err != nil {
		return nil, err
	}
	return &Toolchain{Version: version, binary: binary}, nil
}

// cacheDir is where engines are. They are programs that are run: they lie where no other user can have put one.
func cacheDir() (string, error) {
	cache, err := safefs.Cache(true, "engines")
	if err != nil {
		return "", fmt.Errorf("open the cache directory for engines: %w; set XDG_CACHE_HOME or HOME to a directory of yours", err)
	}
	defer func() { _ = cache.Close() }()
	return cache.Path(), nil
}

// in is Open with a cache directory.
func in(ctx context.Context, cache, version string) (*Toolchain, error) {
	k := codeGenerator
	if Old(version) {
		k = oldPrograms
	}
	binary, err := k.in(ctx, cache, version)
	if err != nil {
		return nil, err
	}
	return &Toolchain{Version: version, binary: binary, old: Old(version)}, nil
}

// kind is a kind of engine: what it has the versions of, and how its program is made.
type kind struct {
	module string
	with   string          // a version of another module, if it is not the one that module requires
	files  func() []source // crdctl's own
	// write writes the program, and returns further flags for its build.
	write func(ctx context.Context, g *goCommand, dir, version string) ([]string, error)
}

var codeGenerator = kind{module: module, files: programFiles, write: writeProgram}

// openAPI is the kind of engine that has openapi-gen alone.
func openAPI(gengo string) kind {
	return kind{openAPIModule, gengo, programFiles, func(ctx context.Context, g *goCommand, dir, version string) ([]string, error) {
		return nil, writeOpenAPI(ctx, g, dir, version, gengo)
	}}
}

// in finds or builds the engine of a version.
func (k kind) in(ctx context.Context, cache, version string) (binary string, err error) {
	g, err := goOf(ctx)
	if err != nil {
		return "", err
	}
	of := k.key(version, g.version)
	if binary, ok := lookUp(cache, of); ok {
		return binary, nil
	}
	return k.build(ctx, g, cache, of)
}
