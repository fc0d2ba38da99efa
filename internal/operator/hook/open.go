// SPDX-License-Identifier: Apache-2.0

package hook

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"sync"

	"github.com/crdctl/crdctl/internal/fswatch"
	"github.com/crdctl/crdctl/internal/proc"
)

// caller asks one target.
type caller interface {
	call(context.Context, Call) ([]byte, error)
}

// hooks is the Decider of hooks.
type hooks struct {
	names    map[Op]string // of the targets, for logs and events
	callers  map[Op]caller
	servers  []*persistent
	closeWeb func()
	mark     string
	watcher  *fswatch.FileWatcher
	changed  chan struct{}

	ctx    context.Context // ends with Close
	cancel context.CancelCauseFunc
	once   sync.Once
	mu     sync.Mutex // held while a call begins, so that none begins after Close
	calls  sync.WaitGroup
	others sync.WaitGroup
}

// ErrClosed is the end of calls that Close ended.
var ErrClosed = errors.New("hooks are closed")

// Open finds what the targets name. It starts nothing: that is left to the first call.
func Open(o Options) (Decider, error) {
	if o.Sync.IsZero() {
		return nil, errors.New("hooks: no sync hook; name a program or a URL with --hook (loop.hook)")
	}
	o = o.withDefaults()
	h := &hooks{names: map[Op]string{}, callers: map[Op]caller{}, changed: make(chan struct{}, 1), closeWeb: func() {}, mark: o.Mark}
	h.ctx, h.cancel = context.WithCancelCause(context.Background())
	turns := make(chan struct{}, o.MaxParallel)
	var client *http.Client
	var files []string
	for _, op := range []Op{Sync, Finalize, Customize} { // in order, so that it is always the same one that is found wrong first
		target := map[Op]Target{Sync: o.Sync, Finalize: o.Finalize, Customize: o.Customize}[op]
		if target.IsZero() {
			continue
		}
		h.names[op] = target.String()
		if target.URL != "" {
			if _, err := parseURL(target.URL); err != nil {
				return nil, err
			}
			if client == nil {
				c, transport := newClient()
				client, h.closeWeb = c, transport.CloseIdleConnections
			}
			h.callers[op] = &web{url: target.URL, client: client, timeout: o.Timeout, limit: o.MaxAnswer}
			continue
		}
		p, err := find(target, o.Dir)
		if err != nil {
			return nil, err
		}
		p.mark, h.names[op] = o.Mark, p.name
		files = append(files, p.files...)
		if o.Persistent {
			h.callers[op] = h.server(target, p, o)
		} else {
			h.callers[op] = &perCall{program: p, turns: turns, timeout: o.Timeout, limit: o.MaxAnswer, log: o.Log}
		}
	}
	if len(files) > 0 {
		slices.Sort(files)
		h.watcher = fswatch.NewFileWatcher(fswatch.Files(slices.Compact(files)...))
		h.others.Go(func() { h.follow(o.Log) })
	}
	return h, nil
}

// server is the process that serves a target: one for all hooks that name the same program.
func (h *hooks) server(t Target, p program, o Options) *persistent {
	for _, s := range h.servers {
		if s.target.equal(t) {
			return s
		}
	}
	s := newPersistent(t, p, o)
	h.servers = append(h.servers, s)
	return s
}

// follow replaces processes whose program changed, and passes the news on.
func (h *hooks) follow(log *slog.Logger) {
	for {
		select {
		case <-h.ctx.Done():
			return
		case gone := <-h.watcher.Missing:
			log.Error("Hook file is missing; calls fail until it is back", "files", gone)
			continue
		case <-h.watcher.Changes:
		}
		log.Debug("Hook changed on disk") // what follows is logged as Info
		for _, s := range h.servers {
			s.replace()
		}
		select {
		case h.changed <- struct{}{}:
		default:
		}
	}
}

func (h *hooks) Has(op Op) bool { return h.callers[op] != nil }

func (h *hooks) Changed() <-chan struct{} { return h.changed }

func (h *hooks) Call(ctx context.Context, c Call) ([]byte, error) {
	caller := h.callers[c.Op]
	if caller == nil {
		return nil, fmt.Errorf("no %s hook is set", c.Op)
	}
	if c.Observer != nil {
		c.Observer.Asks(h.names[c.Op])
	}
	h.mu.Lock()
	if h.ctx.Err() != nil {
		h.mu.Unlock()
		return nil, ErrClosed
	}
	h.calls.Add(1)
	h.mu.Unlock()
	defer h.calls.Done()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(h.ctx, func() { cancel(ErrClosed) })()
	answer, err := caller.call(ctx, c)
	if err == nil {
		return answer, nil
	}
	if later, ok := errors.AsType[*RetryAfterError](err); ok {
		return nil, &RetryAfterError{After: later.After, Err: fmt.Errorf("%s hook %s: %w", c.Op, h.names[c.Op], later.Err)}
	}
	return nil, fmt.Errorf("%s hook %s: %w", c.Op, h.names[c.Op], err)
}

func (h *hooks) Close() { h.once.Do(h.close) }

func (h *hooks) close() {
	h.mu.Lock()
	h.cancel(ErrClosed)
	h.mu.Unlock()
	h.calls.Wait()
	h.others.Wait()
	for _, s := range h.servers {
		h.others.Go(s.close)
	}
	h.others.Wait()
	if h.watcher != nil {
		h.watcher.Close()
	}
	h.closeWeb()
	proc.KillMarked(h.mark) // what the calls left in sessions of their own
}
