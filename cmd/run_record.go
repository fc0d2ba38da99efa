// SPDX-License-Identifier: Apache-2.0

//go:build !crdctl_codegen && !crdctl_loop

package cmd

import (
	"slices"
	"strings"

	"github.com/spf13/pflag"

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
}

// recordedBodies are the values of --record-bodies.
var recordedBodies = []string{string(trace.BodiesNone), string(trace.BodiesChanged), string(trace.BodiesAll)}

func (f *recordingFlags) bind(set *pflag.FlagSet) {
	f.set = set
	set.StringVar(&f.file, "record", "", "also write what is recorded to this `file`, for \"crdctl view\"")
	set.StringVar(&f.bodies, "record-bodies", recordedBodies[0], "record `LEVEL` of the spec and data of objects: none, changed or all")
	set.BoolVar(&f.findings, "findings", true, "record the run and report findings such as hot loops")
}

func (f *recordingFlags) settle() (run.Recording, error) {
	switch {
	case !slices.Contains(recordedBodies, f.bodies):
		return run.Recording{}, ui.UsageErrorf("--record-bodies %q must be one of %s", f.bodies, strings.Join(recordedBodies, ", "))
	case !f.findings && (f.file != "" || f.set.Changed("record-bodies")):
		return run.Recording{}, ui.UsageErrorf("--findings=false records nothing, so --record and --record-bodies cannot be used with it")
	}
	return run.Recording{Off: !f.findings, File: f.file, Bodies: trace.Bodies(f.bodies), Crdctl: Version()}, nil
}
