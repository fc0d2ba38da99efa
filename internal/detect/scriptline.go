// SPDX-License-Identifier: Apache-2.0

package detect

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

// command is a line of a script.
type command struct {
	at    string // its place, or "" if there is none
	words []string
}

// on is the entry of the settings for a file or directory that the command changes.
func (c command) on(file string) config.PostProcessed {
	if c.at == "" {
		return config.PostProcessed{Path: file, By: config.UnknownCommand}
	}
	return config.PostProcessed{Path: file, By: c.at + ": " + strings.ReplaceAll(short(c.words), shell.Root+"/", ""), Changes: c.changes()}
}

// changes is what the command can change at most: see [config.PostProcessed].
func (c command) changes() config.Change {
	line := strings.Join(c.words, " ")
	switch {
	case formats.MatchString(line) && !mayEdit.MatchString(line):
		return config.ChangesForm
	case headerScript.MatchString(line) && !mayEdit.MatchString(headerScript.ReplaceAllString(line, "")):
		return config.ChangesForm
	case editsMetadata(c.words):
		return config.ChangesMetadata
	}
	return ""
}

var (
	// formats is in a command that changes nothing but headers, white space and imports.
	formats = lazyregexp.New(`(?i)(^|[\s/@({])(addlicense|license-eye|copywrite|prettier|yamlfmt|gofmt|(openshift[-_])?goimports(-reviser)?|gosimports|gofumpt|gofumports|gci|golangci[-_]?lint\S*\s([^|;&]*\s)?fmt)([\s)}@]|$)`)
	// headerScript is a script that has its name from the headers that it writes, with the program that runs it.
	headerScript = lazyregexp.New(`(?i)((^|\s)(python\d?|bash|sh)\s+)?\S*/[\w-]*(header|license)s?\.(sh|py)\b`)
	// mayEdit is in a command that may change more than that.
	mayEdit = lazyregexp.New(`(?i)\b(g?sed|yq|jq|perl|g?awk|python\d?|node|ruby|patch|sh|bash|mv|cp|kustomize|tee)\b|\.(sh|py|js|mjs|ts|rb)\b|\sgofmt\b.*\s-r\b|>`)
)

// editsMetadata reports whether a command is one of yq that changes nothing but metadata.
func editsMetadata(words []string) bool {
	i := slices.IndexFunc(words, func(w string) bool { return yq.MatchString(path.Base(w)) })
	if i < 0 {
		return false
	}
	for j, w := range words[i+1:] {
		if strings.HasPrefix(w, "-") || w == "e" || w == "eval" || w == "w" {
			continue
		}
		for part := range strings.SplitSeq(w, "|") {
			if !metadataExpression.MatchString(part) {
				return false
			}
		}
		return !mayEdit.MatchString(strings.Join(words[i+j+2:], " ")) // as of a second command on the line
	}
	return false
}

var (
	yq = lazyregexp.New(`(?i)^(\W*|\$\([^()]*[ /]([a-z]+-)?)yq([-_@]?v?[\d.]*)?\W*$`)
	// metadataExpression assigns to a field of the metadata, or removes one.
	metadataExpression = lazyregexp.New(`^\s*(\.metadata[.\[][^=,]*[^=,!<>]=[^=].*|del\(\.metadata[.\[][^,()]*\))\s*$`)
)

// commandsWith are the first lines that match, one of each script.
func (d *discovery) commandsWith(match func(line []byte) bool) (all commands) {
	for _, t := range d.Texts {
		n := 0
		for line := range bytes.Lines(t.Data) {
			if n++; match(bytes.TrimRight(line, "\r\n")) {
				all = append(all, command{repo.At(t.Path, n), strings.Fields(string(line))})
				break
			}
		}
	}
	return all
}

// commands are lines of scripts that do the same.
type commands []command

// near is the one whose script is in most of a file's directories, the first of several; the zero command if there is none.
func (all commands) near(file string) (nearest command) {
	most := -1
	for _, c := range all {
		if n := sharedDirs(c.at, file); n > most {
			most, nearest = n, c
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

// namesOthers reports whether a command names files, directories or extensions, of which none has a file.
func (d *discovery) namesOthers(c command, file string) bool {
	others := false
	for _, word := range c.words {
		switch name := path.Clean(strings.Trim(word, `"'`)); {
		case text.Below(name, file):
			return false
		case d.Exists(name):
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
