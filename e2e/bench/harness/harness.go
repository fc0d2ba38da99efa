// SPDX-License-Identifier: Apache-2.0

// Package harness is what all programs have in common that BenchmarkLoop compares: it notes reconciles and answers the benchmark's
// calls, see Calls. It imports the standard library only, since it is compiled into modules that are not crdctl's.
//
// It knows nothing of controllers: each program has its own.
package harness

import (
	"context"
	"fmt"
	"io"
	"net/rpc"
	"os"
	"os/signal"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

// Logs is the variant that writes a line for each reconcile.
const Logs = "log"

// Harness is what a program is given, and where it reports what it does.
type Harness struct {
	// Kubeconfig is the file of the API server to follow.
	Kubeconfig string
	// Workers is how many objects are worked on at a time.
	Workers int
	// Variant is for a program that is more than one side.
	Variant string

	logs    bool // a line for each reconcile
	objects int64
	seen    []atomic.Bool // by the number of the object
	first   atomic.Int64  // objects that were reconciled at all
	synced  chan time.Time
	notes   atomic.Pointer[notes]
}

// Main is main of a program: run is its controller, which runs until the context ends. The arguments are a kubeconfig, the
// number of workers, how many objects are to be reconciled, how many there may ever be, and the variant; with Logs as the variant a
// program writes a line for each reconcile.
func Main(run func(context.Context, *Harness) error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	h, err := fromArgs(os.Args[1:])
	if err == nil {
		go h.serve(struct {
			io.Reader
			io.WriteCloser
		}{os.Stdin, os.Stdout})
		err = run(ctx, h)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func fromArgs(args []string) (*Harness, error) {
	if len(args) != 5 {
		return nil, fmt.Errorf("arguments %q; want KUBECONFIG WORKERS OBJECTS MOST VARIANT, as the benchmark gives them", args)
	}
	h, most := &Harness{Kubeconfig: args[0], Variant: args[4], logs: args[4] == Logs, synced: make(chan time.Time, 1)}, 0
	if _, err := fmt.Sscan(strings.Join(args[1:4], " "), &h.Workers, &h.objects, &most); err != nil {
		return nil, fmt.Errorf("arguments %q: %w", args, err)
	}
	// As much in a run with one object as in one with all, so that it does not count as memory of the objects.
	h.seen = make([]atomic.Bool, most)
	return h, nil
}

func (h *Harness) serve(benchmark io.ReadWriteCloser) {
	server := rpc.NewServer()
	if err := server.Register(&Calls{h}); err != nil {
		panic(err) // of a type in this package
	}
	server.ServeConn(benchmark)
}

// Saw notes that a reconcile of an object began at a time, and which version of it the cache had. It is called once in each
// reconcile, by all programs in the same way, and allocates nothing, except for a line on standard error.
func (h *Harness) Saw(began time.Time, name, resourceVersion string) {
	note := Note{number(name[strings.LastIndexByte(name, '-')+1:]), number(resourceVersion), began.UnixNano()}
	if n := h.notes.Load(); n != nil {
		if i := n.n.Add(1) - 1; i < int64(len(n.all)) {
			n.all[i] = note
		}
	}
	if h.logs {
		fmt.Fprintf(os.Stderr, "synced %s\n", name)
	}
	if !h.seen[note.Object].Swap(true) && h.first.Add(1) == h.objects {
		h.synced <- time.Now()
	}
}

// number reads digits. The names and versions of the benchmark have nothing else.
func number(digits string) (n uint64) {
	for i := range len(digits) {
		n = 10*n + uint64(digits[i]-'0')
	}
	return n
}

// Name is the name of an object.
func Name(n int) string { return fmt.Sprintf("widget-%05d", n) }
