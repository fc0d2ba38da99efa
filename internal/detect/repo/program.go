package repo

import (
	"bytes"
	buildline "go/build/constraint"
	"path"
	"slices"
	"strings"
)

// isMain reports whether a file has the main function of a program that is built as a matter of course.
func isMain(rel string, data []byte) bool {
	if strings.HasSuffix(path.Base(rel), "_test.go") {
		return false
	}
	top, body, ok := bytes.Cut(data, []byte("\npackage main"))
	if !ok {
		if body, ok = bytes.CutPrefix(data, []byte("package main")); !ok {
			return false
		}
		top = nil
	}
	if !bytes.Contains(body, []byte("\nfunc main() {")) {
		return false
	}
	for line := range bytes.Lines(top) {
		text := strings.TrimSpace(string(line))
		if !buildline.IsGoBuild(text) {
			continue
		}
		// Systems and versions are left open; a tag like ignore or tools is for the user to set.
		expr, err := buildline.Parse(text)
		if err != nil || !expr.Eval(func(tag string) bool { return slices.Contains(systems, tag) || strings.HasPrefix(tag, "go1.") }) {
			return false
		}
	}
	return true
}

// systems are the tags of the systems that controllers run on.
var systems = []string{"linux", "unix", "cgo", "amd64", "arm64"}
