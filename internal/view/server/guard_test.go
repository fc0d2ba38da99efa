// SPDX-License-Identifier: Apache-2.0

package server_test

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/trace"
)

// door is the server as an attacker sees it, and the token, which that one does not have.
type door struct{ base, port, token string }

func doorOf(t *testing.T, pageURL string) door {
	t.Helper()
	u, err := url.Parse(pageURL)
	require.NoError(t, err)
	token, ok := strings.CutPrefix(u.Fragment, "token=")
	require.True(t, ok)
	require.Len(t, token, 64, "256 bits")
	_, port, err := net.SplitHostPort(u.Host)
	require.NoError(t, err)
	return door{base: "http://" + u.Host, port: port, token: token}
}

// attempt sends a request with headers, Host among them, and returns the answer and its body.
func (d door) attempt(t *testing.T, method, path string, headers map[string]string) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, d.base+path, nil)
	require.NoError(t, err)
	for k, v := range headers {
		r.Header.Set(k, v)
	}
	if host := headers["Host"]; host != "" {
		r.Host = host
		r.Header.Del("Host")
	}
	transport := &http.Transport{DisableKeepAlives: true}
	answer, err := transport.RoundTrip(r)
	require.NoError(t, err)
	defer func() { assert.NoError(t, answer.Body.Close()) }()
	body, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	return answer, string(body)
}

// What other users of the machine, other sites and careless programs send gets nothing.
func TestAttacks(t *testing.T) {
	d := doorOf(t, serve(t, crontab()).URL())
	with := func(headers ...string) map[string]string {
		all := map[string]string{"Authorization": "Bearer " + d.token}
		for i := 0; i < len(headers); i += 2 {
			all[headers[i]] = headers[i+1]
		}
		return all
	}
	for name, a := range map[string]struct {
		method, path string
		headers      map[string]string
		code         int
	}{
		"no token":                          {"GET", "/data/requests", nil, 401},
		"no token for the stream":           {"GET", "/data/stream", nil, 401},
		"no token for an unknown endpoint":  {"GET", "/data/nothing", nil, 401},
		"wrong token":                       {"GET", "/data/requests", map[string]string{"Authorization": "Bearer " + strings.Repeat("0", 64)}, 401},
		"part of the token":                 {"GET", "/data/requests", map[string]string{"Authorization": "Bearer " + d.token[:63]}, 401},
		"empty token":                       {"GET", "/data/requests", map[string]string{"Authorization": "Bearer "}, 401},
		"token in another scheme":           {"GET", "/data/requests", map[string]string{"Authorization": "Basic " + d.token}, 401},
		"token in a cookie":                 {"GET", "/data/requests", map[string]string{"Cookie": "token=" + d.token}, 401},
		"token in the query":                {"GET", "/data/requests?token=" + d.token, nil, 400},
		"token in the query and the header": {"GET", "/data/requests?token=" + d.token, with(), 400},
		"token in the query of the page":    {"GET", "/?token=" + d.token, nil, 400},
		"rebound name":                      {"GET", "/data/requests", with("Host", "attacker.example:"+d.port), 403},
		"rebound name for the page":         {"GET", "/", map[string]string{"Host": "attacker.example:" + d.port}, 403},
		"name without port":                 {"GET", "/data/requests", with("Host", "127.0.0.1"), 403},
		"name with another port":            {"GET", "/data/requests", with("Host", "127.0.0.1:1"), 403},
		"name that begins well":             {"GET", "/data/requests", with("Host", "127.0.0.1.attacker.example:"+d.port), 403},
		"other origin":                      {"GET", "/data/requests", with("Origin", "https://attacker.example"), 403},
		"other origin on the same name":     {"GET", "/data/requests", with("Origin", "http://127.0.0.1:1"), 403},
		"other scheme":                      {"GET", "/data/requests", with("Origin", "https://127.0.0.1:"+d.port), 403},
		"opaque origin":                     {"GET", "/data/requests", with("Origin", "null"), 403},
		"other site":                        {"GET", "/data/requests", with("Sec-Fetch-Site", "cross-site"), 403},
		"other port is the same site":       {"GET", "/data/requests", with("Sec-Fetch-Site", "same-site"), 403},
		"script from another site":          {"GET", "/app.js", map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "script"}, 403},
		"frame of another site":             {"GET", "/", map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe"}, 403},
		"post without origin":               {"POST", "/data/requests", with(), 403},
		"post of another origin":            {"POST", "/data/requests", with("Origin", "https://attacker.example"), 403},
		"post of the page":                  {"POST", "/data/requests", with("Origin", "http://127.0.0.1:"+d.port, "Sec-Fetch-Site", "same-origin"), 405},
		"delete":                            {"DELETE", "/data/requests", with("Origin", "http://127.0.0.1:"+d.port), 405},
		"preflight":                         {"OPTIONS", "/data/requests", with("Origin", "https://attacker.example", "Access-Control-Request-Method", "GET"), 403},
		"upgrade to a web socket":           {"GET", "/data/stream", map[string]string{"Connection": "Upgrade", "Upgrade": "websocket", "Origin": "https://attacker.example"}, 403},
		"traversal":                         {"GET", "/../../../../etc/passwd", nil, 404},
		"encoded traversal":                 {"GET", "/lib/%2e%2e/%2e%2e/web.go", nil, 404},
		"backslash":                         {"GET", `/lib\..\web.go`, nil, 404},
		"what is not a file of the page":    {"GET", "/vendor.sum", nil, 404},
		"directory":                         {"GET", "/lib/", nil, 404},
	} {
		t.Run(name, func(t *testing.T) {
			answer, body := d.attempt(t, a.method, a.path, a.headers)
			assert.Equal(t, a.code, answer.StatusCode, body)
			assert.NotContains(t, body, "crontab")
			assert.NotContains(t, body, d.token)
			for name := range answer.Header {
				assert.NotContains(t, name, "Access-Control")
				assert.NotEqual(t, "Set-Cookie", name)
			}
		})
	}
}

