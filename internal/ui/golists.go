// SPDX-License-Identifier: Apache-2.0

package ui

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// aboutModule is a line that the go command prints once for each module: a fresh project requires some 70. Those about a vendor
// directory begin with a module and its version.
var aboutModule = regexp.MustCompile(`^\s*\S+@\S+: is `)

// missingSum is a line about a module of which go.sum does not have the hash, and what it is about.
var missingSum = regexp.MustCompile(`missing go\.sum entry(?: for module providing package (\S+)|.* needed to .*package (\S+)| for (go\.mod file))?`)

// notHad is a line about a module that cannot be downloaded, of which the go command prints one for each import, or about an import of
// such a module.
var notHad = regexp.MustCompile(`(\S+@v\S+): (?:reading|Get|invalid version:|unrecognized import path) |\S+:\d+:\d+: module lookup disabled by `)

// cause is why modules cannot be downloaded: the line that has it, and how many more modules, or imports of them, it holds for.
type cause struct {
	at, more int
	what     string
}

// serverResponse begins what a proxy answered, on the line after that of the module.
const serverResponse = "server response: "

// reason is why a module cannot be downloaded, as the end of its line says.
func reason(line string) string { return line[strings.LastIndex(line, ": ")+1:] }

// modulesShown is how many lines about modules are printed.
const modulesShown = 5

// ShortenGo cuts long lists of modules in the output of a go command in dir, and returns a hint where such a list is about the
// vendor directory, go.sum or modules that cannot be downloaded: what the go command itself recommends is not all that helps.
func ShortenGo(dir, output string) (short, hint string) {
	var all []string
	listed, at := 0, -1 // at is where the number of those that are left out goes
	leaving := false
	missing, first := 0, ""
	unavailable := map[string]bool{}
	causes := map[string]*cause{}
	var last *cause // of the line before
	for line := range strings.SplitSeq(output, "\n") {
		sum, absent := missingSum.FindStringSubmatch(line), notHad.FindStringSubmatch(line)
		switch {
		case sum != nil:
			if missing++; missing == 1 {
				first = strings.Join(sum[1:], "")
				at = len(all)
				all = append(all, "")
			}
			leaving = true
			continue
		case absent != nil:
			what := "module"
			if absent[1] == "" {
				what, absent[1] = "import", absent[0]
			}
			last = causes[reason(line)]
			if last != nil && !unavailable[absent[1]] {
				last.more++
			}
			leaving = last != nil
			unavailable[absent[1]] = true
			if leaving {
				continue
			}
			last = &cause{at: len(all), what: what}
			causes[reason(line)] = last
			all = append(all, line)
			continue
		case aboutModule.MatchString(line):
			if listed++; listed > modulesShown {
				if at < 0 {
					at = len(all)
					all = append(all, "")
				}
				leaving = true
				continue
			}
		case leaving && (strings.Contains(line, "go get ") || strings.Contains(line, "go mod download") || strings.Contains(line, serverResponse)):
			continue // belongs to the line before
		case last != nil && strings.Contains(line, serverResponse):
			all[last.at] += " (" + strings.TrimSpace(line) + ")"
			continue
		}
		leaving, last = false, nil
		all = append(all, line)
	}
	switch {
	case missing > 0:
		all[at] = sumLine(missing, first)
		hint = "run \"go mod tidy\""
		if withoutSum(dir) {
			all[at] = "go.sum does not exist, and the build needs it"
			hint = "run \"go mod tidy\", which creates it"
		}
	case len(unavailable) > 0:
		for _, c := range causes {
			switch c.more {
			case 0:
			case 1:
				all[c.at] += ", and so another " + c.what
			default:
				all[c.at] += fmt.Sprintf(", and so %d more %ss", c.more, c.what)
			}
		}
		hint = "run \"go mod download\" where the module can be downloaded; GOPROXY and GOPRIVATE name where from"
	case at >= 0:
		all[at] = fmt.Sprintf("\t... and %d more like these", listed-modulesShown)
	}
	if strings.Contains(output, "inconsistent vendoring") {
		hint = "run \"go mod vendor\", or set GOFLAGS=-mod=readonly to ignore the vendor directory"
	}
	return strings.Join(all, "\n"), hint
}

// withoutSum reports whether dir is that of a module without a go.sum. The go command has the same words for that as for a go.sum that lacks
// an entry.
func withoutSum(dir string) bool {
	_, mod := os.Stat(filepath.Join(dir, "go.mod"))
	_, sum := os.Lstat(filepath.Join(dir, "go.sum"))
	return mod == nil && os.IsNotExist(sum)
}

// sumLine is the one line that replaces those about go.sum.
func sumLine(missing int, first string) string {
	line := fmt.Sprintf("go.sum lacks %d entries that the build needs", missing)
	if missing == 1 {
		line = "go.sum lacks an entry that the build needs"
	}
	if first != "" && first != "go.mod file" {
		line += "; it has none for the module of " + first
	}
	return line
}
