// SPDX-License-Identifier: Apache-2.0

package shell

import (
	"path"
	"slices"
	"strings"
)

// IsShell reports whether a word starts a shell.
func IsShell(word string) bool {
	return slices.Contains([]string{"sh", "bash", "zsh"}, path.Base(word))
}

// Nested are the commands of the text that a command gives a shell: sh -c TEXT, also where a container runs the shell. They count as
// in the command's line and directory; file is the one that has it. Programs that fill the text in, such as xargs, have none.
func (c Command) Nested(file string) (nested []Command, ok bool) {
	text, ok := textOf(c.Words)
	if !ok {
		return nil, false
	}
	for _, inner := range ReadCall(file, text, c.Dir, Call{Env: c.Env}).Commands {
		inner.Line = c.Line
		nested = append(nested, inner)
	}
	return nested, true
}

// fills are programs that print the text, or fill something in.
var fills = []string{"echo", "printf", "find", "xargs"}

// textOf is what the first shell among words is given with -c.
func textOf(words []string) (string, bool) {
	i := slices.IndexFunc(words, IsShell)
	if i < 0 || slices.Contains(fills, path.Base(words[0])) {
		return "", false
	}
	given := false
	for i++; i < len(words); i++ {
		option := strings.TrimPrefix(words[i], "-")
		switch {
		case option == words[i] || strings.HasPrefix(option, "-"):
			return words[i], given && option == words[i]
		case strings.HasSuffix(option, "o"):
			i++ // its value, as in -o pipefail
		}
		given = given || strings.Contains(option, "c")
	}
	return "", false
}
