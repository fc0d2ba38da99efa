// SPDX-License-Identifier: Apache-2.0

package controllergen

import (
	"path"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/detect/scriptline"
	"github.com/crdctl/crdctl/internal/detect/shell"
	"github.com/crdctl/crdctl/internal/detect/steps"
	"github.com/crdctl/crdctl/internal/text/lazyregexp"
)

// later is a command after controller-gen, which may change what was made.
type later struct {
	*Reader
	made *made
	step steps.Step
	next []steps.Step // those that come after it
	by   scriptline.Line
	at   func(word string) string // the path that a word of the command names
}

func (r *Reader) after(step steps.Step, next []steps.Step, m *made) *later {
	at := func(word string) string {
		if strings.HasPrefix(word, shell.Temporary) {
			return ""
		}
		if m := variableInFront.FindString(word); m != "" {
			return steps.Local(shell.Root, word[len(m):]) // mostly the root, which a script finds in its own way
		}
		return steps.Local(step.Dir, word)
	}
	return &later{r, m, step, next, scriptline.Line{At: step.At(), Words: step.Words}, at}
}

// record records what the command does to the files that are made. listed is the directory that was last looked through.
func (l *later) record(listed string) {
	for _, file := range l.step.Writes {
		l.changed(l.made, l.at(file), l.by, true)
	}
	words := l.step.Words
	switch name := path.Base(words[0]); {
	case name == "rm":
		for _, w := range words[1:] {
			l.removed(l.made, l.at(w), l.step.At())
			l.removedSome(l.made, l.at(w), l.step.At())
			l.removedAll(l.made, l.at(w))
		}
	case scriptline.InPlace(words):
		l.inPlace(listed)
	case name == "mv" || name == "cp" || name == "install":
		l.moveFiles(name)
	case name == "tee":
		for _, w := range words[1:] {
			l.changed(l.made, l.at(w), l.by, true)
		}
	case name == "copywrite" || name == "addlicense" || name == "license-eye":
		for dir := range l.made.byDir {
			l.changed(l.made, dir, l.by, false)
		}
	case name == "go" && len(words) > 2 && (words[1] == "run" || words[1] == "generate"):
		l.goPrograms()
	case slices.Contains(readers, program(words[0])) || name == "go" && len(words) > 1 && words[1] != "tool":
	default:
		l.arguments(words[1:], l.rewrites())
		l.input()
		l.named()
		l.builtProgram(name, words[1:])
	}
}

// inPlace records what an editor changes that is given files, or the output of what looks through a directory.
func (l *later) inPlace(listed string) {
	known, words := false, l.step.Words
	for _, w := range words[1:] {
		known = l.changed(l.made, l.at(w), l.by, true) || known
		patterns, sure := listedIn(w)
		for _, p := range patterns {
			known = l.changed(l.made, l.at(p), l.by, sure) || known
		}
	}
	if !known && (path.Base(words[0]) == "xargs" || strings.Contains(words[len(words)-1], "$")) {
		l.changed(l.made, listed, l.by, false)
	}
}

// moveFiles records what is moved, or copied, over files that are made. What is copied and then deleted is moved.
func (l *later) moveFiles(by string) {
	words := l.step.Words
	to := l.at(words[len(words)-1])
	var moved []string
	for _, w := range words[1 : len(words)-1] {
		from := l.at(w)
		if l.made.byDir[from] != nil {
			from = path.Join(from, "*")
		}
		if by == "mv" || by == "cp" && l.deletedNext(from) {
			if by == "mv" && !l.Git.Deleted(path.Join(to, path.Base(from))) && (path.Ext(to) == "" || !l.Git.Deleted(to)) { // otherwise it is missing
				l.removed(l.made, from, l.step.At())
			}
			moved = append(moved, l.movedAway(from, to, by == "cp")...)
		}
		if l.at(w) == to || strings.Contains(w, "*") && l.Modules.NamesRequired(w) {
			continue // nothing, as in an image, or its CRDs are of other groups, and have other names
		}
		for _, name := range l.namesOf(l.at(w), path.Base(w)) {
			l.changed(l.made, path.Join(to, name), l.by, true)
		}
	}
	if !l.IsDir(to) {
		l.changed(l.made, to, l.by, true)
	}
	if len(moved) > 0 {
		l.made.byDir[to] = append(l.made.byDir[to], moved...)
	}
}

// arguments records that the command changes the files that it is given; sure is set where it is known to rewrite them.
func (l *later) arguments(words []string, sure bool) {
	for _, w := range words {
		_, value, assigned := strings.Cut(w, "=")
		if assigned {
			w = value
		}
		l.changed(l.made, l.at(w), l.by, sure)
	}
}

var variableInFront = lazyregexp.New(`^\$(\{?\w+\}?|\([^()]*\))/`)

// readers are programs that read the files that they are given, and write elsewhere.
var readers = []string{"kustomize", "kubectl", "cat", "diff", "ls", "grep", "git", "test", "[", "helm", "tar", "echo", "printf", "mkdir", "docker", "jq", "yq", "find", "cd", "pushd", "popd",
	"gofmt", "goimports", "head", "tail", "wc", "sort", "true", "touch", "chmod", "zip", "operator-sdk", "crd-ref-docs", "gen-crd-api-reference-docs", "go-bindata", "statik", "sed", "perl", "awk", "kind"}

// versionAfter is what a program's file is called after its version.
var versionAfter = lazyregexp.New(`(@.*|[-_]v?\d+(\.\d+)+)$`)

// program is the name of a program without its directory and version, as kustomize in hack/kustomize-3.8.1.
func program(word string) string { return versionAfter.ReplaceAllString(path.Base(word), "") }
