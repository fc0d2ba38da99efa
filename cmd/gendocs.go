// SPDX-License-Identifier: Apache-2.0

//go:build crdctl_gendocs || (!crdctl_codegen && !crdctl_loop)

package cmd

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"github.com/crdctl/crdctl/internal/check/rule"
	"github.com/crdctl/crdctl/internal/ui"
)

// newGenDocs returns the hidden command that makes the reference of all commands and rules: docs/commands.md and docs/rules.md, which tests
// compare with it, and the man pages of a release. A release makes those of the small builds by builds with the tag crdctl_gendocs, so that
// the small builds do not link what writes man pages.
func newGenDocs(s ui.Streams) []*cobra.Command {
	c := newGroup("gendocs", "Generate the reference of all commands and rules",
		&cobra.Command{
			Use:   "markdown",
			Short: "Print docs/commands.md",
			Args:  noArgs,
			RunE:  func(c *cobra.Command, _ []string) error { return writeMarkdown(s.Out, c.Root()) },
		},
		&cobra.Command{
			Use:   "rules",
			Short: "Print docs/rules.md",
			Args:  noArgs,
			RunE:  func(*cobra.Command, []string) error { return writeRules(s.Out) },
		},
		&cobra.Command{
			Use:   "man DIR",
			Short: "Write man pages to a directory",
			Args:  cobra.ExactArgs(1),
			RunE: func(c *cobra.Command, args []string) error {
				if err := os.MkdirAll(args[0], 0o755); err != nil {
					return err
				}
				c.Root().DisableAutoGenTag = true // a date, which would differ from build to build
				return doc.GenManTree(c.Root(), &doc.GenManHeader{Title: "CRDCTL", Section: "1", Source: "crdctl " + Version()}, args[0])
			},
		})
	c.Hidden = true
	return []*cobra.Command{c}
}

// Parts of cobra's page of a command that one page of all has once, or not at all.
var (
	seeAlso = regexp.MustCompile(`(?s)### SEE ALSO\n.*$`)
	shared  = regexp.MustCompile(`(?s)### Options inherited from parent commands\n.*$`)
	ownHelp = regexp.MustCompile(`(?m)^  -h, --help +help for .*\n`)
	nothing = "### Options\n\n```\n```\n\n"
)

const pageHead = `# Commands

Generated from the code; ` + "`go test ./cmd -run TestCommandsPage -update`" + ` writes it. Every command also takes the options of [crdctl](#crdctl).

`

// writeMarkdown prints one page about all commands.
func writeMarkdown(w io.Writer, root *cobra.Command) error {
	page := bytes.NewBufferString(pageHead)
	if err := appendMarkdown(page, root); err != nil {
		return err
	}
	_, err := w.Write(append(bytes.TrimRight(page.Bytes(), "\n"), '\n'))
	return err
}

// appendMarkdown appends the section of a command, and those of its subcommands.
func appendMarkdown(page *bytes.Buffer, c *cobra.Command) error {
	if c.Hidden || c.Name() == "help" && c.Parent() != c.Root() { // which cobra's generator adds to each command with subcommands
		return nil
	}
	c.DisableAutoGenTag = true // a date
	var own bytes.Buffer
	if err := doc.GenMarkdown(c, &own); err != nil {
		return err
	}
	text := seeAlso.ReplaceAllString(own.String(), "")
	text = shared.ReplaceAllString(text, "")
	text = ownHelp.ReplaceAllString(text, "")
	page.WriteString(strings.Replace(text, nothing, "", 1))
	for _, sub := range c.Commands() {
		if err := appendMarkdown(page, sub); err != nil {
			return err
		}
	}
	return nil
}

const rulesHead = `# Rules

The rules of [crdctl check](check.md) and [crdctl doctor](doctor.md). ` + "`crdctl check --explain RULE`" + ` prints the page of one, with an example of what it finds and of
what it does not. Generated from these pages; ` + "`go test ./cmd -run TestRulesPage -update`" + ` writes it.
`

// writeRules prints one page with a table of the rules of each family.
func writeRules(w io.Writer) error {
	page := bytes.NewBufferString(rulesHead)
	family := rule.Family("")
	for _, r := range rule.All() {
		if r.Family != family {
			family = r.Family
			head, line := "| rule | severity | what it finds |", "|---|---|---|"
			if family == rule.Compat {
				head, line = "| rule | severity | category | what it finds |", "|---|---|---|---|"
			}
			_, _ = fmt.Fprintf(page, "\n## %s\n\n%s\n%s\n", family, head, line)
		}
		severity := r.Severity.String()
		if family == rule.Compat {
			severity += " | " + string(r.Category)
		}
		_, _ = fmt.Fprintf(page, "| [%s](../internal/check/rule/pages/%s/%s.md) | %s | %s |\n", r.ID, r.Family, r.ID, severity, strings.ReplaceAll(r.Title, "|", "\\|"))
	}
	_, err := w.Write(page.Bytes())
	return err
}
