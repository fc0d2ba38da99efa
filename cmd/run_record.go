// SPDX-License-Identifier: Apache-2.0

//go:build !crdctl_codegen && !crdctl_loop

package cmd

import (
	"slices"
	"strings"

	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/crdctl/crdctl/internal/run"
	"github.com/crdctl/crdctl/internal/trace"
	"github.com/crdctl/crdctl/internal/ui"
)

// recordingFlags are the flags of run that say what is recorded.
type recordingFlags struct {
	set      *pflag.FlagSet
	file     string
	bodies   string
	redact   []string
	findings bool
	ui       bool
	page     pageFlags
	memory   string
}

// redactConfigMaps is the value of --redact.
const redactConfigMaps = "configmaps"

// recordedBodies are the values of --record-bodies.
var recordedBodies = []string{string(trace.BodiesNone), string(trace.BodiesChanged), string(trace.BodiesAll)}

func (f *recordingFlags) bind(set *pflag.FlagSet) {
	f.set = set
	set.StringVar(&f.file, "record", "", "also write what is recorded to this `file`, for \"crdctl view\"")
	set.StringVar(&f.bodies, "record-bodies", recordedBodies[0], "`LEVEL` of spec and data to record: none, changed or all")
	set.StringSliceVar(&f.redact, "redact", nil, "also redact the data of objects of these `KINDS`: configmaps")
	set.BoolVar(&f.findings, "findings", true, "record the run and report findings such as hot loops")
	set.BoolVar(&f.ui, "ui", false, "serve a page that shows what the controller does, on 127.0.0.1")
	f.page.register(set)
	set.StringVar(&f.memory, "ui-memory", "128Mi", "with --ui: `size` of the records that are kept in memory")
}

func (f *recordingFlags) settle() (run.Recording, error) {
	if err := f.page.validate(); err != nil {
		return run.Recording{}, err
	}
	size, err := resource.ParseQuantity(f.memory)
	switch {
	case (f.set.Changed("ui-port") || f.set.Changed("ui-memory") || f.page.open) && !f.ui:
		return run.Recording{}, ui.UsageErrorf("--ui-port, --ui-memory and --open require --ui")
	case f.set.Changed("record") && f.file == "": // an empty variable of a CI system
		return run.Recording{}, ui.UsageErrorf("--record is empty; name a file such as run.crdctl.gz, or omit the flag")
	case err != nil || size.Value() < 1<<20:
		return run.Recording{}, ui.UsageErrorf("--ui-memory %q must be a size of at least 1Mi, for example 128Mi", f.memory)
	case !slices.Contains(recordedBodies, f.bodies):
		return run.Recording{}, ui.UsageErrorf("--record-bodies %q must be one of %s", f.bodies, strings.Join(recordedBodies, ", "))
	case slices.ContainsFunc(f.redact, func(kind string) bool { return kind != redactConfigMaps }):
		return run.Recording{}, ui.UsageErrorf("--redact %q must be %s", strings.Join(f.redact, ","), redactConfigMaps)
	case !f.findings && (f.file != "" || f.ui || f.set.Changed("record-bodies") || len(f.redact) > 0):
		return run.Recording{}, ui.UsageErrorf("--findings=false records nothing, so --record, --record-bodies, --redact and --ui cannot be used with it")
	}
	if f.file != "" {
		if err := isRecordingName("--record", f.file); err != nil {
			return run.Recording{}, err
		}
	}
	r := run.Recording{Off: !f.findings, File: f.file, Bodies: trace.Bodies(f.bodies), RedactConfigMaps: len(f.redact) > 0, Crdctl: Version(), Page: f.ui, Port: f.page.port, Open: f.page.open}
	if f.ui {
		r.MaxBytes = size.Value()
	}
	return r, nil
}
