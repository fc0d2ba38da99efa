// SPDX-License-Identifier: Apache-2.0

package faultproxy

import (
	"errors"
	"io"
	"net/http"
	"sync"
)

// End is how a watch ends: as a broken connection, unless it is clean.
type End struct {
	Clean  bool
	Middle bool   // in the middle of what comes next
	Last   string // is written before the end
}

// watch is the body of the answer to a watch.
type watch struct {
	io.ReadCloser
	proxy *Proxy

	mu   sync.Mutex
	end  *End // nil while it goes on
	half bool // of the last event was written
}

func (p *Proxy) follow(response *http.Response) error {
	if IsWatch(response.Request) && response.StatusCode == http.StatusOK {
		w := &watch{ReadCloser: response.Body, proxy: p}
		response.Body = w
		p.mu.Lock()
		defer p.mu.Unlock()
		p.watches[w] = true
	}
	return nil
}

// EndWatches ends all open watches and returns how many there were.
func (p *Proxy) EndWatches(how End) int {
	p.mu.Lock()
	all := p.watches
	p.watches = map[*watch]bool{}
	p.mu.Unlock()
	for w := range all {
		w.mu.Lock()
		end := how
		w.end = &end
		w.mu.Unlock()
		if !how.Middle {
			_ = w.ReadCloser.Close() // wakes the reader
		}
	}
	return len(all)
}

// Close implements io.Closer.
func (w *watch) Close() error {
	w.proxy.mu.Lock()
	delete(w.proxy.watches, w)
	w.proxy.mu.Unlock()
	return w.ReadCloser.Close()
}

var errCut = errors.New("the fault proxy cut the watch")

// Read implements io.Reader.
func (w *watch) Read(b []byte) (int, error) {
	w.mu.Lock()
	half := w.half
	w.mu.Unlock()
	if half {
		return 0, errCut
	}
	n, err := w.ReadCloser.Read(b)
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.end == nil:
		return n, err
	case w.end.Middle && n > 1:
		w.half = true
		return n / 2, nil
	case w.end.Last != "":
		n = copy(b, w.end.Last)
		w.end.Last = w.end.Last[n:]
		return n, nil
	case w.end.Clean:
		return 0, io.EOF
	}
	return 0, errCut
}
