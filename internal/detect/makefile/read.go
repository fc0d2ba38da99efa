// SPDX-License-Identifier: Apache-2.0

package makefile

import (
	"path"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/text/lazyregexp"
)

// reader reads the lines of one file.
type reader struct {
	*File
	path string
	line int
	rule *Rule // to which recipe lines belong
}

var (
	assignment = lazyregexp.New(`^((?:export|override|unexport|private)\s+)*([^\s:#=?+!$()]+|[^\s:#=?+!]*\$[({][^)}]*[)}][^\s:#=?+!]*)\s*(\?|:{1,3}|\+|!)?=\s*((?s).*)$`)
	directive  = lazyregexp.New(`^(-?include|sinclude|ifeq|ifneq|ifdef|ifndef|else|endif|define|endef|export|unexport|undefine|vpath|override\s+define)\b\s*((?s).*)$`)
)

// evaluated finds the variables that recipes set. Their values are not known: they change while make runs.
var evaluated = lazyregexp.New(`\$[({]eval\s+([\w.-]+)\s*[:?+]*=`)

// read reads a text line by line.
func (r *reader) read(text string) {
	for _, m := range evaluated.FindAllStringSubmatch(text, -1) {
		if r.vars[m[1]] == nil {
			r.set(m[1], "$("+m[1]+")")
		}
	}
	lines := strings.Split(text, "\n")
	open := len(r.pending)
	for i := 0; i < len(lines); i++ {
		r.line = i + 1
		line := lines[i]
		for strings.HasSuffix(line, "\\") && trailing(line)%2 == 1 && i+1 < len(lines) {
			i++
			line += "\n" + lines[i]
		}
		if name, how, ok := r.isDefine(line); ok {
			end := r.endOf(lines, i+1)
			r.assign(name, how, strings.Join(lines[i+1:end], "\n"))
			i = end
			continue
		}
		r.one(line)
	}
	r.pending = r.pending[:min(open, len(r.pending))]
	r.decide()
}

// trailing counts the backslashes at the end of a line.
func trailing(line string) int { return len(line) - len(strings.TrimRight(line, "\\")) }

// isDefine reports whether a line begins a variable of several lines.
func (r *reader) isDefine(line string) (name, how string, ok bool) {
	m := directive.FindStringSubmatch(strings.TrimSpace(line))
	if m == nil || !strings.HasSuffix(m[1], "define") || m[1] == "undefine" || strings.HasPrefix(line, "\t") {
		return "", "", false
	}
	words := strings.Fields(withoutComment(m[2]))
	if len(words) == 0 {
		return "", "", false
	}
	if len(words) > 1 {
		how = strings.TrimSuffix(words[1], "=")
	}
	return r.expand(words[0], nil), how, true
}