func TestWhoMayRead(t *testing.T) {
	d := doorOf(t, serve(t, crontab()).URL())
	token := "Bearer " + d.token
	for name, headers := range map[string]map[string]string{
		"the page":             {"Authorization": token, "Sec-Fetch-Site": "same-origin"},
		"a program":            {"Authorization": token},
		"the page by its name": {"Authorization": token, "Host": "localhost:" + d.port, "Sec-Fetch-Site": "same-origin"},
	} {
		t.Run(name, func(t *testing.T) {
			answer, body := d.attempt(t, "GET", "/data/requests?limit=3", headers)
			require.Equal(t, 200, answer.StatusCode, body)
			require.EventuallyWithT(t, func(c *assert.CollectT) { // the server reads the records while it serves
				_, body := d.attempt(t, "GET", "/data/requests?limit=3", headers)
				var got struct{ Rows []json.RawMessage }
				require.NoError(c, json.Unmarshal([]byte(body), &got))
				assert.Len(c, got.Rows, 3)
			}, time.Minute, 10*time.Millisecond)
		})
	}
	for _, headers := range []map[string]string{
		{"Sec-Fetch-Site": "none", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"},
		{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}, // from a file, as --open has it
	} {
		answer, body := d.attempt(t, "GET", "/", headers)
		assert.Equal(t, 200, answer.StatusCode)
		assert.Contains(t, body, "app.js")
		assert.NotContains(t, body, d.token)
	}
}

// Every answer has the headers, refusals too.
func TestHeaders(t *testing.T) {
	d := doorOf(t, serve(t, crontab()).URL())
	for _, path := range []string{"/", "/app.js", "/lib/lit-html/lit-html.js", "/data/requests", "/nothing"} {
		answer, _ := d.attempt(t, "GET", path, nil)
		for name, want := range map[string]string{
			"Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; " +
				"form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types lit-html",
			"X-Content-Type-Options":       "nosniff",
			"Referrer-Policy":              "no-referrer",
			"Cache-Control":                "no-store",
			"Cross-Origin-Opener-Policy":   "same-origin",
			"Cross-Origin-Resource-Policy": "same-origin",
			"X-Frame-Options":              "DENY",
		} {
			assert.Equal(t, want, answer.Header.Get(name), "%s of %s", name, path)
		}
	}
}

// The URL of another run works in a tab that has the one before.
func TestOtherURLInTheSameTab(t *testing.T) {
	s := serve(t, crontab())
	d := doorOf(t, s.URL())
	p := open(t, d.base+"/#token="+strings.Repeat("0", 64), "401")
	p.has("main", "This page needs the URL that crdctl printed")
	p.do(chromedp.Navigate(s.URL()))
	require.Eventually(t, func() bool {
		found, err := chromedp.Run(p.ctx, chromedp.Evaluate[bool](`!!document.querySelector(".finding.open")`))
		return err == nil && found // the page is loaded meanwhile
	}, time.Minute, 50*time.Millisecond)
}

// Without the token there is nothing, and the page says what is missing.
func TestPageWithoutToken(t *testing.T) {
	d := doorOf(t, serve(t, crontab()).URL())
	p := open(t, d.base+"/", "401")
	p.has("main", "This page needs the URL that crdctl printed")
}

// Text of objects and log lines stays text.
func TestInjection(t *testing.T) {
	evil := `<img src=x onerror="document.title='pwned'"><script>document.title='pwned'</script>${alert(1)}`
	r := newRecording(false)
	const object trace.ObjectID = 9
	r.add(&trace.Def{Object: &trace.Object{ID: object, UID: "evil", Resource: cronTabs, Namespace: "default", Name: evil}})
	r.add(&trace.Watch{ID: "w", Actor: controller, Resource: cronTabs, State: "open"})
	r.after(time.Second)
	value, err := json.Marshal(evil)
	require.NoError(t, err)
	rv := r.nextRV()
	r.add(&trace.Version{Object: object, Type: "MODIFIED", RV: rv, By: "evil", Finalizers: []string{evil}, Changes: []trace.Change{{Path: `metadata.annotations["` + evil + `"]`, Old: value, New: value}}})
	r.add(&trace.Request{ID: "evil", Actor: controller, Began: r.t, Verb: "update", Resource: cronTabs, Namespace: "default", Name: evil, Object: object, Code: 403, Reason: evil, Message: evil, Warnings: []string{evil}})
	r.add(&trace.Log{Actor: controller, Stream: "stderr", Level: "error", Message: evil, Key: evil, Attrs: map[string]any{"x": evil}})
	r.add(&trace.KubeEvent{Object: object, Type: "Warning", Reason: evil, Message: evil})
	r.add(&trace.Save{Build: 7, Files: []string{evil}, Steps: []trace.Step{{Name: "build", Message: evil}}})
	r.add(&trace.Admission{Type: "validating", Name: evil, Request: "evil", Began: r.t, Err: evil})
	r.add(&trace.Reconcile{ID: "r", Controller: evil, Actor: controller, Key: evil, State: "begin", Began: r.t, Source: "hook"})
	r.after(time.Millisecond)
	r.add(&trace.Reconcile{ID: "r", Controller: evil, Actor: controller, Key: evil, State: "end", Began: r.t - 1e6, Result: "error", Err: evil, Source: "hook"})
	p := open(t, serve(t, r).URL())
	p.has(".save pre", evil)
	p.has(".log .row", "<img src=x")
	p.click(".tree .row")
	p.has(".object-head", "<img src=x")
	p.has(".facts", evil)
	p.key("4")
	p.has("crd-rows[aria-label=Requests] .row", "<img src=x")
	p.key("j")
	p.has(".why", evil)
	p.key("2")
	p.waits(`document.querySelector("canvas")?.width > 100`)
	p.key("t")
	p.has(".view .row", "<img src=x")
	p.key("5")
	p.has(".view", "<img src=x")
	p.key("6")
	p.has(".rights-parts", "<img src=x")
	assert.False(t, eval[bool](p, `document.title.includes("pwned") || !!document.querySelector("img, #app script")`))
}
