// SPDX-License-Identifier: Apache-2.0

package stories

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// fence is a block of a page: what follows its opening fence, and the lines in it.
var fence = regexp.MustCompile("(?ms)^```([a-z]+) ?([^\n]*)\n(.*?)^```$")

// follow does what a section of a page has its reader do. A block of the language
//   - console has commands, each after "$ ", and what they print. What "crdctl run" starts goes on until "^C", and is what
//     "output" is about. "crdctl kubectl get" is repeated, as a reader would, until it prints what the page has.
//   - output has what the program that goes on printed next.
//   - diff is applied.
//   - any other is written to the file that is named behind the language.
//
// An ellipsis stands for any text within a line, and as a line of its own for any lines.
func (s *script) follow(_ bool, args []string) {
	text, err := os.ReadFile(filepath.Join("../../docs", args[0]))
	s.ts.Check(err)
	_, section, found := strings.Cut(string(text), "\n## "+args[1]+"\n")
	if !found {
		s.ts.Fatalf("%s has no section %q", args[0], args[1])
	}
	section, _, _ = strings.Cut(section, "\n## ")
	for _, block := range fence.FindAllStringSubmatch(section, -1) {
		switch language, file, body := block[1], block[2], block[3]; language {
		case "console":
			for step := range strings.SplitSeq(strings.TrimPrefix(body, "$ "), "\n$ ") {
				command, prints, _ := strings.Cut(step, "\n")
				s.step(command, prints)
			}
		case "output":
			s.process("run").waitFor(pieces(body)...)
		case "diff":
			s.ts.Check(os.WriteFile(s.ts.MkAbs("step.patch"), []byte(body), 0o600))
			s.command(false, []string{"git", "apply", "--recount", "step.patch"})
			s.ts.Check(os.Remove(s.ts.MkAbs("step.patch")))
		default:
			s.ts.Check(os.WriteFile(s.ts.MkAbs(file), []byte(body), 0o600))
		}
	}
}

// step runs a command of a page, and holds that it prints what the page has.
func (s *script) step(command, prints string) {
	dir, enters := strings.CutPrefix(command, "cd ")
	background := strings.HasPrefix(command, "crdctl run ") && !strings.Contains(command, "--render") || command == "crdctl run"
	switch {
	case enters:
		s.ts.Check(s.ts.Chdir(dir))
	case command == "^C":
		run := s.process("run")
		s.end(run)
		run.waitFor(pieces(prints)...)
	case background:
		s.begin(false, append([]string{"run"}, strings.Fields(command)...))
		s.process("run").waitFor(pieces(prints)...)
	case strings.HasPrefix(command, "crdctl kubectl get "):
		s.until(command+" prints\n"+prints, func() bool {
			return s.exec([]string{"sh", "-c", command}) == nil && inOrder(s.ts.ReadFile("stdout"), pieces(prints))
		})
	default:
		err := s.exec([]string{"sh", "-c", command}) // one that the page shows to fail prints why
		if text := s.ts.ReadFile("stdout") + s.ts.ReadFile("stderr"); !inOrder(text, pieces(prints)) || err != nil && prints == "" {
			s.ts.Fatalf("%s: %v; it printed\n%s\nand the page has\n%s", command, err, text, prints)
		}
	}
}

// pieces are the parts of what a page shows that do not differ from run to run.
func pieces(shown string) (all []string) {
	for line := range strings.SplitSeq(shown, "\n") {
		for piece := range strings.SplitSeq(line, "…") {
			if piece = strings.TrimSpace(piece); piece != "" {
				all = append(all, piece)
			}
		}
	}
	return all
}

// inOrder reports whether a text has the parts, one after the other.
func inOrder(text string, parts []string) bool {
	for _, part := range parts {
		_, after, found := strings.Cut(text, part)
		if !found {
			return false
		}
		text = after
	}
	return true
}