// endOf is the line of the endef that belongs to a define.
func (r *reader) endOf(lines []string, from int) int {
	depth := 1
	for i := from; i < len(lines); i++ {
		switch word, _, _ := strings.Cut(strings.TrimSpace(lines[i]), " "); word {
		case "define":
			depth++
		case "endef":
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return len(lines)
}

// one reads a line with those that continue it.
func (r *reader) one(line string) {
	if strings.HasPrefix(line, "\t") && r.rule != nil {
		if r.active() {
			r.rule.Recipe = append(r.rule.Recipe, Place{r.path, r.line, line[1:]})
		}
		return
	}
	line = strings.TrimSpace(joined(withoutComment(line)))
	if line == "" {
		return
	}
	if m := directive.FindStringSubmatch(line); m != nil && !assigns(m[2]) {
		if !r.condition(m[1], m[2]) && r.active() {
			r.direct(m[1], m[2])
		}
		return
	}
	if !r.active() {
		return
	}
	if m := assignment.FindStringSubmatch(line); m != nil {
		r.rule = nil
		name := r.expand(m[2], nil)
		if strings.Contains(m[0][:strings.Index(m[0], m[2])], "export") {
			r.export(name)
		}
		r.assign(name, m[3], m[4])
		return
	}
	r.target(line)
}

// assigns reports whether what follows a word is the rest of an assignment: a variable may be named as a directive.
func assigns(rest string) bool {
	return strings.HasPrefix(rest, "=") || strings.HasPrefix(rest, ":=") || strings.HasPrefix(rest, "?=") || strings.HasPrefix(rest, "+=") || strings.HasPrefix(rest, ":")
}

// direct carries out a directive other than a condition.
func (r *reader) direct(name, rest string) {
	switch name {
	case "include", "-include", "sinclude":
		for _, pattern := range strings.Fields(r.expand(rest, nil)) {
			r.includeAll(pattern, name == "include")
		}
	case "export":
		if m := assignment.FindStringSubmatch(rest); m != nil {
			r.assign(r.expand(m[2], nil), m[3], m[4])
			rest = m[2]
		}
		for _, name := range strings.Fields(r.expand(rest, nil)) {
			r.export(name)
		}
	case "undefine":
		delete(r.vars, r.expand(rest, nil))
	}
}

func (r *reader) export(name string) {
	if !slices.Contains(r.exported, name) {
		r.exported = append(r.exported, name)
	}
}

// includeAll includes the files of a pattern, which is relative to the directory in which make runs.
func (r *reader) includeAll(pattern string, must bool) {
	root := r.root()
	file := pattern
	if !path.IsAbs(file) {
		file = path.Join(r.dir, file)
	}
	file, inside := strings.CutPrefix(path.Clean(file), root+"/")
	var all []string
	if inside && !strings.Contains(file, "$") {
		all = []string{file}
		if strings.ContainsAny(file, "*?[") {
			all = r.sys.Glob(file)
		}
	}
	for _, file := range all {
		if _, ok := r.sys.Read(file); ok {
			r.include(file)
			continue
		}
		all = nil
	}
	if len(all) == 0 && must {
		r.Missing = append(r.Missing, Place{r.path, r.line, pattern})
	}
}

// target reads the line of a rule, or of a variable of some targets.
func (r *reader) target(line string) {
	i := colon(line)
	if i < 0 {
		r.rule = nil
		r.expand(line, nil) // a call for its effect, such as $(eval), which is not carried out
		return
	}
	targets := strings.Fields(r.expand(line[:i], nil))
	rest := strings.TrimLeft(line[i:], ":")
	if len(targets) == 0 {
		r.rule = nil
		return
	}
	if m := assignment.FindStringSubmatch(strings.TrimSpace(rest)); m != nil {
		r.rule = nil
		value := m[4]
		if m[3] == ":" || m[3] == "::" {
			value = escape(r.expand(value, nil))
		}
		for _, t := range targets {
			r.variableOf(t, r.expand(m[2], nil), value)
		}
		return
	}
	needs, recipe, has := strings.Cut(rest, ";")
	needs = strings.ReplaceAll(r.expand(needs, nil), "|", " ")
	rule := &Rule{Place: Place{r.path, r.line, line}, Targets: targets, Needs: strings.Fields(needs), Maybe: r.maybe}
	if j := strings.Index(needs, ":"); j >= 0 && strings.Contains(needs, "%") { // a static pattern: targets: %.a: %.b
		rule.Needs = strings.Fields(needs[j+1:])
	}
	if has {
		rule.Recipe = append(rule.Recipe, Place{r.path, r.line, strings.TrimSpace(recipe)})
	}
	r.rule = rule
	switch targets[0] {
	case ".ONESHELL":
		r.OneShell = true
	case ".PHONY", ".SUFFIXES", ".PRECIOUS", ".SECONDARY", ".INTERMEDIATE", ".DELETE_ON_ERROR", ".NOTPARALLEL", ".SECONDEXPANSION", ".EXPORT_ALL_VARIABLES":
	default:
		r.Rules = append(r.Rules, rule)
	}
}

// variableOf sets a variable of one target, in a rule without a recipe and in those that follow; see merge.
func (r *reader) variableOf(target, name, value string) {
	for _, rule := range r.Rules {
		if slices.Contains(rule.Targets, target) {
			if rule.Vars == nil {
				rule.Vars = map[string]string{}
			}
			rule.Vars[name] = value
			return
		}
	}
	r.Rules = append(r.Rules, &Rule{Place: Place{r.path, r.line, ""}, Targets: []string{target}, Vars: map[string]string{name: value}})
}

// colon is the place of the colon after targets, outside of variables, or -1.
func colon(line string) int {
	depth := 0
	for i := range len(line) {
		switch line[i] {
		case '(', '{':
			depth++
		case ')', '}':
			depth = max(depth-1, 0)
		case ':':
			if depth == 0 {
				return i
			}
		}
	}
	return -1
}

// joined is a line with those that continue it as one.
func joined(line string) string {
	parts := strings.Split(line, "\\\n")
	for i := range parts[1:] {
		parts[i+1] = strings.TrimLeft(parts[i+1], " \t")
		parts[i] = strings.TrimRight(parts[i], " \t")
	}
	return strings.Join(parts, " ")
}

// withoutComment cuts off a comment.
func withoutComment(line string) string {
	for i := range len(line) {
		if line[i] == '#' && (i == 0 || line[i-1] != '\\') {
			return line[:i]
		}
	}
	return line
}
