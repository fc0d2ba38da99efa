// SPDX-License-Identifier: Apache-2.0

package detect

import (
	"bytes"
	"path"
	"strings"

	"github.com/crdctl/crdctl/internal/detect/repo"
	"github.com/crdctl/crdctl/internal/text"
	"github.com/crdctl/crdctl/internal/text/lazyregexp"
)

// command is a line of a script.
type command struct {
	at    string // its place, or "" if there is none
	words []string
}

// String is the command as the settings have it.
func (c command) String() string {
	if c.at == "" {
		return ""
	}
	return c.at + ": " + short(c.words)
}

// commandWith is the first line of a script that matches, with its place; "" if there is none.
func (d *discovery) commandWith(pattern *lazyregexp.Regexp) string {
	return d.lineWith(pattern).String()
}

func (d *discovery) lineWith(pattern *lazyregexp.Regexp) command {
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

// namesOthers reports whether a command names files or directories, of which none has a file.
func (d *discovery) namesOthers(c command, file string) bool {
	others := false
	for _, word := range c.words {
		switch name := path.Clean(word); {
		case text.Below(name, file):
			return false
		case d.Exists(name):
			others = true
		}
	}
	return others
}
