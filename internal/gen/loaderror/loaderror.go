// Package loaderror puts what the go command and the compiler say about packages that do not load into one error, the
// same whichever loader reports it: each finding once, with its place relative to the project.
package loaderror

import (
	"errors"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

var (
	// noise are the lines by which loaders group findings, and places that are none.
	noise    = regexp.MustCompile(`^error\(s\) in ".*":$`)
	noPlace  = regexp.MustCompile(`^-: `)
	prefixes = []string{"error loading packages: ", "err: exit status 1: stderr: "}
)

// New makes the error of what a loader said about packages below dir while something was done. It returns nil if that is
// nothing.
func New(doing, dir string, said ...string) error {
	var findings []string
	for line := range strings.Lines(strings.Join(said, "\n")) {
		line = strings.TrimRight(line, "\n")
		for _, p := range prefixes {
			line = strings.TrimPrefix(line, p)
		}
		line = noPlace.ReplaceAllString(strings.ReplaceAll(line, dir+string(filepath.Separator), ""), "")
		if strings.TrimSpace(line) == "" || noise.MatchString(line) || slices.Contains(findings, line) {
			continue
		}
		findings = append(findings, line)
	}
	if len(findings) == 0 {
		return nil
	}
	text := doing + ":\n  " + strings.Join(findings, "\n  ")
	if strings.Contains(text, "no required module provides package") || strings.Contains(text, "missing go.sum entry") || strings.Contains(text, "updates to go.mod needed") {
		text += "\nrun \"go mod tidy\""
	}
	if strings.Contains(text, "has no storage version") {
		text += "\nmark the kind in one version with // +kubebuilder:storageversion"
	}
	return errors.New(text)
}
