// SPDX-License-Identifier: Apache-2.0

//go:build !crdctl_codegen && !crdctl_loop

package cmd

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/crdctl/crdctl/internal/text"
	"github.com/crdctl/crdctl/internal/trace"
	"github.com/crdctl/crdctl/internal/ui"
	"github.com/crdctl/crdctl/internal/view/finding"
)

// findingsFlags are the flags of "crdctl view --findings".
type findingsFlags struct {
	print  bool
	output string
	failOn []string
}

func (f *findingsFlags) register(c *cobra.Command) {
	set := c.Flags()
	set.BoolVar(&f.print, "findings", false, "print what went wrong, and exit with 1 if anything did")
	set.StringVarP(&f.output, "output", "o", "text", "with --findings: `format` of the output: text or json")
	set.StringSliceVar(&f.failOn, "fail-on", nil, "with --findings: `types` of findings that make the exit code 1 (default: all)")
	// The flag is there, and nothing else can go wrong.
	_ = c.RegisterFlagCompletionFunc("fail-on", cobra.FixedCompletions(finding.Names(), cobra.ShellCompDirectiveNoFileComp))
}

func (f *findingsFlags) validate(set *pflag.FlagSet) error {
	for _, name := range []string{"output", "fail-on"} {
		if set.Changed(name) && !f.print {
			return ui.UsageErrorf("--%s requires --findings", name)
		}
	}
	if f.output != "text" && f.output != "json" {
		return ui.UsageErrorf("--output %q must be text or json", f.output)
	}
	if set.Changed("fail-on") && len(f.failOn) == 0 { // an empty variable of a CI system must not mean the default
		return ui.UsageErrorf("--fail-on is empty; name types of findings, or omit the flag")
	}
	for _, name := range f.failOn {
		if near, unknown := finding.Unknown(name); unknown {
			hint := "use some of " + strings.Join(finding.Names(), ", ")
			if near != "" {
				hint = fmt.Sprintf("did you mean %q? The types are %s", near, strings.Join(finding.Names(), ", "))
			}
			return ui.UsageErrorf("--fail-on %q is not a type of findings; %s", name, hint)
		}
	}
	return nil
}

// findingsDocument is the one object of -o json. Scripts read it: fields may come, none may go or change its meaning. See
// docs/view.md.
type findingsDocument struct {
	Recording    *trace.Header          `json:"recording"`
	Records      int64                  `json:"records"`
	Duration     int64                  `json:"duration"` // nanoseconds to the newest record
	Findings     []trace.Finding        `json:"findings"`
	Undetermined []finding.Undetermined `json:"undetermined"`
	Incomplete   string                 `json:"incomplete,omitempty"` // why the file can have less than what was recorded
}

// viewFindings prints what went wrong in a recording.
func viewFindings(ctx context.Context, s ui.Streams, f findingsFlags, v *viewed) error {
	d, err := findingsOf(ctx, v)
	if err != nil {
		return fmt.Errorf("%s: %w", v.name, err)
	}
	if v.file != nil && v.file.CutOff() != nil {
		d.Incomplete = v.file.CutOff().Error()
	}
	if f.output == "json" {
		e := json.NewEncoder(s.Out)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		if err := e.Encode(d); err != nil {
			return err
		}
	} else {
		if err := d.text(s); err != nil {
			return err
		}
		d.summary(s.Report())
	}
	return d.verdict(f.failOn)
}

// findingsOf reads a recording from its begin to its end, which for what runs is now: what is quiet since the newest record may be resolved.
func findingsOf(ctx context.Context, v *viewed) (*findingsDocument, error) {
	d := &findingsDocument{Findings: []trace.Finding{}, Undetermined: []finding.Undetermined{}}
	engine := finding.New()
	for r, err := range v.Records(ctx, 0) {
		if err != nil {
			return nil, err
		}
		if h, ok := r.Body.(*trace.Header); ok {
			d.Recording = h
		}
		d.Records++
		d.Duration = max(d.Duration, r.T)
		engine.Add(r)
	}
	engine.Tick(v.end)
	engine.End()
	d.Findings = append(d.Findings, engine.Findings()...)
	d.Undetermined = append(d.Undetermined, engine.Undetermined()...)
	return d, nil
}

