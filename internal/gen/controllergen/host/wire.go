// SPDX-License-Identifier: Apache-2.0

// Package host runs controller-gen's generators on packages that were listed for it, into memory. Its source is a part of this
// program, with the controller-tools that is linked, and of every engine, with another. So a Request and a Response are also
// what crdctl and an engine say to each other, in encoding/gob. It finds no packages, decides nothing, and writes nowhere but to
// the directory that it is given for that.
package host

import "golang.org/x/tools/go/packages"

// Request asks for calls of controller-gen.
type Request struct {
	// Version is what manifests are to say of the version.
	Version string
	// Root is the absolute directory of the project.
	Root string
	// Scratch is an absolute directory that generators may write to.
	Scratch string
	// Fixed are directories whose files never change, and compile.
	Fixed []string
	// Arch is the processor that sizes of types are those of.
	Arch  string
	Calls []Call
}

// Call is one call. Its generators share the packages, and what is known of their types.
type Call struct {
	// Dir is where it runs, absolute, and Env are further variables of its go commands.
	Dir string
	Env []string
	// Packages are the listed ones, in any order. Imports and roots are indexes of it.
	Packages   []Package
	Generators []Generator
}

// Package is one that was listed, as go/packages has it.
type Package struct {
	ID, PkgPath, Name, Dir   string
	GoFiles, CompiledGoFiles []string
	Imports                  map[string]int
	Errors                   []packages.Error
}

// Generator is one of a call.
type Generator struct {
	Name string
	// Word is the one that it has on controller-gen's command line, with absolute paths.
	Word  string
	Roots []int
	// Dir is where its manifests will go, absolute: a later one may read them there.
	Dir string
}

// Response has a result for each call.
type Response struct {
	Results []Result
}

// Result is what came of a call.
type Result struct {
	Files []File
	// Failures are errors of generators.
	Failures []string
	// Errors are those in packages, without those about types.
	Errors []packages.Error
}

// File is a file that a generator wrote.
type File struct {
	Generator int
	// Package is the directory of the package that it belongs to; empty for a manifest.
	Package string
	Path    string // relative to where the generator's files go
	Content []byte
	// Also are other contents that controller-gen may give it: its output depends on the order of maps.
	Also [][]byte
}
