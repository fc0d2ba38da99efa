// SPDX-License-Identifier: Apache-2.0

// Package scriptline has the lines of scripts that change files after a generator wrote them: which do, and what each can change at most.
package scriptline

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/detect/repo"
	"github.com/crdctl/crdctl/internal/detect/shell"
	"github.com/crdctl/crdctl/internal/text"
	"github.com/crdctl/crdctl/internal/text/lazyregexp"
)

// Line is a command in a script.
type Line struct {
	At    string // its place, or "" if there is none
	Words []string
}

// On is the entry of the settings for a file or directory that the command changes.
func (l Line) On(file string) config.PostProcessed {
	if l.At == "" {
		return config.PostProcessed{Path: file, By: config.UnknownCommand}
	}
	return config.PostProcessed{Path: file, By: l.At + ": " + strings.ReplaceAll(Short(l.Words), shell.Root+"/", ""), Changes: l.changes()}
}

// changes is what the command can change at most: see [config.PostProcessed].
func (l Line) changes() config.Change {
	line := listing.ReplaceAllStringFunc(wrapper.ReplaceAllString(strings.Join(l.Words, " "), ""), func(found string) string {
		if strings.Contains(found, "-exec") {
			return found
		}
		return ""
	})
	switch {
	case formats.MatchString(line) && !mayEdit.MatchString(line):
		return config.ChangesForm
	case headerScript.MatchString(line) && !mayEdit.MatchString(headerScript.ReplaceAllString(line, "")):
		return config.ChangesForm
	case importsOnly.MatchString(line):
		return config.ChangesForm
	case edits(l.Words, dashes) && !strings.Contains(line, ".go"):
		return config.ChangesForm
	case editsMetadata(l.Words) || edits(l.Words, annotation):
		return config.ChangesMetadata
	}
	return ""
}

var (
	// formats is in a command that changes nothing but headers, white space and imports.
	formats = lazyregexp.New(`(?i)(^|[\s/@({])(addlicense|license-eye|copywrite|prettier|yamlfmt|gofmt|(openshift[-_])?goimports(-reviser)?|gosimports|gofumpt|gofumports|gci|golines)(_(tool|bin|cmd))?([\s)}@]|$)|(^|[\s/@({])(ory\s+dev\s+headers|golangci[-_]?lint\S*\s([^|;&]*\s)?fmt)([\s)}@]|$)`)
	// headerScript is a script that has its name from the headers that it writes, with the program that runs it.
	headerScript = lazyregexp.New(`(?i)((^|\s)(python\d?|bash|sh)\s+)?\S*/[\w-]*(header|license|copyright)s?\.(sh|py)\b`)
	// importsOnly is a command of sed for the lines of the imports.
	importsOnly = lazyregexp.New(`^(find\b[^|;&]*\|\s*xargs\s+(-\S+\s+(\d+\s+)?)*)?g?sed\s+-i\s+(\.\w+\s+)?['"]?\s*/\^?import[^/]*/\s*,\s*/[^/]*/\s*\{([^{}]|\{[^{}]*\})*\}['"]?(\s[^;&|]*)?$`)
	// wrapper has a shell run a command that it installs first.
	wrapper = lazyregexp.New(`\b(ba)?sh\s+-e?c\s+['"]?\s*(go\s+install\s+\S+\s*&&)?`)
	// listing has find print the names of the files that a command is given. An expression of these may have words such as sh.
	listing = lazyregexp.New(`\$\((shell\s+)?find\s(\\.|[^()\\])*\)`)
	// mayEdit is in a command that may change more than that.
	mayEdit = lazyregexp.New(`(?i)\b(g?sed|yq|jq|perl|g?awk|python\d?|node|ruby|patch|sh|bash|mv|cp|kustomize|tee)\b|\.(sh|py|js|mjs|ts|rb)\b|\sgofmt\b.*\s-r\b|>`)
)

// edits reports whether a command is one of sed with one expression, which is of a form.
func edits(words []string, expression *lazyregexp.Regexp) bool {
	i := slices.IndexFunc(words, func(w string) bool { return sed.MatchString(w) })
	for j := i + 1; i >= 0 && j < len(words); j++ {
		if w := words[j]; w != "" && w != `''` && w != `""` && !sedOption.MatchString(w) {
			more := slices.ContainsFunc(words[j+1:], func(w string) bool { return strings.HasPrefix(w, "-") })
			return !more && expression.MatchString(w) && !mayEdit.MatchString(redirected.ReplaceAllString(strings.Join(words[j+1:], " "), ""))
		}
	}
	return false
}

