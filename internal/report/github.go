// SPDX-License-Identifier: Apache-2.0

package report

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/crdctl/crdctl/internal/text/lazyregexp"
)

// GitHub returns the report as workflow commands, which GitHub Actions turns into annotations of the files. The summary
// comes first: of all commands of a step, only the first ten are shown outside of the log.
func (r Report) GitHub() []byte {
	var b strings.Builder
	if len(r.Changes) > 0 {
		b.WriteString(command("error", r.Summary(), "title", "crdctl verify"))
	}
	for _, c := range r.Changes {
		b.WriteString(command("error", message(c),
			"file", r.Prefix+c.Path, "line", fmt.Sprint(firstDifference(c).line), "title", string(KindOf(c.Op))+" generated file"))
	}
	if r.Outdated != "" {
		b.WriteString(command("warning", r.Outdated, "title", "crdctl verify"))
	}
	for _, n := range r.Asides() {
		b.WriteString(command("notice", n, append(r.placeOf(n), "title", "crdctl verify")...))
	}
	if len(r.Changes) == 0 {
		b.WriteString(r.Summary() + "\n")
	}
	if r.Check != nil {
		b.Write(r.Check.GitHub())
	}
	return []byte(b.String())
}

// placed is what a note about a line of a file begins with.
var placed = lazyregexp.New(`^([^\s:]+\.\w+):(\d+):(?:(\d+):)? `)

// placeOf are the properties of the place that a note begins with, if it does.
func (r Report) placeOf(note string) (properties []string) {
	m := placed.FindStringSubmatch(note)
	if m == nil || !filepath.IsLocal(filepath.FromSlash(m[1])) {
		return nil
	}
	properties = []string{"file", r.Prefix + m[1], "line", m[2]}
	if m[3] != "" {
		properties = append(properties, "col", m[3])
	}
	return properties
}

// command is a workflow command: a line that the runner takes out of the output of a step. Properties are names and
// values in turn.
func command(name, message string, properties ...string) string {
	var b strings.Builder
	b.WriteString("::" + name)
	for i := 0; i+1 < len(properties); i += 2 {
		separator := ","
		if i == 0 {
			separator = " "
		}
		b.WriteString(separator + properties[i] + "=" + escapeProperty(properties[i+1]))
	}
	b.WriteString("::" + escapeData(message) + "\n")
	return b.String()
}

// escapeData escapes what would end the command or stand for something else.
func escapeData(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(s)
}

// escapeProperty escapes what would end the value of a property, too.
func escapeProperty(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C").Replace(s)
}
