// SPDX-License-Identifier: Apache-2.0

//go:build !crdctl_codegen && !crdctl_loop

package cmd

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/crdctl/crdctl/internal/text"
	"github.com/crdctl/crdctl/internal/trace"
	"github.com/crdctl/crdctl/internal/ui"
	"github.com/crdctl/crdctl/internal/view/export"
)

type viewOptions struct {
	*options
	file   string // the recording; empty for the control plane that runs
	from   string
	to     string
	save   string
	export string

	findings findingsFlags
	page     pageFlags
}

func newView(s ui.Streams, shared *options) *cobra.Command {
	o := viewOptions{options: shared}
	c := &cobra.Command{
		Use:   "view [FILE]",
		Short: "Show what a controller did, and why",
		Long: `View reads a recording that "crdctl run --record FILE" wrote, also one of a run that was killed. Without a file, it reads what the
control plane of this project has in memory, and follows it.

It serves a page on 127.0.0.1 and prints its URL. The page shows what is wrong and what caused it, what led to what, the versions of each
object and who wrote them, requests, times, and rights. The page is read-only. docs/view.md describes it.

--findings prints what went wrong: hot loops, fights about fields, conflicts, refused watches, stuck finalizers and more, each with
its evidence, its certainty and what to do.

--save writes a part of a recording to another file, and lists what was redacted before it was recorded. --export writes the
requests as an audit log (audit.k8s.io/v1, for example for Kubernetes History Inspector), or reconciles, requests and hook calls
as OpenTelemetry spans in JSON (otlp), to standard output. --from and --to are a duration before the end, such as 2m, a time such
as 12:03:07 or 2026-11-23T12:03:07Z, or now. docs/recording.md describes the file.

Exit codes with --findings: 0 if there is no finding of the types that --fail-on names, by default all types; 1 if there is one, even
if it was resolved; 2 if the recording cannot be read or has a newer format, a type that --fail-on names cannot be determined, or nothing
was found in a recording that is incomplete, as of a run that was killed.`,
		Example: `  crdctl view
  crdctl view run.crdctl.gz --open
  crdctl view run.crdctl.gz --findings -o json
  crdctl view run.crdctl.gz --findings --fail-on hot-loop,conflict-storm
  crdctl view run.crdctl.gz --from 2m --save last.crdctl.gz
  crdctl view run.crdctl.gz --export audit > audit.log`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) > 1 {
				return ui.UsageErrorf("%q: %s takes one recording; view each by itself", args[1], c.CommandPath())
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				o.file = args[0]
			}
			if err := notEmpty(c.Flags(), args); err != nil {
				return err
			}
			if err := o.findings.validate(c.Flags()); err != nil {
				return err
			}
			return runView(c.Context(), s, o)
		},
	}
	f := c.Flags()
	f.StringVar(&o.from, "from", "", "`time` at which to begin; default the start of the recording")
	f.StringVar(&o.to, "to", "", "`time` at which to end; default now")
	f.StringVar(&o.save, "save", "", "write the recording, or the part from --from to --to, to this `file`")
	f.StringVar(&o.export, "export", "", "print the recording in another `format`: audit or otlp")
	o.findings.register(c)
	o.page.register(f)
	// The flag is there, and nothing else can go wrong.
	_ = c.RegisterFlagCompletionFunc("export", cobra.FixedCompletions(viewExports, cobra.ShellCompDirectiveNoFileComp))
	return c
}

// notEmpty refuses names that are empty, as variables of a CI system can be: they must not mean the control plane, or the page.
func notEmpty(set *pflag.FlagSet, args []string) error {
	if len(args) > 0 && args[0] == "" {
		return ui.UsageErrorf("FILE is empty; name a recording, or omit it for the control plane that runs")
	}
	for _, flag := range []string{"save", "export", "from", "to"} {
		if f := set.Lookup(flag); f.Changed && f.Value.String() == "" {
			return ui.UsageErrorf("--%s is empty; give it a value, or omit the flag", flag)
		}
	}
	return nil
}

var viewExports = []string{"audit", "otlp"}

func (o *viewOptions) validate() error {
	var modes []string
	for flag, is := range map[string]bool{"--findings": o.findings.print, "--save": o.save != "", "--export": o.export != ""} {
		if is {
			modes = append(modes, flag)
		}
	}
	slices.Sort(modes)
	switch {
	case len(modes) > 1:
		return ui.UsageErrorf("%s cannot be used together", strings.Join(modes, " and "))
	case (o.from != "" || o.to != "") && o.findings.print:
		return ui.UsageErrorf("--from and --to cannot be used with --findings; write the part to a file with --save, and read that")
	case (o.from != "" || o.to != "") && len(modes) == 0 && o.file == "":
		return ui.UsageErrorf("--from and --to require a file, --save or --export")
	case (o.page.open || o.page.port != 0) && len(modes) > 0:
		return ui.UsageErrorf("--open and --ui-port cannot be used with %s", modes[0])
	case o.export != "" && !slices.Contains(viewExports, o.export):
		return ui.UsageErrorf("--export %q must be %s", o.export, strings.Join(viewExports, " or "))
	case o.save != "":
		if err := isRecordingName("--save", o.save); err != nil {
			return err
		}
	}
	return o.page.validate()
}

