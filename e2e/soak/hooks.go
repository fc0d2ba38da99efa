// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/procfs"
	"github.com/stretchr/testify/require"
)

// hooks answers for the programs of all hooks, as it should unless a rule says otherwise, and sees which calls are under way.
type hooks struct {
	soak    *soak
	server  *httptest.Server
	program string // a copy of this one, since it is touched

	mu      sync.Mutex
	rules   map[string]rule // by replica
	failing []string        // keys whose calls always fail
	ledger
}

// rule changes the answer to every second call.
type rule func(ctx context.Context, answer []byte) (code int, changed []byte)

// rules are the ways in which a hook misbehaves.
var rules = []struct {
	what string
	do   rule
}{
	{"hangs", func(ctx context.Context, _ []byte) (int, []byte) {
		<-ctx.Done() // its process has ended
		return 0, nil
	}},
	{"crashes", func(context.Context, []byte) (int, []byte) { return crash, nil }},
	{"answers rubbish", func(context.Context, []byte) (int, []byte) { return http.StatusOK, []byte("this is not JSON {") }},
	{"answers 20 MB", func(context.Context, []byte) (int, []byte) {
		return http.StatusOK, fmt.Appendf(nil, `{"children":[],"text":"%s"}`, strings.Repeat("x", 20<<20))
	}},
	{"fails", fails},
	{"takes its time", func(ctx context.Context, answer []byte) (int, []byte) {
		idle(ctx, rand.N(2*time.Second))
		return http.StatusOK, answer
	}},
	{"answers with a child of a kind that it does not own", func(context.Context, []byte) (int, []byte) {
		return http.StatusOK, []byte(`{"children":[{"apiVersion":"v1","kind":"Secret","metadata":{"name":"strange"}}]}`)
	}},
}

func fails(context.Context, []byte) (int, []byte) {
	return http.StatusInternalServerError, []byte("the soak wanted an error")
}

func newHooks(s *soak) *hooks {
	h := &hooks{soak: s, program: filepath.Join(s.dir, "hook"), rules: map[string]rule{}, ledger: newLedger(s.Errorf)}
	self := must(os.ReadFile(must(os.Executable())(s)))(s)
	require.NoError(s, os.WriteFile(h.program, self, 0o755))
	h.server = httptest.NewServer(h)
	return h
}

// ServeHTTP answers a call. For the ledger it has ended before crdctl can know of the answer.
func (h *hooks) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var q question
	data, err := io.ReadAll(r.Body)
	if err == nil {
		err = json.Unmarshal(data, &q)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	replica, key := path.Base(r.URL.Path), namespace+"/"+q.Parent.Name
	var misbehave rule
	var call *work
	h.change(func() {
		call = h.begin(replica, key, time.Now())
		if slices.Contains(h.failing, key) {
			misbehave = fails
		} else if rand.N(2) == 0 {
			misbehave = h.rules[replica]
		}
	})
	code, answer := http.StatusOK, must(json.Marshal(q.answer()))(h.soak)
	if misbehave != nil {
		code, answer = misbehave(r.Context(), answer)
	}
	h.change(func() { h.end(call) })
	if r.Context().Err() == nil {
		w.WriteHeader(code)
		_, _ = w.Write(answer) // its process may have ended
	}
}

// change changes what the hooks have in common.
func (h *hooks) change(do func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	do()
}

// processes counts the hooks' processes. One that ends meanwhile does not count.
func (h *hooks) processes() (n int) {
	for _, p := range must(procfs.AllProcs())(h.soak) {
		if line, err := p.CmdLine(); err == nil && len(line) > 0 && line[0] == h.program {
			n++
		}
	}
	return n
}