func (d *findingsDocument) text(s ui.Streams) error {
	for _, f := range d.Findings {
		since := "since " + seconds(f.Since)
		if f.Build > 0 {
			since += fmt.Sprintf(" in build %d", f.Build)
		}
		if f.Until > 0 {
			since += ", until " + seconds(f.Until)
		}
		if len(f.Evidence) > 0 { // what cannot be read has no number
			since += "; records " + numbers(f.Evidence)
		}
		if err := s.Printf("%s [%s]\n    %s, %s\n    Fix: %s", text.Printable(f.Message), f.Type, f.Certainty, since, text.Printable(f.Fix)); err != nil {
			return err
		}
	}
	return nil
}

// seconds is a time in a recording.
func seconds(t int64) string { return fmt.Sprintf("+%.1f s", float64(t)/1e9) }

func numbers(seqs []int64) string {
	all := make([]string, 0, len(seqs))
	for _, s := range seqs {
		all = append(all, fmt.Sprint(s))
	}
	return strings.Join(all, ", ")
}

// summary says how much was read, and what that cannot show.
func (d *findingsDocument) summary(r ui.Reporter) {
	resolved := 0
	found := map[string]bool{}
	for _, f := range d.Findings {
		if found[f.Type] = true; f.Until != 0 {
			resolved++
		}
	}
	findings := text.Count(len(d.Findings), "finding", "findings")
	if resolved > 0 {
		findings += fmt.Sprintf(", %d resolved", resolved)
	}
	took := d.Duration
	if d.Recording != nil {
		took -= d.Recording.Begin // of the recording that this is a part of
	}
	r.Printf("%s in %s: %s", text.Count(int(d.Records), "record", "records"), seconds(took)[1:], findings)
	if d.newer() {
		return // the verdict has it
	}
	for _, line := range undetermined(d.Undetermined, "not determined: %s: %s", func(name string) bool { return !found[name] }) {
		r.Note("%s", line)
	}
	for _, line := range undetermined(d.Undetermined, "more findings of %s cannot be ruled out: %s", func(name string) bool { return found[name] }) {
		r.Note("%s", line)
	}
}

// undetermined has a line for each reason, with the types that it is about.
func undetermined(all []finding.Undetermined, format string, is func(name string) bool) (lines []string) {
	types := map[string][]string{}
	var reasons []string
	for _, u := range all {
		if !is(u.Type) {
			continue
		}
		if types[u.Reason] == nil {
			reasons = append(reasons, u.Reason)
		}
		types[u.Reason] = append(types[u.Reason], u.Type)
	}
	for _, reason := range reasons {
		lines = append(lines, fmt.Sprintf(format, strings.Join(types[reason], ", "), reason))
	}
	return lines
}

// newer reports whether the recording has a format that this crdctl may misread.
func (d *findingsDocument) newer() bool {
	return d.Recording != nil && d.Recording.Format > trace.Format
}

// verdict is ErrNo if there is a finding of the types, or of any without types; and an error if there may be one. Without
// types, it is not an error that some cannot be determined: no recording has what all of them need, and records that are
// missing are a finding. Of a recording that was cut off, only what was found is certain. Of a newer format, nothing is certain to be read as it was meant, not even what is found.
func (d *findingsDocument) verdict(failOn []string) error {
	if h := d.Recording; d.newer() {
		return fmt.Errorf("no finding can be determined: the recording has format %d, and this crdctl reads format %d; use %s",
			h.Format, trace.Format, writtenBy(h))
	}
	if slices.ContainsFunc(d.Findings, func(f trace.Finding) bool { return len(failOn) == 0 || slices.Contains(failOn, f.Type) }) {
		return ui.ErrNo
	}
	for _, u := range d.Undetermined {
		if slices.Contains(failOn, u.Type) {
			return fmt.Errorf("%s cannot be determined: %s", u.Type, u.Reason)
		}
	}
	if d.Incomplete != "" { // what is missing may have some
		return fmt.Errorf("%s cannot be determined: the recording is incomplete", cmp.Or(strings.Join(failOn, ", "), "findings"))
	}
	return nil
}