// isRecordingName refuses a name of which no program would know that the file is compressed.
func isRecordingName(flag, name string) error {
	if !strings.HasSuffix(name, ".gz") {
		return ui.UsageErrorf("%s %q must end in .gz, for example in .crdctl.gz", flag, name)
	}
	return nil
}

func runView(ctx context.Context, s ui.Streams, o viewOptions) error {
	if err := o.validate(); err != nil {
		return err
	}
	v, err := o.open(ctx, false)
	if err != nil {
		return err
	}
	for _, note := range v.notes {
		s.Report().Note("%s", note)
	}
	switch {
	case o.findings.print:
		err = viewFindings(ctx, s, o.findings, v)
	case o.save == "" && o.export == "":
		err = viewPage(ctx, s, o, v)
	default:
		err = v.write(ctx, s, o)
	}
	return errors.Join(err, v.close())
}

// write writes a part of the recording in the form that was asked for.
func (v *viewed) write(ctx context.Context, s ui.Streams, o viewOptions) error {
	part, err := v.part(ctx, o.from, o.to)
	if err != nil {
		return err
	}
	if o.save != "" {
		return v.cut(s, o.save, part)
	}
	missing := int64(0)
	whole := func(yield func(trace.Record, error) bool) {
		missing = 0
		for rec, err := range part {
			missing += rec.Unreadable()
			if err == nil && v.isBefore(rec) {
				continue
			}
			if !yield(rec, err) {
				return
			}
		}
	}
	if o.export == "audit" {
		err = export.Audit(s.Out, whole)
	} else {
		err = export.OTLP(s.Out, whole)
	}
	if err == nil && missing > 0 {
		err = fmt.Errorf("%s: at least %s could not be read: the file is damaged; all others were exported",
			v.name, text.Count(int(missing), "record", "records"))
	}
	return err
}

// isBefore reports whether a record is of before the part, and in it to show the state at its begin.
func (v *viewed) isBefore(rec trace.Record) bool {
	switch rec.Body.(type) {
	case *trace.Header, *trace.Def, *trace.Gap: // a gap can be longer
		return false
	}
	return rec.T < v.begin
}

// part returns the records from one time to another, as the flags have them, with those that show the state at its begin. It can be read
// more than once.
func (v *viewed) part(ctx context.Context, from, to string) (iter.Seq2[trace.Record, error], error) {
	begin, err := v.moment("--from", from, 0)
	if err != nil {
		return nil, err
	}
	begin = max(begin, v.header.Begin) // of a part
	end, err := v.moment("--to", to, v.end)
	switch {
	case err != nil:
		return nil, err
	case begin > v.end || end < 0:
		return nil, fmt.Errorf("%s: no records in that time; the recording covers %s to %s", v.name, v.clock(v.header.Begin), v.clock(v.end))
	case end < begin:
		return nil, ui.UsageErrorf("--from must be before --to")
	}
	v.begin = begin
	switch {
	case v.file != nil && from == "" && to == "":
		return v.Records(ctx, 0), nil
	case v.file != nil:
		return v.file.Between(ctx, begin, end), nil
	}
	return v.held(ctx, begin, end)
}

// held reads what a control plane has in memory, which is bounded.
func (v *viewed) held(ctx context.Context, begin, end int64) (iter.Seq2[trace.Record, error], error) {
	var all []trace.Record
	for rec, err := range v.Records(ctx, 0) {
		if err != nil {
			return nil, err
		}
		all = append(all, trace.BeginsAt(begin, rec))
	}
	before, err := trace.Before(begin, func(...trace.Kind) iter.Seq2[trace.Record, error] { return each(all) })
	return each(slices.DeleteFunc(all, func(rec trace.Record) bool {
		switch rec.Body.(type) {
		case *trace.Header, *trace.Def:
			return false
		}
		return (rec.T < begin || rec.T > end) && !before[rec.Seq]
	})), err
}

func each(records []trace.Record) iter.Seq2[trace.Record, error] {
	return func(yield func(trace.Record, error) bool) {
		for _, rec := range records {
			if !yield(rec, nil) {
				return
			}
		}
	}
}

// moment reads the time that a flag has.
func (v *viewed) moment(flag, text string, otherwise int64) (int64, error) {
	switch d, err := time.ParseDuration(text); {
	case text == "":
		return otherwise, nil
	case text == "now":
		return v.end, nil
	case err == nil && d >= 0:
		return max(0, v.end-int64(d)), nil
	}
	start, err := time.Parse(time.RFC3339Nano, v.header.Start)
	if err != nil {
		return 0, fmt.Errorf("%s: start of the recording: %w", v.name, err)
	}
	if t, err := time.Parse(time.RFC3339Nano, text); err == nil {
		return int64(t.Sub(start)), nil
	}
	if t, err := time.ParseInLocation(time.TimeOnly, text, start.Location()); err == nil {
		t = time.Date(start.Year(), start.Month(), start.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), start.Location())
		if t.Before(start.Truncate(time.Second)) { // on the day after
			t = t.AddDate(0, 0, 1)
		}
		return int64(t.Sub(start)), nil
	}
	return 0, ui.UsageErrorf("%s %q must be a duration before the end such as 2m, a time such as 12:03:07, or now", flag, text)
}

// clock is the wall clock at a time of the recording.
func (v *viewed) clock(t int64) string {
	start, err := time.Parse(time.RFC3339Nano, v.header.Start)
	if err != nil {
		return time.Duration(t).String()
	}
	return start.Add(time.Duration(t)).Format(time.DateTime)
}
