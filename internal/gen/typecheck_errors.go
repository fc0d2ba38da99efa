// SPDX-License-Identifier: Apache-2.0

package gen

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/gen/codegen"
	"github.com/crdctl/crdctl/internal/gen/explain"
	"github.com/crdctl/crdctl/internal/gen/load"
)

// Cause is why generated code does not compile.
type Cause int

const (
	// Broken code can be corrected only where it comes from, and is not written.
	Broken Cause = iota
	// Incomplete code lacks nothing but functions that the user has to write, with the generated ones next to them.
	Incomplete
	// Outdated are modules that go.mod requires in versions that lack what the generated code uses.
	Outdated
)

// missingMethod is what the type checker says of a client that lacks a method of its expansion interface, which a person wrote.
var missingMethod = regexp.MustCompile(`does not implement .*Interface \(missing method \w+\)`)

// CompileError is the error of generated code that does not compile. Unless it is broken it is written all the same: the user
// needs it to go on, and upstream's generators write it.
type CompileError struct {
	error
	Cause Cause
	// Generators are those of the files that the errors are in; nil if any of these is not a generator's.
	Generators []string
	// Files are those that the errors are in.
	Files []string
	// First is the first error.
	First string
}

// missingConversion is what the type checker says of a conversion that conversion-gen leaves to the user.
var missingConversion = regexp.MustCompile(`^undefined: Convert_\w+$`)

// explain makes one error of what the type checker found.
func (c *typeCheck) explain(errs []load.TypeError) error {
	for i, e := range errs {
		if rel, err := filepath.Rel(c.root, e.Pos.Filename); err == nil {
			errs[i].Pos.Filename = filepath.ToSlash(rel)
		}
	}
	if misnamed := explain.MisnamedTypes(c.root, c.scan.Sources, errs); misnamed != nil {
		return &CompileError{error: misnamed, Cause: Broken}
	}
	if outdated := c.outdated(errs); outdated != nil {
		errs = slices.DeleteFunc(errs, func(e load.TypeError) bool {
			return c.lacksLibrary(e) || e.Follows && isClient(c.generators[e.Pos.Filename])
		})
		if len(errs) == 0 {
			return outdated
		}
	}
	var lines []string
	cause := Incomplete
	var makers, files []string
	for _, e := range errs {
		files = append(files, e.Pos.Filename)
		line, maker := e.Pos.String()+": ", c.generators[e.Pos.Filename]
		if maker != "" {
			line += maker + ": "
		}
		lines, makers = append(lines, line+e.Msg), append(makers, maker)
		if userWrites := maker == "conversion-gen" && missingConversion.MatchString(e.Msg) || maker == "client-gen" && missingMethod.MatchString(e.Msg); !userWrites {
			cause = Broken
		}
	}
	text := some(lines)
	do := hint(text)
	if cause == Incomplete {
		do = "add what is missing to the same package: conversion functions that conversion-gen cannot generate, or methods of a client's expansion interface and of its fake"
	}
	return &CompileError{fmt.Errorf("the generated code does not compile:\n  %s\n%s", text, do), cause, sameMakers(makers), files, lines[0]}
}

// sameMakers are the generators of files, each once; nil where one has none.
func sameMakers(makers []string) []string {
	slices.Sort(makers)
	if makers = slices.Compact(makers); makers[0] == "" {
		return nil
	}
	return makers
}

// some are the first of many lines.
func some(lines []string) string {
	const most = 20
	if more := len(lines) - most; more > 0 {
		lines = append(lines[:most:most], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(lines, "\n  ")
}

func isClient(generator string) bool {
	return slices.Contains([]string{"client-gen", "lister-gen", "informer-gen", "applyconfiguration-gen"}, generator)
}

// lacksLibrary reports whether an error is that of a client which uses what the required version of its library lacks.
func (c *typeCheck) lacksLibrary(e load.TypeError) bool {
	return strings.HasPrefix(e.Lacks, "k8s.io/") && isClient(c.generators[e.Pos.Filename])
}

// outdated is the error of clients that use what the required versions of their libraries lack; nil if none does.
func (c *typeCheck) outdated(errs []load.TypeError) error {
	var lines, seen []string
	for _, e := range errs {
		if c.lacksLibrary(e) && !slices.Contains(seen, e.Lacks) {
			seen = append(seen, e.Lacks)
			lines = append(lines, fmt.Sprintf("%s: %s: %s does not exist", e.Pos, c.generators[e.Pos.Filename], e.Lacks))
		}
	}
	if len(lines) == 0 {
		return nil
	}
	version := "k8s.io/client-go@" + cmp.Or(c.version.Version, codegen.Version)
	return &CompileError{error: errors.New("the generated code does not compile with the modules that go.mod requires:\n  " + some(lines) +
		"\nrun \"go get " + version + "\", or set codeGeneratorVersion to the version of k8s.io/client-go"), Cause: Outdated}
}

// hint is what the user can do about generated code that does not compile.
func hint(text string) string {
	switch {
	case strings.Contains(text, "is generated with package "):
		return "the generators name a package by its directory"
	case strings.Contains(text, "redeclared"), strings.Contains(text, "already declared"):
		return "rename or delete the hand-written declaration, or turn the generator off for the type with its tag"
	case strings.Contains(text, "undefined: Convert_"):
		return "write the missing conversion functions in the same package, and correct the rest"
	}
	return "correct the type, tag or setting that this code is generated from"
}
