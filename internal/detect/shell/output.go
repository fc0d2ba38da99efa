// SPDX-License-Identifier: Apache-2.0

package shell

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// output is what commands print, as far as they only make paths and words.
func (s *state) output(list []*syntax.Stmt) (out string, ok bool) {
	sub := s.clone()
	sub.out = &Script{}
	for _, st := range list {
		if ok = sub.depth < maxDepth && s.spend(1) && sub.print(st, &out); !ok {
			return "", false
		}
	}
	return out, ok && !strings.Contains(out, "$")
}

// print reports whether it is known what a command prints.
func (s *state) print(st *syntax.Stmt, out *string) bool {
	switch c := st.Cmd.(type) {
	case *syntax.BinaryCmd:
		return s.printBoth(c, out)
	case *syntax.CallExpr:
		return s.printCall(c, out)
	}
	return false
}

// printBoth is print for two commands that are joined by a pipe, && or ||.
func (s *state) printBoth(c *syntax.BinaryCmd, out *string) bool {
	if c.Op == syntax.Pipe {
		return s.print(c.X, out) && s.filter(c.Y, out)
	}
	if name := s.lookedUp(c.X); name != "" && c.Op == syntax.OrStmt {
		*out = name // wherever it is
		return true
	}
	if exists, known := s.exists(c.X); known {
		return exists == (c.Op == syntax.OrStmt) || s.print(c.Y, out)
	}
	if and, ok := c.X.Cmd.(*syntax.BinaryCmd); ok && c.Op == syntax.OrStmt && and.Op == syntax.AndStmt {
		if exists, known := s.exists(and.X); known && !exists {
			return s.print(c.Y, out)
		}
	}
	return (c.Op == syntax.AndStmt || c.Op == syntax.OrStmt) && s.print(c.X, out) && (c.Op == syntax.OrStmt || s.print(c.Y, out))
}

// printCall is print for a simple command.
func (s *state) printCall(c *syntax.CallExpr, out *string) bool {
	words := append(s.words(c), "")
	first, last := words[0], words[max(0, len(words)-2)]
	switch path.Base(first) {
	case "cd", "pushd":
		s.dir = s.abs(last)
	case "pwd":
		*out = s.dir
	case "dirname":
		*out = path.Dir(last)
	case "basename":
		*out = path.Base(last)
	case "realpath", "readlink":
		*out = s.abs(last)
	case "echo":
		*out = strings.TrimSpace(strings.Join(words[1:], " "))
	case "printf": // the format once for each argument
		args := slices.DeleteFunc(words[1:len(words)-1], func(w string) bool { return w == "--" })
		if len(args) < 2 || strings.Count(args[0], "%") != 1 || !strings.Contains(args[0], "%s") || strings.Contains(args[0], `\`) {
			return false
		}
		for _, arg := range args[1:] {
			*out += strings.Replace(args[0], "%s", arg, 1)
		}
	case "git":
		if words[1] == "check-ignore" {
			*out = "" // a clean clone lacks what git ignores
			return true
		}
		*out = Root
		return last == "--show-toplevel"
	default:
		if s.other != nil && len(words) > 1 { // an assignment alone has no words
			if printed, ok := s.other(words[:len(words)-1], s.dir); ok {
				*out = printed
				return true
			}
		}
		return first == "" || first == "unset" || first == "set" || first == "true"
	}
	return true
}

// lookedUp is the program that a command looks for in PATH, as "command -v NAME" does, or "".
func (s *state) lookedUp(st *syntax.Stmt) string {
	c, ok := st.Cmd.(*syntax.CallExpr)
	if !ok || st.Negated {
		return ""
	}
	if words := s.words(c); len(words) == 3 && words[0] == "command" && words[1] == "-v" || len(words) == 2 && words[0] == "which" {
		return words[len(words)-1]
	}
	return ""
}

// exists reports whether the directory or file exists that a command tests for, as [ -d DIR ] does; known is false where that is another command,
// or the path is not one of the repository.
func (s *state) exists(st *syntax.Stmt) (exists, known bool) {
	c, ok := st.Cmd.(*syntax.CallExpr)
	if !ok || s.other == nil || st.Negated {
		return false, false
	}
	words := s.words(c)
	if len(words) == 4 && words[0] == "[" && words[3] == "]" {
		words = append([]string{"test"}, words[1:3]...)
	}
	if len(words) != 3 || words[0] != "test" || !slices.Contains([]string{"-d", "-e", "-f"}, words[1]) {
		return false, false
	}
	p := s.abs(words[2])
	if strings.ContainsAny(p, "$`*?") || p != Root && !strings.HasPrefix(p, Root+"/") {
		return false, false
	}
	_, exists = s.other([]string{"ls", "-d", p}, s.dir)
	return exists, true
}

// trimsSlash reports whether an expression of sed takes the slash at the end of a directory away. In those of makefiles of before make 4.3 there is
// a backslash before each #, which newer ones keep.
func trimsSlash(expression string) bool {
	expression = strings.ReplaceAll(expression, `\#`, "#")
	if len(expression) < 2 || expression[0] != 's' {
		return false
	}
	end := expression[1:2]
	pattern, ok := strings.CutSuffix(expression[2:], end+end)
	return ok && !strings.HasPrefix(pattern, end) && slices.Contains([]string{"/$", `\/$`, "/*$", `\/*$`}, pattern)
}

// filter reports whether it is known what a command prints that is given a text: grep -v of words, a directory without the slash at its end, and what
// only filters, of nothing.
func (s *state) filter(st *syntax.Stmt, out *string) bool {
	c, ok := st.Cmd.(*syntax.CallExpr)
	if !ok {
		return false
	}
	words := append(s.words(c), "")
	if *out == "" {
		return slices.Contains([]string{"grep", "sed", "sort", "tr"}, path.Base(words[0]))
	}
	words = words[:len(words)-1]
	if n := len(words); (n == 2 || n == 3 && words[1] == "-e") && path.Base(words[0]) == "sed" && trimsSlash(words[n-1]) {
		*out = strings.TrimSuffix(*out, "/")
		return true
	}
	if len(words) < 2 || path.Base(words[0]) != "grep" || words[1] != "-v" {
		return false
	}
	var kept []string
	patterns := slices.DeleteFunc(slices.Clone(words[2:]), func(w string) bool { return w == "-e" })
	for line := range strings.SplitSeq(*out, "\n") {
		if !slices.ContainsFunc(patterns, func(p string) bool { return strings.Contains(line, p) }) {
			kept = append(kept, line)
		}
	}
	*out = strings.Join(kept, "\n")
	return !slices.ContainsFunc(patterns, func(p string) bool { return regexp.QuoteMeta(p) != p })
}
