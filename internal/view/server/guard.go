// SPDX-License-Identifier: Apache-2.0

package server

import (
	"crypto/subtle"
	"net/http"
	"slices"
	"strings"
)

// csp lets the page load its own files, and nothing else. The only Trusted Types policy is that of lit-html, which makes
// templates of literals in the page's own scripts: text of objects and log lines reaches the page as text only.
const csp = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; " +
	"form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types lit-html"

// guard refuses what does not come from the page of this server or from a program that has its token. Other users of the
// machine and other sites in the user's browser reach the port, too: the one have no token, the others neither that nor
// the right Host.
type guard struct {
	hosts []string // with port
	token string
}

// headers are on every answer. There is never a CORS header: no other origin may read anything.
func headers(h http.Header) {
	h.Set("Content-Security-Policy", csp)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-store")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
}

// wrap returns a handler that serves assets to the page, and data to those that have the token.
func (g *guard) wrap(assets, data http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		headers(w.Header())
		isData := strings.HasPrefix(r.URL.Path, dataPath)
		code, why := g.judge(r, isData)
		switch {
		case code != 0:
			if code == http.StatusUnauthorized {
				w.Header().Set("WWW-Authenticate", "Bearer")
			}
			http.Error(w, why, code)
		case isData:
			data.ServeHTTP(w, r)
		default:
			assets.ServeHTTP(w, r)
		}
	})
}

// judge returns the status and the reason of a refusal, or 0.
func (g *guard) judge(r *http.Request, isData bool) (code int, why string) {
	origin, site := r.Header.Get("Origin"), r.Header.Get("Sec-Fetch-Site")
	switch {
	case !g.isHost(r.Host):
		return http.StatusForbidden, "the host is not the one that crdctl listens on"
	case origin != "" && !g.isOrigin(origin):
		return http.StatusForbidden, "the request comes from another origin"
	case !isRead(r.Method) && origin == "":
		return http.StatusForbidden, "the request has no origin"
	case !isRead(r.Method):
		return http.StatusMethodNotAllowed, "the page reads only"
	case !isSameSite(site) && !isNavigation(r, isData):
		return http.StatusForbidden, "the request comes from another site"
	case r.URL.Query().Has("token"):
		// A query reaches logs, histories and Referer headers: do not let that become a habit.
		return http.StatusBadRequest, "the token belongs into the fragment of the URL, or the header Authorization"
	case isData && !g.hasToken(r):
		return http.StatusUnauthorized, "the token is missing or that of another run; use the URL that crdctl printed"
	}
	return 0, ""
}

func (g *guard) isHost(host string) bool {
	return slices.ContainsFunc(g.hosts, func(h string) bool { return strings.EqualFold(host, h) })
}

func (g *guard) isOrigin(origin string) bool {
	host, ok := strings.CutPrefix(origin, "http://")
	return ok && g.isHost(host)
}

func (g *guard) hasToken(r *http.Request) bool {
	got, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	return ok && subtle.ConstantTimeCompare([]byte(got), []byte(g.token)) == 1
}

func isRead(method string) bool { return method == http.MethodGet || method == http.MethodHead }

// isSameSite reports whether a browser that says where a request comes from names this origin or the user. Programs
// that are not browsers say nothing.
func isSameSite(site string) bool { return site == "" || site == "same-origin" || site == "none" }

// isNavigation reports whether a link or a redirect elsewhere opens the page, which has no data by itself.
func isNavigation(r *http.Request, isData bool) bool {
	return !isData && r.URL.Path == "/" && r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Header.Get("Sec-Fetch-Dest") == "document"
}
