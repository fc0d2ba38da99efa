// SPDX-License-Identifier: Apache-2.0

package controllergen

import (
	"bytes"
	"maps"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/detect/repo"
	"github.com/crdctl/crdctl/internal/safefs"
	"github.com/crdctl/crdctl/internal/text"
	"github.com/crdctl/crdctl/internal/text/lazyregexp"
)

// goPrograms records what programs of the repository do that go run, or a line of go:generate, starts: they change the files that
// they are given, and those of a directory that they write to.
func (l *later) goPrograms() {
	words := l.step.Words[2:]
	if l.step.Words[1] == "run" {
		words = words[flagsOfRun(words):]
		if len(words) == 0 {
			return
		}
		if slices.Contains(readers, program(words[0])) {
			return
		}
		l.arguments(words, false)
		l.goProgram(words)
		return
	}
	for _, w := range words {
		dir := l.at(strings.TrimSuffix(w, "/..."))
		if dir == "" {
			continue
		}
		there := *l
		there.at = func(word string) string { return path.Join(dir, word) }
		for _, data := range l.GoSources(dir) {
			for _, line := range goRun.FindAllSubmatch(data, -1) {
				there.goProgram(strings.Fields(string(line[1])))
			}
		}
	}
}

// flagsOfRun is how many words stand before the program that go run is given: flags, and their values.
func flagsOfRun(words []string) int {
	for i := 0; i < len(words); i++ {
		if !strings.HasPrefix(words[i], "-") {
			return i
		}
		if slices.Contains([]string{"tags", "mod", "modfile", "C", "ldflags", "gcflags", "exec"}, strings.TrimLeft(words[i], "-")) {
			i++
		}
	}
	return len(words)
}

// goRun is a line of go:generate that runs a program. It is also read in files that the build constraints leave out.
var goRun = lazyregexp.New(`(?m)^//go:generate\s+go\s+run\s+(.*)$`)

// writeOf is where the source of a program writes a file, with the name of the file if that is written there.
var writeOf = lazyregexp.New(`\bos\.(?:WriteFile|Create|OpenFile)\((?:"([^"\n]*)"\s*[,)])?`)

// declared begins what follows the imports of a source.
var declared = lazyregexp.New(`(?m)^(func|var|const|type)\b`)

// A program that decodes manifests, encodes none and names a file of another kind only reads them, as one for documentation does, unless it
// names a manifest where it writes.
var (
	decodes   = lazyregexp.New(`\b(Unmarshal\w*|New\w*Decoder|Decode)\(`)
	encodes   = lazyregexp.New(`\b((Must)?Marshal\w*|Encode|New\w*Encoder|New\w*Serializer\w*)\(|kyaml|yaml\.Node|\bPrintObj\(`)
	otherKind = lazyregexp.New(`\.(md|mdx|adoc|rst|html|go|ts|tsx)["` + "`" + `]`)
)

// writesManifests reports whether a program with these sources writes files that may be manifests.
func writesManifests(sources []byte) bool {
	reads := decodes.Match(sources) && !encodes.Match(sources) && otherKind.Match(sources)
	return slices.ContainsFunc(writeOf.FindAllSubmatch(sources, -1), func(m [][]byte) bool {
		if m[1] == nil {
			return !reads
		}
		return slices.Contains([]string{"", ".yaml", ".yml"}, path.Ext(string(m[1])))
	})
}

// goProgram records that a program changes the directories that its sources name or that it is given, if these write files.
func (l *later) goProgram(words []string) {
	i := flagsOfRun(words)
	if i == len(words) {
		return
	}
	dir := l.at(words[i])
	if path.Ext(dir) == ".go" {
		dir = path.Dir(dir)
	}
	sources := bytes.Join(slices.Collect(maps.Values(l.GoSources(dir))), nil)
	if dir == "" || !writesManifests(sources) {
		return
	}
	out := output(words[i+1:])
	if out != "" {
		out = l.at(out)
	} else {
		l.changesGiven(words[i+1:])
	}
	sources = nil
	for _, data := range l.GoSources(dir) { // an import is no place that the program writes to
		if at := declared.FindAllIndex(data, 1); at != nil {
			sources = append(sources, data[at[0][0]:]...)
		}
	}
	for made := range l.made.byDir {
		if out != "" && !text.Below(out, made) && !text.Below(made, out) {
			continue // it only reads there
		}
		if names(sources, path.Base(made)) && names(sources, path.Base(path.Dir(made))) {
			l.PostProcess(l.by.On(made))
		}
	}
}

// builtProgram is goProgram for a program that was built of the repository before, by its name: it changes the directories that it is given,
// if its sources write files.
func (l *later) builtProgram(name string, words []string) {
	main := slices.IndexFunc(l.Files, func(f *repo.GoFile) bool { return f.Main && path.Base(f.Dir) == name })
	if main < 0 || output(words) != "" || !writesManifests(bytes.Join(slices.Collect(maps.Values(l.GoSources(l.Files[main].Dir))), nil)) {
		return
	}
	l.changesGiven(words)
}

