// Package logging decides what becomes of what the Kubernetes libraries log through klog: nothing, or lines on the
// given writer.
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
// API server that starts, stops and is polled logs many that mean nothing to its user, and what does is said by others.
func Setup(w io.Writer, verbosity int) {
	fs := flag.NewFlagSet("klog", flag.ContinueOnError)
	klog.InitFlags(fs)
	set := func(name, value string) { _ = fs.Set(name, value) } // names and values are klog's own
	set("logtostderr", "false")
	set("alsologtostderr", "false")
	set("stderrthreshold", "FATAL")
	set("v", strconv.Itoa(verbosity))
	if verbosity < 2 {
		w = io.Discard
	}
	klog.SetOutput(w)
}
