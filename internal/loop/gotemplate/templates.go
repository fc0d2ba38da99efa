package gotemplate

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"

	kjson "sigs.k8s.io/json"

	"github.com/crdctl/crdctl/internal/loop/hook"
	"github.com/crdctl/crdctl/internal/loop/ondisk"
)

// Templates is a Decider that renders a folder of templates.
type Templates struct {
	dir     string
	log     *slog.Logger
	current atomic.Pointer[set]
	watcher *ondisk.Watcher
	changed chan struct{}
	done    chan struct{}
	once    sync.Once
	running sync.WaitGroup
}

var _ hook.Decider = (*Templates)(nil)

// Open parses the templates of a folder, and again when they change. A change that does not parse is logged, and what was parsed
// last stays.
func Open(dir string, log *slog.Logger) (*Templates, error) {
	t := &Templates{dir: dir, log: log, changed: make(chan struct{}, 1), done: make(chan struct{})}
	t.watcher = ondisk.Watch(ondisk.Folder(dir, Wanted)) // first, so that no change falls between
	s, err := load(dir)
	if err != nil {
		t.watcher.Close()
		return nil, err
	}
	t.current.Store(s)
	t.running.Go(t.follow)
	return t, nil
}

func (t *Templates) follow() {
	for {
		select {
		case <-t.done:
			return
		case <-t.watcher.Changes:
		}
		s, err := load(t.dir)
		if err != nil {
			t.log.Error("Templates changed, but can't be used; those before are used on", "err", err)
			continue
		}
		t.current.Store(s)
		t.log.Info("Templates changed on disk", "folder", t.dir)
		select {
		case t.changed <- struct{}{}:
		default:
		}
	}
}

// Has tells of sync, which is always there, and of customize, if there is a file for it. What is to be done before a parent goes is
// nothing that a template could do.
func (t *Templates) Has(op hook.Op) bool {
	return op == hook.Sync || op == hook.Customize && t.current.Load().customize != ""
}

// ReadsChildren tells whether a rendering may depend on the children that exist, so that they must be kept whole.
func (t *Templates) ReadsChildren() bool { return t.current.Load().reads }

// Changed hands out something when the templates changed, and parsed.
func (t *Templates) Changed() <-chan struct{} { return t.changed }

// Close ends the watching.
func (t *Templates) Close() {
	t.once.Do(func() {
		close(t.done)
		t.running.Wait()
		t.watcher.Close()
	})
}

// Call renders.
func (t *Templates) Call(ctx context.Context, c hook.Call) ([]byte, error) {
	out, err := t.call(ctx, c)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t.dir, err)
	}
	return out, nil
}

func (t *Templates) call(ctx context.Context, c hook.Call) ([]byte, error) {
	s := t.current.Load()
	var data map[string]any
	if err := unmarshalJSON(c.Body, &data); err != nil {
		return nil, fmt.Errorf("the request is no JSON object: %w", err)
	}
	r := s.renderers.Get().(*renderer)
	defer s.renderers.Put(r)
	r.ctx, r.left = ctx, maxOutput
	switch {
	case c.Op == hook.Sync:
		return s.sync(r, data)
	case c.Op == hook.Customize && s.customize != "":
		return s.related(r, data)
	}
	return nil, fmt.Errorf("there is no template for %s", c.Op)
}

// unmarshalJSON has whole numbers as int64 and not as float64: a template prints and compares them as the numbers that they are.
func unmarshalJSON(b []byte, into any) error {
	return kjson.UnmarshalCaseSensitivePreserveInts(b, into)
}
