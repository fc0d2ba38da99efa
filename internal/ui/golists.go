package ui

import (
	"fmt"
	"regexp"
	"strings"
)

// aboutModule is a line that the go command prints once for each module: a fresh project requires some 70. Those about a vendor
// directory begin with a module and its version.
var aboutModule = regexp.MustCompile(`^\s*\S+@\S+: is |missing go\.sum entry`)

// modulesShown is how many such lines are printed.
const modulesShown = 5

// ShortenGo cuts long lists of modules in the output of a go command, and returns a hint where such a list is about the
// vendor directory: what the go command itself recommends is not all that helps.
func ShortenGo(output string) (short, hint string) {
	var all []string
	listed, at := 0, -1 // at is where the number of those that are left out goes
	leaving := false
	for line := range strings.SplitSeq(output, "\n") {
		switch {
		case aboutModule.MatchString(line):
			if listed++; listed > modulesShown {
				if at < 0 {
					at = len(all)
					all = append(all, "")
				}
				leaving = true
				continue
			}
		case leaving && strings.Contains(line, "go get "):
			continue // belongs to the line before
		}
		leaving = false
		all = append(all, line)
	}
	if at >= 0 {
		all[at] = fmt.Sprintf("\t... and %d more like these", listed-modulesShown)
	}
	if strings.Contains(output, "inconsistent vendoring") {
		hint = "run \"go mod vendor\"; or have the vendor directory ignored: GOFLAGS=-mod=readonly, in place of GOFLAGS=-mod=vendor if that is set"
	}
	return strings.Join(all, "\n"), hint
}
