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

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
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
