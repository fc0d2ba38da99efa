// SPDX-License-Identifier: Apache-2.0

// Package diag puts what the go command and the compiler say about packages that do not load into one error, the
// same whichever loader reports it: each finding once, with its place relative to the project.
package diag

import (
	"errors"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/ui"
	"github.com/crdctl/crdctl/internal/workspace"
)

var (
	// noise are the lines by which loaders group findings, and those that show progress; noPlace is a place that is none.
	noise   = regexp.MustCompile(`^error\(s\) in ".*":$|^go: downloading `)
	noPlace = regexp.MustCompile(`^-: `)
	// replaced is what is wrong in each file that imports a module whose replacement is on another machine.
	replaced = regexp.MustCompile(`^(?:\S+: )?(\S+@\S+: replacement directory .* does not exist)$`)
	prefixes = []string{"error loading packages: ", "err: exit status 1: stderr: "}
)

// New makes the error of what a loader said about packages below dir while something was done. It returns nil if that is
// nothing.
func New(doing, dir string, said ...string) error {
	text := doing + ":\n  " + strings.Join(gather(dir, said), "\n  ")
	if _, hint := ui.ShortenGo(dir, text); hint != "" {
		return WithHint(doing, dir, hint, said...)
	}
	for _, a := range hints() {
		if strings.Contains(text, a.said) {
			return WithHint(doing, dir, strings.TrimPrefix(a.do, "\n"), said...)
		}
	}
	if syntax.MatchString(text) {
		return WithHint(doing, dir, "fix the syntax error", said...)
	}
	return WithHint(doing, dir, "", said...) // that says it all
}

// WithHint is New for who knows what the user can do, or that the words say it themselves.
func WithHint(doing, dir, act string, said ...string) error {
	findings := gather(dir, said)
	if len(findings) == 0 {
		return nil
	}
	short, _ := ui.ShortenGo(dir, strings.Join(findings, "\n"))
	return errors.New(strings.TrimSuffix(doing+":\n  "+strings.ReplaceAll(short, "\n", "\n  ")+"\n"+act, "\n"))
}

// gather are the lines of an output that tell something, each once, with paths relative to dir, if that is given.
func gather(dir string, said []string) (findings []string) {
	for line := range strings.Lines(strings.Join(said, "\n")) {
		line = strings.TrimRight(line, "\n")
		for _, p := range prefixes {
			line = strings.TrimPrefix(line, p)
		}
		line = strings.ReplaceAll(line, ": \t", ": ") // the compiler indents what belongs to the line before
		if dir != "" {
			line = strings.ReplaceAll(line, dir+string(filepath.Separator), "")
		}
		line = replaced.ReplaceAllString(noPlace.ReplaceAllString(line, ""), "go.mod: $1")
		if strings.TrimSpace(line) == "" || noise.MatchString(line) || slices.Contains(findings, line) {
			continue
		}
		findings = append(findings, line)
	}
	if slices.ContainsFunc(findings, notHad.MatchString) {
		findings = slices.DeleteFunc(findings, func(line string) bool { return !loads(line) })
	}
	return findings
}

// OfGo is an error of package packages as what the go command said: without the exit code that is put before it, and without progress.
func OfGo(err error) error {
	switch {
	case err == nil:
		return nil
	case strings.Contains(err.Error(), "go command required, not found"):
		return workspace.ErrNoGo
	}
	return errors.New(strings.Join(gather("", []string{err.Error()}), "\n"))
}

// loads reports whether a finding is about what is to be loaded. Where a module is missing, all others may follow from that: types are
// unknown, and generators write code that does not parse.
func loads(finding string) bool {
	return notHad.MatchString(finding) || syntax.MatchString(finding) || strings.HasPrefix(finding, "\t") || strings.HasPrefix(finding, "go: ")
}

// hint is what the user can do about a finding; nothing where the finding says it itself.
type hint struct{ said, do string }

// hints are in the order in which they matter: what comes later may follow from what comes before.
func hints() []hint {
	return []hint{
		{"expected 'package', found 'EOF'", "\ndelete the empty file; if it was generated, crdctl generates it again"},
		{": replacement directory ", "\nremove the replace directive from go.mod, or name a directory that is on this machine"},
		{"go.mod file not found", "\nset --dir to the directory with the go.mod, or create one with \"go mod init\""},
		{"failed to initialize build cache", "\nset HOME, or GOCACHE and GOMODCACHE, to writable directories"},
		{"no required module provides package", "\ncorrect the import, or run \"go mod tidy\" if it is right"},
		{"updates to go.mod needed", "\nrun \"go mod tidy\""},
		{"import cycle not allowed", "\nmove what both packages need into a third one"},
		{"found packages ", "\nmove the files of one of the packages to a directory of their own"},
		{"is not in std", "\ncorrect the import, or create the package"},
		{"undefined: ", "\ndeclare what is undefined, or import its package"},
		{"invalid field type: invalid type", "\ndeclare the type, or import its package"},
		{": unknown type ", "\ndeclare the type, or import its package"},
		{"redeclared", "\nrename one of the declarations, or delete it"},
		{"has no storage version", "\nmark the kind in one version with // +kubebuilder:storageversion"},
		{"does not serve any version", "\nremove // +kubebuilder:unservedversion from one of the versions"},
		{"consider using an explicit type", ""},
		{"unsupported AST kind *ast.Index", "\ncontroller-gen does not support generic types; declare a struct type for each use"},
		{"unsupported AST kind *ast.", "\nuse a type that JSON has, or exclude the field with the tag `json:\"-\"`"},
		{"for identifier ", "\ncontroller-gen does not support aliases of such types; declare a new type, without the equals sign"},
		{"map keys must be strings", "\nmake the key a string, or a named string type"},
		{"not a supported map value type", "\nmake the value a named type that JSON has"},
		{"use a named type instead", ""},
		{"encountered non-top-level struct", "\ndeclare a named type for the struct"},
		{"unsupported type \"", "\nmake it a string, an integer or a boolean"},
		{"must apply ", "\nmove the tag to a field of such a type, or remove it"},
		{"implements encoding.TextMarshaler", "\nmark the type with // +kubebuilder:validation:Type=string"},
		{"found float", "\nmake it a string, an integer or a resource.Quantity"},
		{"without JSON tag in type", "\ngive the field a tag such as `json:\"name\"`"},
		{"(at <input>:", "\ncorrect the arguments of the marker, or quote a value that has a comma or a semicolon"},
		{"cannot apply non-integral ", "\ngive the marker an integer, or the field another type"},
		{" value: strconv.Parse", "\ngive the marker a number"},
		{"cannot be deep-copied; ", ""},
	}
}
