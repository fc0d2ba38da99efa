// Package harness is what all programs have in common that BenchmarkLoop compares: it counts reconciles, notes when they
// began, and answers the benchmark's calls, see Calls. It imports the standard library only, since it is compiled into modules
// that are not crdctl's.
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
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

// Harness is what a program is given, and where it reports what it does.
type Harness struct {
	// Kubeconfig is the file of the API server to follow.
	Kubeconfig string
	// Workers is how many objects are worked on at a time.
	Workers int
	// Variant is for a program that is more than one side.
	Variant string

	objects int
	last    []atomic.Uint64 // the resourceVersion that was last reconciled, by the number of the object; 0: never
	first   atomic.Int64    // objects that were reconciled at all
	count   atomic.Int64    // reconciles
	goal    atomic.Int64    // count at which reached is signaled
	reached chan struct{}
	synced  chan Synced
	notes   atomic.Pointer[notes]
	again   func(names []string)
}

// Main is main of a program: run is its controller, which runs until the context ends. The arguments are a kubeconfig, the
// number of workers, how many objects are to be reconciled, how many there may ever be, and the variant.
func Main(run func(context.Context, *Harness) error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	h, err := fromArgs(os.Args)
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
	if len(args) != 6 {
		return nil, fmt.Errorf("%d arguments; want KUBECONFIG WORKERS OBJECTS MOST VARIANT, as the benchmark gives them", len(args)-1)
	}
	var numbers [3]int
	for i := range numbers {
		n, err := strconv.Atoi(args[i+2])
		if err != nil {
			return nil, fmt.Errorf("argument %d: %w", i+2, err)
		}
		numbers[i] = n
	}
	return &Harness{
		Kubeconfig: args[1], Workers: numbers[0], Variant: args[5],
		// As much in a run with one object as in one with all, so that it does not count as memory of the objects.
		objects: numbers[1], last: make([]atomic.Uint64, numbers[2]), reached: make(chan struct{}, 1), synced: make(chan Synced, 1),
	}, nil
}

func (h *Harness) serve(benchmark io.ReadWriteCloser) {
	server := rpc.NewServer()
	if err := server.Register(&Calls{h}); err != nil {
		panic(err) // of a type in this package
	}
	server.ServeConn(benchmark)
}

// Again names the function that enqueues objects anew, by their names.
func (h *Harness) Again(enqueue func(names []string)) { h.again = enqueue }

// Saw notes that a reconcile of an object began at a time, and which version of it the cache had. It is called once in each
// reconcile, by all programs in the same way, and allocates nothing.
func (h *Harness) Saw(began time.Time, name, resourceVersion string) {
	object, version := number(name[strings.LastIndexByte(name, '-')+1:]), number(resourceVersion)
	if n := h.notes.Load(); n != nil {
		n.add(version, began)
	}
	if h.last[object].Swap(version) == 0 && h.first.Add(1) == int64(h.objects) {
		h.synced <- Synced{At: time.Now(), CPU: cpu(), Peak: status("VmHWM:")}
	}
	if h.count.Add(1) == h.goal.Load() {
		h.reached <- struct{}{}
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