var (
	sed, sedOption, redirected = lazyregexp.New(`^\W*g?sed$`), lazyregexp.New(`^(-i\S*|-[Eenr]+|--in-place\S*)$`), lazyregexp.New(`\d?>\S+`)
	// annotation changes or deletes the lines with the version annotation of controller-gen, or deletes the empty time of creation, which older
	// versions write.
	annotation = lazyregexp.New(`^['"]?(s[/|#@!][^/|#@!;'"]*controller-gen[^;'"]*|/[^/,;'"]*(controller-gen|creationTimestamp\\?:[\\ ]*null)[^,;'"]*/d)['"]?$`)
	// dashes deletes the line above a manifest, which is one of dashes or of a header.
	dashes = lazyregexp.New(`^['"]?(1d|/\^---\$?/d)['"]?$`)
)

// editsMetadata reports whether a command is one of yq that changes nothing but metadata, or what the API server does with objects of other
// versions and unknown fields, which is no part of what is compared either.
func editsMetadata(words []string) bool {
	i := slices.IndexFunc(words, RunsYQ)
	if i < 0 {
		return false
	}
	words = words[i+1:]
	for j, w := range words {
		if strings.HasPrefix(w, "-") || w == "e" || w == "eval" {
			continue
		}
		if slices.Contains([]string{"w", "write", "d", "delete"}, w) { // of yq before v4: yq write FILE PATH VALUE
			args := slices.DeleteFunc(slices.Clone(words[j+1:]), func(w string) bool { return strings.HasPrefix(w, "-") })
			return len(args) > 1 && metadataExpression.MatchString("."+args[1]+"=it") && !mayEdit.MatchString(strings.Join(args[2:], " "))
		}
		for part := range strings.SplitSeq(w, "|") {
			if !metadataExpression.MatchString(part) {
				return false
			}
		}
		return !mayEdit.MatchString(strings.Join(words[j+1:], " ")) // as of a second command on the line
	}
	return false
}

// RunsYQ reports whether a word is the program yq: under its name, one with its version, or a variable for it.
func RunsYQ(word string) bool { return yq.MatchString(path.Base(word)) }

var (
	yq = lazyregexp.New(`(?i)^(\W*|\$\([^()]*[ /]([a-z]+-)?)yq([-_@]?v?[\d.]*)?\W*$`)
	// metadataExpression assigns to a field of these, or removes one.
	metadataExpression = lazyregexp.New(`^\s*(` + metadata + `[^=,]*[^=,!<>]=[^=].*|` + metadata + `=[^=].*|del\(` + metadata + `[^,()]*\))\s*$`)
)

// metadata are the fields that a command may change: see editsMetadata.
const metadata = `\.(metadata[.\[]|spec\.conversion\b|spec\.preserveUnknownFields\b)`

// Find finds the first lines that match, one of each script.
func (p Pattern) Find(texts []repo.Script) (all Lines) {
	for _, t := range texts {
		if !t.Mentions(p.words...) {
			continue
		}
		n := 0
		for line := range bytes.Lines(t.Data) {
			if n++; p.Match(bytes.TrimRight(line, "\r\n")) {
				all = append(all, Line{repo.At(t.Path, n), strings.Fields(string(line))})
				break
			}
		}
	}
	return all
}

// Lines are lines that do the same.
type Lines []Line

// Near is the one whose script is in most of a file's directories, the first of several; the zero Line if there is none.
func (all Lines) Near(file string) (nearest Line) {
	most := -1
	for _, l := range all {
		if n := sharedDirs(l.At, file); n > most {
			most, nearest = n, l
		}
	}
	return nearest
}

// sharedDirs is the number of directories in which both of two files are.
func sharedDirs(a, b string) (n int) {
	dirs, others := strings.Split(path.Dir(a), "/"), strings.Split(path.Dir(b), "/")
	for n < len(dirs) && n < len(others) && dirs[n] == others[n] && dirs[n] != "." {
		n++
	}
	return n
}

var ofExtension = lazyregexp.New(`\*\.[a-z{]`)

// NamesOthers reports whether a command names files, directories or extensions, of which none has a file.
func (l Line) NamesOthers(file string, exists func(file string) bool) bool {
	others := false
	for _, word := range l.Words {
		switch name := path.Clean(strings.Trim(word, `"'`)); {
		case text.Below(name, file):
			return false
		case exists(name):
			others = true
		case ofExtension.MatchString(name): // as **/*.md
			if strings.Contains(name, strings.TrimPrefix(path.Ext(file), ".")) {
				return false
			}
			others = true
		}
	}
	return others
}

// Short is the beginning of a command.
func Short(words []string) string {
	line := strings.Join(strings.Fields(strings.Join(words, " ")), " ") // a script of sed has line breaks
	if len(line) > 80 {
		line = line[:80] + "…"
	}
	return line
}