// changesGiven records that a program that writes files changes the directories that it is given.
func (l *later) changesGiven(words []string) {
	for _, w := range words {
		if dir := l.at(w); l.made.byDir[dir] != nil {
			l.PostProcess(l.by.On(dir))
		}
	}
}

// input records what an interpreter does that reads its program from the input, as from a here-document: it changes the files that the
// script names, if the script writes files.
func (l *later) input() {
	words := l.step.Words
	if !interpreter.MatchString(path.Base(words[0])) || len(words) > 1 && words[1] != "-" {
		return
	}
	i := slices.IndexFunc(l.Texts, func(t repo.Script) bool { return t.Path == l.step.Path })
	if i < 0 || !writesText.Match(l.Texts[i].Data) {
		return
	}
	for _, files := range l.made.byDir {
		for _, file := range files {
			if bytes.Contains(l.Texts[i].Data, []byte(file)) {
				l.PostProcess(l.by.On(file))
			}
		}
	}
}

// rewrites reports whether the command has an interpreter run a script of the repository that writes files, and that is not told where to.
func (l *later) rewrites() bool {
	words := l.step.Words
	if !interpreter.MatchString(path.Base(words[0])) || len(words) < 3 || output(words[2:]) != "" {
		return false
	}
	file := l.at(words[1])
	data, err := safefs.ReadFile(filepath.Join(l.Root, filepath.FromSlash(file)), safefs.MaxFile)
	return err == nil && file != "" && writesText.Match(data)
}

// named records what a script of the repository that an interpreter runs without arguments does to what it names: it changes the directories, if it
// writes files there, and may delete the CRDs that are not there, unless git has them.
func (l *later) named() {
	words := l.step.Words
	if !interpreter.MatchString(path.Base(words[0])) || len(words) != 2 {
		return
	}
	file := l.at(words[1])
	data, err := safefs.ReadFile(filepath.Join(l.Root, filepath.FromSlash(file)), safefs.MaxFile)
	if err != nil || file == "" || !writesUnnamed(data) {
		return
	}
	for _, dir := range slices.Sorted(maps.Keys(l.made.byDir)) {
		if !regexp.MustCompile(`["'/ ]` + regexp.QuoteMeta(dir) + `["'/]`).Match(data) {
			continue
		}
		l.PostProcess(l.by.On(dir))
		for _, name := range crdFile.FindAllSubmatch(data, -1) {
			if crd := path.Join(dir, string(name[1])); deletesFiles.Match(data) && !l.Git.Deleted(crd) {
				l.removed(l.made, crd, l.step.At())
			}
		}
	}
}

// writesUnnamed reports whether a program of an interpreter writes files, and not only such as it opens by names that no manifest has.
func writesUnnamed(data []byte) bool {
	data = prints.ReplaceAll(data, nil)
	opened := opensToWrite.FindAllSubmatch(data, -1)
	other := func(m [][]byte) bool {
		return m[1] == nil || slices.Contains([]string{"", ".yaml", ".yml"}, path.Ext(string(m[1])))
	}
	return writesText.Match(data) && (len(opened) == 0 || writesOtherwise.Match(data) || slices.ContainsFunc(opened, other))
}

var (
	interpreter = lazyregexp.New(`^(python[\d.]*|node|ruby)$`)
	// writesText is in programs of an interpreter that write files, and writesOtherwise in those that need not open them before.
	writesText      = lazyregexp.New(`\.write(_text|_bytes|FileSync|lines)?\(|\bdump\(`)
	writesOtherwise = lazyregexp.New(`\.write(_text|_bytes|FileSync)\(|\bdump\(|\b(File|IO)\.write\(|\binplace\b`)
	// opensToWrite is where they open a file, with its name if that is written there.
	opensToWrite = lazyregexp.New(`open\((?:\s*["']([^"'\n]*)["']\s*,\s*(?:mode\s*=\s*)?|[^\n]*)["'](?:[wax]|r\+|rb\+)[bt+]*["']`)
	prints       = lazyregexp.New(`\bstd(out|err)\.write\(`)
	// deletesFiles is in those that delete files, and crdFile is the name of a file that controller-gen writes.
	deletesFiles = lazyregexp.New(`\.(?:unlink|remove|rm|delete)(?:Sync)?\(`)
	crdFile      = lazyregexp.New(`["'/]([a-z0-9.-]+_[a-z0-9-]+\.yaml)["']`)
)

// outputFlag is the name of a flag that says where a program writes, as --output, -dest-dir and -chart-dir.
var outputFlag = lazyregexp.New(`^-.*(out|dest|dst|chart)`)

// output is the value of a flag that says where a program writes, "" if there is none.
func output(words []string) string {
	for i, w := range words {
		name, value, assigned := strings.Cut(w, "=")
		switch {
		case !outputFlag.MatchString(name):
		case assigned:
			return value
		case i+1 < len(words):
			return words[i+1]
		}
	}
	return ""
}

// names reports whether sources have a string with a part of a path.
func names(sources []byte, part string) bool {
	return regexp.MustCompile("[\"/`]" + regexp.QuoteMeta(part) + "[\"/`]").Match(sources)
}
