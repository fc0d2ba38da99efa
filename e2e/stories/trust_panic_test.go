package stories

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"strings"
	"sync"
	"testing"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/json"
	"k8s.io/client-go/tools/cache"
	"sigs.k8s.io/yaml"

	controlloop "github.com/crdctl/crdctl/internal/operator/controller"
)

// moreForPanics is how much more may live on the heap of a loop of a few objects, some of which panic, in MiB.
const moreForPanics = 16

// panicking is a reconciler that panics for some objects until it is mended, and notes the values that it saw.
type panicking struct {
	mu     sync.Mutex
	mended bool
	panics map[string]int
	none   map[string]int
	seen   map[string]string
}

// Reconcile implements controlloop.Reconciler.
func (p *panicking) Reconcile(_ context.Context, request controlloop.Request) (controlloop.Result, error) {
	var o struct {
		Spec struct {
			Value string `json:"value"`
		} `json:"spec"`
	}
	if request.Object == nil {
		return controlloop.Result{}, nil
	}
	text, err := request.Object.MarshalJSON()
	if err == nil {
		err = json.Unmarshal(text, &o)
	}
	if err != nil {
		return controlloop.Result{}, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if name := request.Key.Name; !p.mended && strings.HasPrefix(name, "bad-") {
		p.panics[name]++
		switch name {
		case "bad-text":
			panic("as it was told")
		case "bad-error":
			panic(errors.New("as it was told"))
		case "bad-nil":
			var nothing *panicking
			nothing.mended = true
		case "bad-map":
			p.none["x"]++ // which nobody made
		}
	}
	p.seen[request.Key.Name] = o.Spec.Value
	return controlloop.Result{}, nil
}

// Keeps implements controlloop.Reconciler.
func (p *panicking) Keeps() controlloop.Keeping { return controlloop.KeepsWhole }

// Resyncs implements controlloop.Reconciler.
func (p *panicking) Resyncs() bool { return false }

func (p *panicking) Forget(cache.ObjectName) {}

func (p *panicking) saw(value string, all ...string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, name := range all {
		if p.seen[name] != value {
			return false
		}
	}
	return true
}

// The row of TestTrust whose reconciler is written in Go, and panics. It runs alone: the loop is in this process, whose memory and
// goroutines would be other tests' too.
func TestTrustPanic(t *testing.T) {
	w := newLoneWorld(t)
	plane, dir := w.plane()
	r := newTrusted(t, "panic", filepath.Join(dir, ".crdctl", "kubeconfig"), "")
	r.panics()
	w.end(plane)
	w.leavesNothing(dir)
}

// thisProcess is a loop that the test runs itself, to be measured as the others are.
func (r *trusted) thisProcess(log *process) *loop {
	r.Helper()
	self, err := os.FindProcess(os.Getpid())
	r.check(err)
	log.cmd = &exec.Cmd{Process: self}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_ = pprof.Lookup("goroutine").WriteTo(w, 1)
	}))
	r.Cleanup(server.Close)
	return &loop{process: log, row: r, address: server.Listener.Addr().String()}
}

// heapInUse is what lives after a collection, in MiB.
func heapInUse() int {
	var stats runtime.MemStats
	runtime.GC()
	runtime.GC() // what pools keep goes with the second
	runtime.ReadMemStats(&stats)
	return int(stats.HeapAlloc >> 20)
}

// panics has a reconciler panic for some objects while they and others are written to: it is these keys' failure, and nobody else's.
func (r *trusted) panics() {
	crd := &apiextv1.CustomResourceDefinition{}
	text, err := os.ReadFile(r.crd)
	r.check(err)
	r.check(yaml.Unmarshal(text, crd))
	kinds, err := controlloop.KindsOf(crd)
	r.check(err)
	r.run(r.dir, crdctl, "kubectl", "--kubeconfig", r.kubeconfig, "apply", "-f", r.crd)
	r.run(r.dir, crdctl, "kubectl", "--kubeconfig", r.kubeconfig, "wait", "--for=condition=Established", "crd/things."+r.group, "--timeout=60s")

	reconciler := &panicking{panics: map[string]int{}, seen: map[string]string{}}
	log := &process{T: r.T} // for its lines
	bad, others := []string{"bad-text", "bad-error", "bad-nil", "bad-map"}, names(20)
	r.setAll("first", append(bad, others...)...)
	this := r.thisProcess(log)
	before, heap := this.spends(), heapInUse()
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		ended <- controlloop.Run(ctx, controlloop.Options{Config: r.config, Kinds: kinds, Namespaces: []string{r.namespace},
			Reconciler: func(controlloop.Handle) (controlloop.Reconciler, error) { return reconciler, nil },
			Log:        slog.New(slog.NewTextHandler(log, nil))})
	}()
	for _, value := range []string{"second", "third"} {
		r.settles("all others are reconciled while some panic", func() bool { return reconciler.saw("first", others...) || reconciler.saw("second", others...) })
		r.setAll(value, append(bad, others...)...)
		r.settles("all others are reconciled again", func() bool { return reconciler.saw(value, others...) })
	}
	r.settles("each bad one is tried again", func() bool {
		reconciler.mu.Lock()
		defer reconciler.mu.Unlock()
		for _, name := range bad {
			if reconciler.panics[name] < 4 {
				return false
			}
		}
		return true
	})
	if all := log.text(); !strings.Contains(all, "panic: as it was told") || !strings.Contains(all, "trust_panic_test.go:") {
		r.Errorf("the log has no panic, or no place of it:\n%s", all)
	}
	for _, name := range bad {
		if reconciler.saw("first", name) || reconciler.saw("second", name) || reconciler.saw("third", name) {
			r.Errorf("%s was reconciled while it panicked", name)
		}
	}
	if now := heapInUse(); now > heap+moreForPanics {
		r.Errorf("%d MiB live on the heap while some panic, and %d before; at most %d more is allowed", now, heap, moreForPanics)
	}
	reconciler.mu.Lock()
	reconciler.mended = true
	reconciler.mu.Unlock()
	r.settles("the bad ones are reconciled as they are now, once they don't panic", func() bool { return reconciler.saw("third", bad...) })
	r.setAll("fourth", append(bad, others...)...)
	r.settles("all are reconciled", func() bool { return reconciler.saw("fourth", append(bad, others...)...) })

	cancel()
	if err := <-ended; err != nil {
		r.Errorf("the loop ended with %v", err)
	}
	this.isAsBefore(before, 64) // of all goroutines: also those of clients, queues and reflectors
	if now := heapInUse(); now > heap+moreForPanics {
		r.Errorf("%d MiB live on the heap after the end, and %d before; at most %d more is allowed", now, heap, moreForPanics)
	}
}
