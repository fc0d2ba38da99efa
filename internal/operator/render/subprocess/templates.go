// SPDX-License-Identifier: Apache-2.0

package subprocess

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/crdctl/crdctl/internal/fswatch"
	"github.com/crdctl/crdctl/internal/operator/hook"
	"github.com/crdctl/crdctl/internal/operator/render"
	"github.com/crdctl/crdctl/internal/text/lazyregexp"
)

// Options are the bounds of a rendering.
type Options struct {
	Timeout   time.Duration // 10 s if 0
	MaxOutput int           // bytes; 8 MiB if 0
	// OneObject is for previews: there are no others to be kept from waiting.
	OneObject bool
	Log       *slog.Logger
}

// Templates is a Decider that renders a directory of templates.
type Templates struct {
	Options
	dir     string
	current atomic.Pointer[parsed]
	lanes   *lanes
	pool    pool
	watcher *fswatch.FileWatcher
	changed chan struct{}
	ctx     context.Context // ends with Close
	cancel  context.CancelCauseFunc
	once    sync.Once
	running sync.WaitGroup
}

var _ hook.Decider = (*Templates)(nil)

// parsed are templates, to be parsed again by helpers.
type parsed struct {
	*render.Set
	files map[string]string
}

// Open parses the templates of a directory, and again when they change. A change that does not parse is logged, and what was parsed
// last stays.
func Open(dir string, o Options) (*Templates, error) {
	o.Timeout, o.MaxOutput = cmp.Or(o.Timeout, 10*time.Second), cmp.Or(o.MaxOutput, 8<<20)
	t := &Templates{Options: o, dir: dir, lanes: newLanes(max(2, runtime.NumCPU())), changed: make(chan struct{}, 1)}
	t.watcher = fswatch.NewFileWatcher(fswatch.Dir(dir, render.Wanted)) // first, so that no change falls between
	p, err := load(dir)
	if err != nil {
		t.watcher.Close()
		return nil, err
	}
	t.current.Store(p)
	t.ctx, t.cancel = context.WithCancelCause(context.Background())
	t.running.Go(t.follow)
	return t, nil
}

func load(dir string) (*parsed, error) {
	files, err := render.Read(dir)
	if err != nil {
		return nil, err
	}
	set, err := render.Parse(files)
	if err != nil {
		return nil, in(dir, err)
	}
	return &parsed{Set: set, files: files}, nil
}

func (t *Templates) follow() {
	for {
		select {
		case <-t.ctx.Done():
			return
		case gone := <-t.watcher.Missing:
			t.Log.Error("Templates are missing; the last valid ones stay in use", "files", gone)
			continue
		case <-t.watcher.Changes:
		}
		p, err := load(t.dir)
		if err != nil {
			t.Log.Error("Templates changed but are invalid; the last valid ones stay in use", "err", err)
			continue
		}
		t.current.Store(p)
		t.lanes.forget()
		t.pool.keep(p)
		t.Log.Debug("Templates changed on disk", "directory", t.dir)
		select {
		case t.changed <- struct{}{}:
		default:
		}
	}
}

// Has reports whether there is a template for a question: for sync always, and for customize if there is a file for it. What is to be
// done before a parent goes is nothing that a template could do.
func (t *Templates) Has(op hook.Op) bool {
	return op == hook.Sync || op == hook.Customize && t.current.Load().Customize() != ""
}

// ReadsChildren reports whether a rendering may depend on the children that exist, so that they must be kept whole.
func (t *Templates) ReadsChildren() bool { return t.current.Load().ReadsChildren() }

// Changed hands out something when the templates changed, and parsed.
func (t *Templates) Changed() <-chan struct{} { return t.changed }

// Close ends the watching and the helpers.
func (t *Templates) Close() {
	t.once.Do(func() {
		t.cancel(hook.ErrClosed)
		t.running.Wait()
		t.watcher.Close()
		t.pool.close()
	})
}

// inFile begins an error with a place in a template.
var inFile = lazyregexp.New(`^[^\s:/]+:\d+:`)

// in adds the directory of the templates to an error. A place in one of them becomes one that editors and terminals can open.
func in(dir string, err error) error {
	if inFile.MatchString(err.Error()) {
		return fmt.Errorf("%s%w", dir+string(filepath.Separator), err)
	}
	return fmt.Errorf("%s: %w", dir, err)
}

// Call renders.
func (t *Templates) Call(ctx context.Context, c hook.Call) ([]byte, error) {
	p := t.current.Load()
	kind := frameSync
	switch {
	case c.Op == hook.Customize && p.Customize() != "":
		kind = frameCustomize
	case c.Op != hook.Sync:
		return nil, fmt.Errorf("%s: no template for %s", t.dir, c.Op)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(t.ctx, func() { cancel(hook.ErrClosed) })()
	if c.Observer != nil {
		c.Observer.Asks(t.dir)
	}
	out, err := t.render(ctx, p, kind, c)
	if err == nil {
		return out, nil
	}
	if later, ok := errors.AsType[*hook.RetryAfterError](err); ok {
		return nil, &hook.RetryAfterError{After: later.After, Err: in(t.dir, later.Err)}
	}
	return nil, in(t.dir, err)
}

func (t *Templates) render(ctx context.Context, p *parsed, kind byte, c hook.Call) ([]byte, error) {
	if t.OneObject {
		out, err := t.pool.render(ctx, p, kind, c.Body, t.Timeout, t.Options)
		return out, t.explain(err, len(c.Body))
	}
	key := string(c.Op) + " " + c.Kind + " " + c.Key
	leave, limit, err := t.lanes.enter(ctx, key, c.Body, t.Timeout)
	if err != nil {
		return nil, err
	}
	defer leave()
	if c.Observer != nil {
		c.Observer.Started()
	}
	began := time.Now()
	out, err := t.pool.render(ctx, p, kind, c.Body, limit, t.Options)
	return out, t.lanes.ended(key, c.Body, time.Since(began), limit, t.Timeout, t.explain(err, len(c.Body)))
}
