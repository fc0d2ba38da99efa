// SPDX-License-Identifier: Apache-2.0

package cmd_test

import (
	"bytes"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/cmd"
	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/safefs/safefstest"
	"github.com/crdctl/crdctl/internal/ui"
)

// The tables of docs/settings.md are made of the settings; -update writes them.
func TestSettingsPage(t *testing.T) {
	const page = "../docs/settings.md"
	is := func(prefix string) func(config.Setting) bool {
		return func(s config.Setting) bool { return strings.HasPrefix(s.Field, prefix) }
	}
	text := withTable(t, safefstest.Read(t, page), "The built-in loop", "", is("loop."))
	text = withTable(t, text, "A client tree", "clients[0].", is("clients[0]."))
	text = withTable(t, text, "The API reference", "", is("docs."))
	text = withTable(t, text, "The project", "", func(s config.Setting) bool {
		return !is("loop.")(s) && !is("docs.")(s) && !is("clients[0].")(s)
	})
	hold(t, page, text)
}

// docs/commands.md is made of the commands; -update writes it.
func TestCommandsPage(t *testing.T) {
	var page, errors bytes.Buffer
	code := cmd.Main([]string{"gendocs", "markdown"}, ui.Streams{Out: &page, Err: &errors}, nil)
	require.Zero(t, code, errors.String())
	hold(t, "../docs/commands.md", page.String())
}

// docs/rules.md has the rules that there are.
func TestRulesPage(t *testing.T) {
	var page, errors bytes.Buffer
	code := cmd.Main([]string{"gendocs", "rules"}, ui.Streams{Out: &page, Err: &errors}, nil)
	require.Zero(t, code, errors.String())
	hold(t, "../docs/rules.md", page.String())
}

// hold holds a page to what the code makes of it, or writes that.
func hold(t *testing.T, page, text string) {
	t.Helper()
	data, err := os.ReadFile(page)
	switch {
	case *update:
		require.NoError(t, os.WriteFile(page, []byte(text), 0o644))
	case err != nil || string(data) != text:
		t.Errorf("%s is not what the code makes; run the test with -update", page)
	}
}

// withTable replaces the table of a section.
func withTable(t *testing.T, text, section, prefix string, of func(config.Setting) bool) string {
	t.Helper()
	var table strings.Builder
	table.WriteString("| field | flag | default | meaning |\n|---|---|---|---|\n")
	for _, s := range config.Settings() {
		if !of(s) {
			continue
		}
		flag, words, meaning := "", s.Otherwise, s.Usage
		_, list := s.Value(&config.Project{Clients: make([]config.Client, 1)}).(*[]string)
		if _, isBool := s.Value(&config.Project{Clients: make([]config.Client, 1)}).(*bool); isBool {
			words = "`false`"
		}
		if s.Default != nil {
			words = "`" + s.DefaultText() + "`"
		}
		if s.Flag != "" {
			flag = "`--" + s.Flag + "`"
			if list && !s.Commas {
				flag += ", repeatable"
			}
		}
		if s.More != "" {
			meaning += "; " + s.More
		}
		fmt.Fprintf(&table, "| `%s` | %s | %s | %s |\n", strings.TrimPrefix(s.Field, prefix), flag, words, meaning)
	}
	at := regexp.MustCompile(`(?s)\n## ` + section + `\n.*?\n(\|.*?\|\n)\n`).FindStringSubmatchIndex(text)
	require.NotNil(t, at, "the page has no table in the section %q", section)
	return text[:at[2]] + table.String() + text[at[3]:]
}
