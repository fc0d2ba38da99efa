// SPDX-License-Identifier: Apache-2.0

package kubectl

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"k8s.io/cli-runtime/pkg/genericiooptions"
)

// Options is one command line and where it reads and writes.
type Options struct {
	Kubeconfig string // of the project's control plane, which need not be running; --kubeconfig in Args goes before it
	// Plain is kubectl by its own name, with the kubeconfig that its arguments or the environment name.
	Plain bool
	// Loaded, if any, is called when the kubeconfig has been read and is not read again. "kubectl config" never calls it.
	Loaded   func()
	Args     []string // without the command's own name
	In       io.Reader
	Out, Err io.Writer
}

// kubectlGlobals lets one Run at a time change what kubectl keeps in package variables.
var kubectlGlobals sync.Mutex

const (
	exitFailure = 1
	grace       = 500 * time.Millisecond
	nowhere     = os.DevNull // as a directory: nothing is there, and nothing can be made there
)

// Run runs one kubectl command and returns its exit code. When ctx is done every request that the command has open is
// cut off, which ends it, and Run returns 1. Messages, usage errors included, have been written to o.Err by then.
func Run(ctx context.Context, o Options) (exitCode int) {
	streams := genericiooptions.IOStreams{In: o.In, Out: o.Out, ErrOut: o.Err}
	finished := make(chan int, 1)
	go func() { finished <- runAlone(ctx, o, streams) }()
	select {
	case code := <-finished:
		return code
	case <-ctx.Done():
	}
	// A few commands (rollout status, port-forward) try again rather than end when their requests are cut off. There is
	// no other handle on them, so after a while they are left behind: the process is about to end.
	select {
	case <-finished:
	case <-time.After(grace):
	}
	return exitFailure
}

func runAlone(ctx context.Context, o Options, streams genericiooptions.IOStreams) (exitCode int) {
	kubectlGlobals.Lock()
	defer kubectlGlobals.Unlock()
	if ctx.Err() != nil {
		return exitFailure
	}
	if o.Kubeconfig == "" && !o.Plain {
		o.Kubeconfig = filepath.Join(nowhere, "kubeconfig") // an empty path would mean $KUBECONFIG
	}
	ends, putBack := takeGlobals(ctx, streams.ErrOut)
	defer putBack()
	c := newCommand(ctx, o.Kubeconfig, o.Plain, o.Loaded, streams)
	end := c.execute(ends, o.Args)
	if end.code == 0 {
		return 0
	}
	if ctx.Err() != nil {
		return exitFailure // the message would be about the request that ctx cut off
	}
	message := end.message
	if message != "" && !strings.HasSuffix(message, "\n") {
		message += "\n"
	}
	_, _ = io.WriteString(streams.ErrOut, message+c.hint(end, o.Plain)) // the stream may be closed
	return end.code
}
