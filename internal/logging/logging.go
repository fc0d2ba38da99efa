// SPDX-License-Identifier: Apache-2.0

// Package logging decides what becomes of what the Kubernetes libraries log through klog, which is one for the whole process:
// nothing, lines on a writer, or errors and notes of a caller.
//
// It is not crdctl's own logger: what crdctl has to say it says through its streams.
package logging

import (
	"flag"
	"io"
	"strconv"

	"k8s.io/klog/v2"
)

// Setup sends what the libraries log at a level up to verbosity to w, from level 2. Below is silence, errors included: an
// API server that starts, stops and is polled logs many that mean nothing to its user, and what does is reported elsewhere.
func Setup(w io.Writer, verbosity int) {
	if verbosity < 2 {
		w = io.Discard
	}
	to(w, verbosity)
}

// Redirect sends what is logged to w, each line once, until restore is called. A command line in this process sets the level.
func Redirect(w io.Writer) (restore func()) {
	state := klog.CaptureState()
	to(w, 0)
	return func() {
		klog.Flush()
		state.Restore()
	}
}

func to(w io.Writer, verbosity int) {
	fs := flag.NewFlagSet("klog", flag.ContinueOnError)
	klog.InitFlags(fs)
	set := func(name, value string) { _ = fs.Set(name, value) } // names and values are klog's own
	set("logtostderr", "false")
	set("alsologtostderr", "false")
	set("stderrthreshold", "FATAL")
	set("one_output", "true")
	set("v", strconv.Itoa(verbosity))
	klog.SetOutput(w)
}
