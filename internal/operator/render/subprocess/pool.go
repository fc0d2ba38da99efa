// SPDX-License-Identifier: Apache-2.0

package subprocess

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/crdctl/crdctl/internal/operator/hook"
)

// pool keeps helpers between renderings. It has as many as there were renderings at the same time.
type pool struct {
	mu     sync.Mutex
	idle   []*process
	closed bool
	calls  sync.WaitGroup
}

var errTimeout = &BoundError{Bound: Time}

// render has a helper answer a request.
func (p *pool) render(ctx context.Context, t *parsed, kind byte, request []byte, limit time.Duration, o Options) ([]byte, error) {
	helper, err := p.take(t, o)
	if err != nil {
		return nil, err
	}
	defer p.give(helper)
	ctx, cancel := context.WithTimeoutCause(ctx, limit, errTimeout)
	defer cancel()
	return helper.call(ctx, kind, request, o.MaxOutput)
}

// take returns a helper with these templates, which must be given back.
func (p *pool) take(t *parsed, o Options) (*process, error) {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return nil, hook.ErrClosed
	}
	p.calls.Add(1)
	var old []*process
	defer func() { stopAll(old) }()
	for len(p.idle) > 0 {
		last := len(p.idle) - 1
		helper := p.idle[last]
		p.idle = p.idle[:last]
		if helper.templates == t && helper.running() {
			p.mu.Unlock()
			return helper, nil
		}
		old = append(old, helper)
	}
	p.mu.Unlock()
	helper, err := start(t, setup{Files: t.files, MaxOutput: o.MaxOutput, Seconds: (o.Timeout + time.Second).Seconds()})
	if err != nil {
		p.calls.Done()
	}
	return helper, err
}

func (p *pool) give(helper *process) {
	defer p.calls.Done()
	p.mu.Lock()
	defer p.mu.Unlock()
	if !helper.gone {
		p.idle = append(p.idle, helper)
	}
}

// keep ends the idle helpers that have other templates.
func (p *pool) keep(t *parsed) {
	p.mu.Lock()
	var old []*process
	p.idle = slices.DeleteFunc(p.idle, func(h *process) bool {
		if h.templates != t {
			old = append(old, h)
		}
		return h.templates != t
	})
	p.mu.Unlock()
	stopAll(old)
}

func stopAll(helpers []*process) {
	for _, h := range helpers {
		h.stop()
	}
}

// close returns when all helpers have ended.
func (p *pool) close() {
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	p.calls.Wait()
	p.keep(nil)
}
