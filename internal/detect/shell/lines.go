// SPDX-License-Identifier: Apache-2.0

package shell

import (
	"cmp"
	"path"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/crdctl/crdctl/internal/text/lazyregexp"
)

var (
	makeVariable = lazyregexp.New(`^(?:export\s+|override\s+)?([A-Za-z_][\w.@-]*)\s*(\?|:{1,3}|\+)?=\s*(.*)$`)
	makeName     = lazyregexp.New(`\$[({]([A-Za-z_]\w*)[)}]`)
	makeOther    = lazyregexp.New(`\$(?:[@<^?*+|%]|[({][\w.-]+[)}])`)
	makeTarget   = lazyregexp.New(`^([\w./-]+)\s*::?(?:[^=]|$)`) // of one target, which is no pattern
	// envDefault is the value of a variable of a justfile that the environment may set, and ends with what it is otherwise.
	envDefault = lazyregexp.New(`^env(?:_var_or_default)?\(\s*['"]\w+['"]\s*,\s*(['"][^'"]*['"])\s*\)\s*$`)
	// instruction is what stands before a command in a Dockerfile, in YAML, as of a Taskfile, or in TOML, as of mise.
	instruction = lazyregexp.New(`^\s*(RUN(\s+--\S+)*|-\s+cmd:|-|@|cmd:|run\s*=)\s+`)
	// taskVariable sets a variable in a Taskfile or a justfile, and taskValue stands for its value, or for a default.
	taskVariable = lazyregexp.New(`^(?:\s+([A-Za-z_]\w*)\s*:|(?:export\s+)?([A-Za-z_]\w*)\s*:=)\s+(\S.*)$`)
	taskValue    = lazyregexp.New(`\{\{\s*\.?([A-Za-z_]\w*)\s*(?:\|\s*default\s+["']([^"'{}]*)["']\s*)?(?:\|[^{}]*)?\}\}`)
)

// logical calls f with each line and those that continue it, and the number of lines above.
func logical(src string, f func(line string, above int)) {
	line, above := "", 0
	for l := range strings.Lines(src + "\n") {
		line += l
		if !strings.HasSuffix(l, "\\\n") {
			f(strings.TrimSuffix(line, "\n"), above)
			above += strings.Count(line, "\n")
			line = ""
		}
	}
}

// lines reads a file in which a line may be a command, and need not be.
func (s *state) lines(src string) {
	dir := s.dir
	if strings.Contains(src, "{{") {
		src = s.templates(src)
	}
	logical(src, func(line string, above int) {
		s.line(unquoted(instruction.ReplaceAllString(line, "")), above)
		s.dir = dir
	})
}

// templates takes the variables of a Taskfile or a justfile, and puts those of the shell in their place, but for those that have several values, as
// in tasks of which each has its own.
func (s *state) templates(src string) string {
	s.set("ROOT_DIR", text(s.dir), 1)
	s.set("TASKFILE_DIR", text(path.Dir(s.file)), 1)
	only := map[string]string{} // the value of each, "" where there are several
	fromTask := func(line string) string {
		return taskValue.ReplaceAllStringFunc(line, func(value string) string {
			m := taskValue.FindStringSubmatch(value)
			if s.vars[m[1]].IsSet() {
				return "${" + m[1] + "}"
			}
			if v, found := only[m[1]]; found && v == "" {
				return "{{." + m[1] + "}}" // without what a shell takes for a pipe
			}
			return cmp.Or(m[2], value)
		})
	}
	logical(src, func(line string, _ int) {
		if v := taskVariable.FindStringSubmatch(line); v != nil {
			name, value := v[1]+v[2], envDefault.ReplaceAllString(v[3], "$1")
			if before, found := only[name]; found && before != value {
				value = ""
			}
			only[name] = value
		}
	})
	logical(src, func(line string, above int) {
		if v := taskVariable.FindStringSubmatch(line); v != nil && only[v[1]+v[2]] != "" {
			s.define(v[1]+v[2], "", fromTask(unquoted(envDefault.ReplaceAllString(v[3], "$1"))), above)
		}
	})
	return fromTask(src)
}

// unquoted is a command that stands in quotes, as in YAML and TOML.
func unquoted(command string) string {
	command = strings.TrimSpace(command)
	for quote, in := range map[string]string{`'`: `''`, `"`: `\"`} {
		if inner, ok := strings.CutPrefix(command, quote); ok {
			if inner, ok = strings.CutSuffix(inner, quote); ok {
				return strings.ReplaceAll(inner, in, quote)
			}
		}
	}
	return command
}

// line reads the commands of a line, if it has any.
func (s *state) line(src string, above int) {
	if list, err := parse(src); err == nil {
		s.src, s.base = src, above
		s.stmts(list)
	}
}

// makefile reads recipes, each line of which is a shell of its own, with the variables of all of the file.
func (s *state) makefile(src string) {
	logical(src, func(line string, above int) {
		if v := makeVariable.FindStringSubmatch(strings.ReplaceAll(line, "\\\n", " ")); v != nil {
			s.define(v[1], v[2], v[3], above)
		}
	})
	directory := strings.NewReplacer() // of the target, which is a file then
	logical(src, func(line string, above int) {
		if recipe, ok := strings.CutPrefix(line, "\t"); ok {
			sub := s.clone()
			sub.line(fromMake(directory.Replace(strings.TrimLeft(recipe, "\t @-+"))), above)
		} else if m := makeTarget.FindStringSubmatch(line); m != nil {
			directory = strings.NewReplacer("$(@D)", path.Dir(m[1]), "${@D}", path.Dir(m[1]))
		} else if strings.Contains(line, ":") && !makeVariable.MatchString(line) {
			directory = strings.NewReplacer()
		}
	})
}

// define gives a variable of make a value, with those that have one above.
func (s *state) define(name, op, value string, above int) {
	if op == "?" && s.vars[name].IsSet() {
		return
	}
	value, _, _ = strings.Cut(value, " #")
	value = fromMake(strings.ReplaceAll(value, `"`, ""))
	if w, err := syntax.NewParser().Document(strings.NewReader(value)); err == nil && w != nil {
		s.src, s.base = value, above
		value = s.literal(&syntax.Word{Parts: []syntax.WordPart{&syntax.DblQuoted{Parts: w.Parts}}})
	}
	if op == "+" {
		value = s.vars[name].String() + " " + value
	}
	s.set(name, text(strings.Join(strings.Fields(value), " ")), 1)
}

// fromMake puts a text of a makefile as the shell would: its variables become the shell's.
func fromMake(text string) string {
	text = strings.NewReplacer("$$", "\x00", "$(shell ", "\x00(", "$(if ", "\x00(_if ").Replace(text)
	text = makeOther.ReplaceAllString(makeName.ReplaceAllString(text, "\x00{$1}"), "\x00{_}")
	return strings.ReplaceAll(text, "\x00", "$")
}
