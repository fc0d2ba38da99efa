// SPDX-License-Identifier: Apache-2.0

package codegen

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"k8s.io/gengo/v2"
)

// Header is what stands above the package clause of a generated file: the content of the boilerplate file.
type Header struct {
	Boilerplate []byte
}

// GeneratedBy is the line by which a generator marks its files, and by which tools find them.
func GeneratedBy(generator string) string {
	return strings.Replace(gengo.StdGeneratedBy, "GENERATOR_NAME", generator, 1)
}

var packageClause = regexp.MustCompile(`(?m)^package\s`)

// Owns reports whether a generator wrote a Go file: whether its line stands above the package clause. A file that is empty is
// what a crash left of one.
func Owns(generator string, file []byte) bool {
	if len(file) == 0 {
		return true
	}
	header := file
	if at := packageClause.FindIndex(file); at != nil {
		header = file[:at[0]]
	}
	for line := range bytes.Lines(header) {
		if string(bytes.TrimRight(line, "\r\n")) == GeneratedBy(generator) {
			return true
		}
	}
	return false
}

var doNotEdit = regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.\r?$`)

// IsGenerated reports whether any tool marked a Go file as its own.
func IsGenerated(file []byte) bool {
	if at := packageClause.FindIndex(file); at != nil {
		file = file[:at[0]]
	}
	return doNotEdit.Match(file)
}

// of returns the function that turns the header that gengo made into that of the generator's own binary. gengo takes
// the name from os.Args, and the year from the clock: so the generators get no boilerplate file, and the word YEAR
// stays until WithYear.
func (h Header) of(generator string) func(upstream []byte) []byte {
	argv0 := filepath.Base(os.Args[0])
	ours := GeneratedBy(strings.TrimSuffix(argv0, filepath.Ext(argv0)))
	tag := fmt.Sprintf("//go:build !%[1]s\n// +build !%[1]s\n\n", gengo.StdBuildTag)
	boilerplate := string(h.Boilerplate)
	if h.Boilerplate != nil {
		boilerplate += "\n"
	}
	return func(upstream []byte) []byte {
		rest, tagged := bytes.CutPrefix(upstream, []byte(tag))
		rest, ok := bytes.CutPrefix(rest, []byte(ours))
		if !ok {
			return upstream
		}
		var b bytes.Buffer
		if tagged {
			b.WriteString(tag)
		}
		b.WriteString(boilerplate)
		b.WriteString(GeneratedBy(generator))
		b.Write(rest)
		return b.Bytes()
	}
}

// WithBoilerplate puts another boilerplate into the header of a formatted file.
func WithBoilerplate(f File, boilerplate []byte) (File, error) {
	at := bytes.Index(f.Content, []byte(GeneratedBy(f.Generator)))
	if at < 0 {
		return f, nil
	}
	f.Content = slices.Concat(buildTag.Find(f.Content[:at]), boilerplate, []byte("\n"), f.Content[at:])
	var err error
	f.Content, err = format(f.Content)
	return f, err
}

// buildTag are the lines above the boilerplate.
var buildTag = regexp.MustCompile(`\A(//(go:build| \+build) [^\n]*\n)+\n`)

// WithYear puts the year instead of the word YEAR in a file's header: the year that the file on disk bears, if
// it has this very header, below whatever build tags, else the current one. So a new year alone makes no file stale.
func WithYear(f File, onDisk []byte, current int) []byte {
	return DateHeader(f.Content, bytes.Index(f.Content, []byte(GeneratedBy(f.Generator))), onDisk, current)
}

// DateHeader is WithYear for a header that ends at some place in the content; a negative one is none.
func DateHeader(content []byte, end int, onDisk []byte, current int) []byte {
	if end < 0 || !bytes.Contains(content[:end], []byte("YEAR")) {
		return content
	}
	header := string(content[:end])
	year := fmt.Sprint(current)
	if kept, ok := yearOf(buildTag.ReplaceAll(onDisk, nil), buildTag.ReplaceAllString(header, "")); ok {
		year = kept
	}
	return append([]byte(strings.ReplaceAll(header, "YEAR", year)), content[end:]...)
}

// yearOf is the year that a file bears where its header has the word YEAR. Where it bears two, it isn't ours to keep.
func yearOf(file []byte, header string) (year string, ok bool) {
	const digits = 4
	pieces := strings.Split(header, "YEAR")
	rest := string(file[:min(len(file), len(header)+len(pieces))])
	for i, piece := range pieces {
		if rest, ok = strings.CutPrefix(rest, piece); !ok {
			return "", false
		}
		if i == len(pieces)-1 {
			return year, true
		}
		if len(rest) < digits || strings.Trim(rest[:digits], "0123456789") != "" || year != "" && year != rest[:digits] {
			return "", false
		}
		year, rest = rest[:digits], rest[digits:]
	}
	return "", false
}
