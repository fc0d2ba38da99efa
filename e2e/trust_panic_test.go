package e2e

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"runtime/pprof"
	"strings"
	"sync"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/json"
	"k8s.io/client-go/tools/cache"
	"sigs.k8s.io/yaml"

	controlloop "github.com/crdctl/crdctl/internal/loop"
)

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

// panics has a reconciler panic, in the loop that this process runs itself: it is that key's failure, and nobody else's.
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
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		ended <- controlloop.Run(ctx, controlloop.Options{Config: r.config, Kinds: kinds, Namespaces: []string{r.namespace},
			Reconciler: func(controlloop.Handle) (controlloop.Reconciler, error) { return reconciler, nil },
			Log:        slog.New(slog.NewTextHandler(log, nil))})
	}()
	bad, others := []string{"bad-text", "bad-error", "bad-nil", "bad-map"}, names(20)
	r.setAll("first", append(bad, others...)...)
	for _, value := range []string{"second", "third"} {
		r.settles("all others are reconciled while some panic", func() bool { return reconciler.saw("first", others...) || reconciler.saw("second", others...) })
		r.setAll(value, others...)
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
	reconciler.mu.Lock()
	reconciler.mended = true
	reconciler.mu.Unlock()
	r.settles("the bad ones are reconciled once they don't panic", func() bool { return reconciler.saw("first", bad...) })

	cancel()
	if err := <-ended; err != nil {
		r.Errorf("the loop ended with %v", err)
	}
	r.settles("no goroutine of the loop is left", func() bool {
		var stacks bytes.Buffer
		r.check(pprof.Lookup("goroutine").WriteTo(&stacks, 1))
		return !strings.Contains(stacks.String(), "crdctl/internal/loop")
	})
}
