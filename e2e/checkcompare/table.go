// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"path"
	"strings"
	"time"
)

// table prints what each program says of each change, and of how many.
func table(out io.Writer, all []*change) error {
	var b strings.Builder
	b.WriteString("| # | repository | commit | file | broken | crdctl | crdify | crd-schema-checker |\n|---|---|---|---|---|---|---|---|\n")
	for i, c := range all {
		fields := c.broken()
		_, _ = fmt.Fprintf(&b, "| %d | %s | %.9s | %s | %d | %s | %s | %s |\n", i+1, c.repo, c.commit, path.Base(c.file), len(fields), c.crdctl.short(fields), c.crdify.short(fields), c.checker.short(fields))
	}
	for _, p := range []struct {
		name string
		of   func(*change) verdict
	}{
		{"crdctl", func(c *change) verdict { return c.crdctl }}, {"crdify", func(c *change) verdict { return c.crdify }},
		{"crd-schema-checker", func(c *change) verdict { return c.checker }},
	} {
		var took, cpu time.Duration
		fails, broken, found, others, troubles := 0, 0, 0, 0, 0
		for _, c := range all {
			v, fields := p.of(c), c.broken()
			took, cpu = took+v.took, cpu+v.cpu
			if len(v.errors) > 0 {
				fails++
			}
			if v.trouble != "" {
				troubles++
			}
			f, o := v.finds(fields)
			broken, found, others = broken+len(fields), found+f, others+o
		}
		_, _ = fmt.Fprintf(&b, "\n%s: %d of %d changes fail, %d without a verdict; finds %d of %d broken fields; %d other errors; %.1fs, of which %.1fs of processors\n",
			p.name, fails, len(all), troubles, found, broken, others, took.Seconds(), cpu.Seconds())
	}
	_, err := io.WriteString(out, b.String())
	return err
}

// short is a verdict in a cell: how many of the fields that break it names, and how many errors it has about others.
func (v verdict) short(fields []string) string {
	if v.trouble != "" {
		return "cannot tell"
	}
	found, others := v.finds(fields)
	cell := "–"
	if len(fields) > 0 {
		cell = fmt.Sprint(found)
	}
	if others > 0 {
		cell += fmt.Sprintf(" + %d", others)
	}
	return cell
}

// details are all lines about a change.
func (c *change) details(number int) string {
	var b strings.Builder
	_, _ = fmt.Fprintf(&b, "## %d %s %s %s\n", number, c.repo, c.commit, c.file)
	for _, p := range []struct {
		name string
		verdict
	}{{"crdctl", c.crdctl}, {"crdify", c.crdify}, {"crd-schema-checker", c.checker}} {
		if p.trouble != "" {
			_, _ = fmt.Fprintf(&b, "%s cannot tell: %s\n", p.name, p.trouble)
		}
		for _, line := range p.errors {
			_, _ = fmt.Fprintf(&b, "%s ERROR %s\n", p.name, line)
		}
		for _, line := range p.others {
			_, _ = fmt.Fprintf(&b, "%s       %s\n", p.name, line)
		}
	}
	_, _ = fmt.Fprintf(&b, "broken %s\n", strings.Join(c.broken(), ", "))
	for _, w := range c.objects {
		_, _ = fmt.Fprintf(&b, "objects %s\n", w.what)
	}
	for _, line := range c.server {
		_, _ = fmt.Fprintf(&b, "server %s\n", line)
	}
	b.WriteString("\n")
	return b.String()
}
