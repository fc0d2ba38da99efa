// SPDX-License-Identifier: Apache-2.0

package subprocess

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"time"

	"github.com/crdctl/crdctl/internal/operator/render"
	"github.com/crdctl/crdctl/internal/startup"
	"github.com/crdctl/crdctl/internal/startup/hugepages"
)

const (
	// trigger is the environment variable that makes a process a helper.
	trigger = "CRDCTL_RENDER_HELPER"

	maxStack    = 64 << 20
	watchPeriod = 5 * time.Millisecond

	// Exit codes of a helper that ends itself; Go's own for fatal errors is 2.
	exitMemory = 91
	exitTime   = 92
)

// A helper begins here, and not in main: initializing the rest of crdctl takes most of the start and of the memory of a process. Go
// initializes a package as soon as its own imports are ready, which is before Kubernetes' packages. It also makes test binaries helpers.
func init() {
	if os.Getenv(trigger) == "" {
		return
	}
	done := make(chan error)
	go func() { done <- serve(os.Stdin, os.Stdout) }() // the goroutine of init is tied to a thread: switching to it is slow
	if err := <-done; err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// serve answers requests until its input ends.
func serve(in io.Reader, out io.Writer) error {
	startup.Done()
	hugepages.Stop()
	debug.FreeOSMemory()  // the limit would count what hugepages reserves
	runtime.GOMAXPROCS(1) // one object is worth one core
	debug.SetMaxStack(maxStack)
	memory := memoryLimit(0, 0)
	limitMemory(memory)
	r, w := bufio.NewReaderSize(in, 64<<10), bufio.NewWriterSize(out, 64<<10)
	_, payload, err := readFrame(r, math.MaxInt32)
	if err != nil {
		return fmt.Errorf("read the setup: %w", err)
	}
	var s setup
	if err := json.Unmarshal(payload, &s); err != nil {
		return fmt.Errorf("read the setup: %w", err)
	}
	templates, err := render.Parse(s.Files)
	if err != nil {
		return err
	}
	if err := writeFrame(w, frameAnswer, nil); err != nil {
		return err
	}
	limit := time.Duration(s.Seconds * float64(time.Second))
	for {
		kind, request, err := readFrame(r, math.MaxUint32)
		if errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if needed := memoryLimit(len(request), s.MaxOutput); needed != memory {
			memory = needed
			limitMemory(memory)
		}
		end := watch(memory, time.Now().Add(limit))
		renderAll := templates.Sync
		if kind == frameCustomize {
			renderAll = templates.Related
		}
		answer, err := renderAll(request, s.MaxOutput)
		end()
		kind = frameAnswer
		switch {
		case errors.Is(err, render.ErrOutput):
			kind = frameOutput
		case err != nil:
			kind, answer = frameError, []byte(err.Error())
			answer = answer[:min(len(answer), maxError)]
		}
		if err := writeFrame(w, kind, answer); err != nil {
			return err
		}
	}
}

// limitMemory has the collector work harder where the limit is near, and the system refuse what is far beyond it.
func limitMemory(limit int) {
	debug.SetMemoryLimit(int64(limit) / 4 * 3)
	limitData(uint64(limit))
}

// watch ends the process when a rendering exceeds a limit: there is no way to end a goroutine.
func watch(memory int, deadline time.Time) (end func()) {
	done := make(chan struct{})
	go func() {
		tick := time.NewTicker(watchPeriod)
		defer tick.Stop()
		sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/heap/stacks:bytes"}}
		for {
			select {
			case <-done:
				return
			case <-tick.C:
			}
			metrics.Read(sample)
			if sample[0].Value.Uint64()+sample[1].Value.Uint64() > uint64(memory) {
				os.Exit(exitMemory)
			}
			if time.Now().After(deadline) {
				os.Exit(exitTime)
			}
		}
	}()
	return func() { close(done) }
}
