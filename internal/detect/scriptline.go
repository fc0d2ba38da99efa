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
	case editsMetadata(c.words):
		return config.ChangesMetadata
	}
	return ""
}

var (
	// formats is in a command that changes nothing but headers, white space and imports.
	formats = lazyregexp.New(`(?i)(^|[\s/@({])(addlicense|license-eye|copywrite|prettier|yamlfmt|gofmt|goimports(-reviser)?|gosimports|gofumpt|gofumports|gci|golangci[-_]?lint\S*\s([^|;&]*\s)?fmt)([\s)}@]|$)`)
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
	yq = lazyregexp.New(`(?i)^\W*yq([-_@]?v?[\d.]*)?\W*$`)
	// metadataExpression assigns to a field of the metadata, or removes one.
	metadataExpression = lazyregexp.New(`^\s*(\.metadata[.\[][^=,]*[^=,!<>]=[^=].*|del\(\.metadata[.\[][^,()]*\))\s*$`)
)

// commandWith is the first line of a script that matches.
func (d *discovery) commandWith(pattern *lazyregexp.Regexp) command {
	for _, t := range d.Texts {
		n := 0
		for line := range bytes.Lines(t.Data) {
			if n++; pattern.Match(bytes.TrimRight(line, "\r\n")) {
				return command{repo.At(t.Path, n), strings.Fields(string(line))}
			}
		}
	}
	return command{}
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
