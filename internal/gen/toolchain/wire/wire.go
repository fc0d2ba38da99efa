// SPDX-License-Identifier: Apache-2.0

// Package wire is what crdctl and an engine say to each other: a Request on the engine's stdin, a Response on its
// stdout, both in encoding/gob. Its source is a part of every engine, so the two cannot disagree.
package wire

// Request asks for runs of generators on the packages of the module in the engine's working directory.
type Request struct {
	// Boilerplate is the content of the header file; nil is none. The word YEAR in it comes back as it is.
	Boilerplate []byte
	HasHeader   bool // gob tells no empty slice from a nil one
	// Scratch is a directory that the engine may write to. It writes nowhere else.
	Scratch string
	// MayLoad are import paths that generators may ask for while they run; those that do not exist are skipped.
	MayLoad []string
	// Whole asks for gengo's own load: all of all packages. It is the second try.
	Whole      bool
	Generators []Generator
}

// Generator is one run of one generator, as its own command line asks for it.
type Generator struct {
	Name   string
	Flags  []string
	Inputs []string
}

// Response is what came of a request.
type Response struct {
	// Partial tells that a generator asked for what was loaded in part, or failed, perhaps for that reason. The same
	// request may be made again, for whole packages; not in this process, since some generators run only once in one.
	Partial bool
	// Trouble is why nothing was generated, in gengo's words: the packages do not load. Empty if they did.
	Trouble string
	// Results are those of the generators, in their order.
	Results []Result
}

// Result is what one run made.
type Result struct {
	Files []File
	// Notes are what was logged, or printed, without failing.
	Notes []string
	// Failure is the word with which the generator gave up, or empty.
	Failure string
}

// File is a generated file.
type File struct {
	Path    string // absolute
	Content []byte
	// Simplify asks for "gofmt -s", which this version of gengo calls where it is in PATH.
	Simplify bool
}
