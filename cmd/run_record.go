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
	findings bool
	ui       bool
	port     int
	memory   string
}

// recordedBodies are the values of --record-bodies.
var recordedBodies = []string{string(trace.BodiesNone), string(trace.BodiesChanged), string(trace.BodiesAll)}

func (f *recordingFlags) bind(set *pflag.FlagSet) {
	f.set = set
	set.StringVar(&f.file, "record", "", "also write what is recorded to this `file`, for \"crdctl view\"")
	set.StringVar(&f.bodies, "record-bodies", recordedBodies[0], "record `LEVEL` of the spec and data of objects: none, changed or all")
	set.BoolVar(&f.findings, "findings", true, "record the run and report findings such as hot loops")
	set.BoolVar(&f.ui, "ui", false, "serve a page that shows what the controller does, on 127.0.0.1")
	set.IntVar(&f.port, "ui-port", 0, "with --ui: `port` of the page (default: a free one)")
	set.StringVar(&f.memory, "ui-memory", "128Mi", "with --ui: `size` of the records that are kept in memory")
}

func (f *recordingFlags) settle() (run.Recording, error) {
	size, err := resource.ParseQuantity(f.memory)
	switch {
	case (f.set.Changed("ui-port") || f.set.Changed("ui-memory")) && !f.ui:
		return run.Recording{}, ui.UsageErrorf("--ui-port and --ui-memory require --ui")
	case f.port < 0 || f.port > 65535:
		return run.Recording{}, ui.UsageErrorf("--ui-port must be between 0 and 65535, got %d", f.port)
	case err != nil || size.Value() < 1<<20:
		return run.Recording{}, ui.UsageErrorf("--ui-memory %q must be a size of at least 1Mi, for example 128Mi", f.memory)
	case !slices.Contains(recordedBodies, f.bodies):
		return run.Recording{}, ui.UsageErrorf("--record-bodies %q must be one of %s", f.bodies, strings.Join(recordedBodies, ", "))
	case !f.findings && (f.file != "" || f.ui || f.set.Changed("record-bodies")):
		return run.Recording{}, ui.UsageErrorf("--findings=false records nothing, so --record, --record-bodies and --ui cannot be used with it")
	}
	r := run.Recording{Off: !f.findings, File: f.file, Bodies: trace.Bodies(f.bodies), Crdctl: Version(), Page: f.ui, Port: f.port}
	if f.ui {
		r.MaxBytes = size.Value()
	}
	return r, nil
}
