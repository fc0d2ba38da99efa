// SPDX-License-Identifier: Apache-2.0

package hook

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// webServer is a web server that behaves as the path of a request says.
func webServer(t *testing.T) string {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("/echo", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		_, _ = fmt.Fprintf(w, `{"method":%q,"type":%q,"request":%s}`, r.Method, r.Header.Get("Content-Type"), body)
	})
	mux.HandleFunc("/busy/{after}", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Retry-After", r.PathValue("after"))
		http.Error(w, "too busy", http.StatusTooManyRequests)
	})
	mux.HandleFunc("/down", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) })
	mux.HandleFunc("/broken", func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "KeyError: 'spec'", 500) })
	mux.HandleFunc("/created", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(201); _, _ = w.Write([]byte(`{}`)) })
	mux.HandleFunc("/hung-up", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	mux.HandleFunc("/half", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		_, _ = w.Write([]byte(`{"status":{`))
	})
	mux.HandleFunc("/rubbish", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>")) })
	mux.HandleFunc("/flood", func(w http.ResponseWriter, _ *http.Request) {
		for range 100 {
			if _, err := w.Write(make([]byte, 1<<20)); err != nil {
				return
			}
		}
	})
	mux.HandleFunc("/hang", func(_ http.ResponseWriter, r *http.Request) { _, _ = io.ReadAll(r.Body); <-r.Context().Done() })
	mux.HandleFunc("/moved", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/echo", http.StatusTemporaryRedirect)
	})
	mux.HandleFunc("/dropped", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/echo", http.StatusFound) })
	mux.HandleFunc("/hops/{left}", func(w http.ResponseWriter, r *http.Request) {
		left, _ := strconv.Atoi(r.PathValue("left"))
		to := fmt.Sprintf("/hops/%d", left-1)
		if left == 1 {
			to = "/echo"
		}
		http.Redirect(w, r, to, http.StatusTemporaryRedirect)
	})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s.URL
}

func TestURL(t *testing.T) {
	base := webServer(t)
	for path, want := range map[string]string{
		"/echo":    `{"method":"POST","type":"application/json","request":{"parent":{}}}`,
		"/moved":   `{"method":"POST","type":"application/json","request":{"parent":{}}}`,
		"/broken":  "error the server answered 500 Internal Server Error: \"KeyError: 'spec'\\n\"",
		"/created": "error 201 Created",
		"/down":    "error 503",
		"/rubbish": `error the answer is not JSON`,
		"/hung-up": "error check that the server runs",
		"/half":    "error read the answer",
		"/flood":   "error larger than 1048576 bytes",
		"/dropped": "error redirect with 307",
		"/hops/3":  `{"method":"POST","type":"application/json","request":{"parent":{}}}`,
		"/hops/4":  "error more than 3 redirects",
	} {
		d, _ := open(t, Options{Sync: Target{URL: base + path}, MaxAnswer: 1 << 20})
		got, err := d.Call(t.Context(), syncCall(`{"parent":{}}`))
		if word, ok := strings.CutPrefix(want, "error "); ok {
			if err == nil || !strings.Contains(err.Error(), word) || !strings.Contains(err.Error(), "sync hook "+base+path) {
				t.Errorf("%s: %.100s, error %v, not one with %q", path, got, err, word)
			}
		} else if err != nil || string(got) != want {
			t.Errorf("%s: %s, error %v", path, got, err)
		}
	}
}

func TestURLThatIsBusy(t *testing.T) {
	base := webServer(t)
	for after, want := range map[string]time.Duration{"7": 7 * time.Second, "9999999999": time.Minute, "Sun, 02 Jan 2124 15:04:05 GMT": time.Minute} {
		d, _ := open(t, Options{Sync: Target{URL: base + "/busy/" + strings.ReplaceAll(after, " ", "%20")}})
		var later *RetryAfterError
		if err := failure(t, t.Context(), d, `{}`, "too busy"); !errors.As(err, &later) || later.After != want {
			t.Errorf("%s: error %v", after, err)
		}
	}
	for _, atOnce := range []string{"0", "-7", "soon", "Mon,%2002%20Jan%202006%2015:04:05%20GMT"} {
		d, _ := open(t, Options{Sync: Target{URL: base + "/busy/" + atOnce}})
		var later *RetryAfterError
		assert.False(t, errors.As(failure(t, t.Context(), d, `{}`, "too busy"), &later), "%s: put off, where a failure backs off", atOnce)
	}
}

func TestURLThatDoesNotAnswer(t *testing.T) {
	base := webServer(t)
	d, _ := open(t, Options{Sync: Target{URL: base + "/hang"}, Timeout: 100 * time.Millisecond})
	mustFail(t, t.Context(), d, `{}`, "no answer within 100ms", "--hook-timeout")
	d, _ = open(t, Options{Sync: Target{URL: base + "/hang"}})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	assert.ErrorIs(t, failure(t, ctx, d, `{}`), context.Canceled)
	closed := httptest.NewServer(nil)
	closed.Close()
	d, _ = open(t, Options{Sync: Target{URL: closed.URL}})
	mustFail(t, t.Context(), d, `{}`, "connection refused", "check that the server runs")
}

func TestProgramAndURLMixed(t *testing.T) {
	d, _ := open(t, Options{Sync: self("echo"), Finalize: Target{URL: webServer(t) + "/echo"}})
	mustCall(t, d, `{}`)
	if got, err := d.Call(t.Context(), Call{Op: Finalize, Body: []byte(`{}`)}); err != nil || !strings.Contains(string(got), "POST") {
		t.Errorf("answer %s, error %v", got, err)
	}
}
