// SPDX-License-Identifier: Apache-2.0

package cmd

import (
	"regexp"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/ui"
)

// shownFlag is the line that help has for a flag: its name, the name of its value, and its text with what pflag adds to it.
var shownFlag = regexp.MustCompile(`^ +(?:-\w, )?--[\w-]+(?: \S+)? {3,}(\S.*)\n$`)

// The text of a flag, with its default, has at most 80 characters, so that help stays a list that one can scan.
func TestFlagTexts(t *testing.T) {
	n := 0
	var walk func(*cobra.Command)
	walk = func(c *cobra.Command) {
		c.NonInheritedFlags().VisitAll(func(f *pflag.Flag) {
			if f.Hidden {
				return
			}
			n++
			alone := pflag.NewFlagSet("", pflag.ContinueOnError)
			alone.AddFlag(f)
			shown := shownFlag.FindStringSubmatch(alone.FlagUsages())
			require.NotNil(t, shown, alone.FlagUsages())
			assert.LessOrEqual(t, utf8.RuneCountInString(shown[1]), 80, "%s --%s: %s", c.CommandPath(), f.Name, shown[1])
		})
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk(newRoot(ui.Streams{}, nil))
	assert.Greater(t, n, 100, "few flags were found")
}
