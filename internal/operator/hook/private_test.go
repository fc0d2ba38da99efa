// SPDX-License-Identifier: Apache-2.0

package hook

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Secrets of URLs are in no error, and what a hook said is in no public text.
func TestSecretsStayPrivate(t *testing.T) {
	failing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/away" {
			http.Redirect(w, r, "http://u:pw@127.0.0.1:1/x?token=s3cr3t", http.StatusTemporaryRedirect)
			return
		}
		http.Error(w, "token=hunter2", http.StatusInternalServerError)
	}))
	defer failing.Close()
	host := strings.TrimPrefix(failing.URL, "http://")
	for name, o := range map[string]Options{
		"refused":          {Sync: Target{URL: "http://u:pw@127.0.0.1:1/sync?token=s3cr3t#s3cr3t"}},
		"redirected":       {Sync: Target{URL: "http://u:pw@" + host + "/away?token=s3cr3t"}},
		"error status":     {Sync: Target{URL: "http://u:pw@" + host + "/?token=s3cr3t"}},
		"stderr":           {Sync: self("secret", "--token=s3cr3t")},
		"no JSON":          {Sync: self("print", "token=hunter2")},
		"persistent":       {Sync: self("secret", "s3cr3t"), Persistent: true},
		"persistent error": {Sync: self("persistent-secret"), Persistent: true},
	} {
		t.Run(name, func(t *testing.T) {
			d, _ := open(t, o)
			err := failure(t, t.Context(), d, `{}`, "sync hook ")
			for _, secret := range []string{"pw", "s3cr3t"} {
				assert.NotContains(t, err.Error(), secret, "%q", err)
			}
			wrapped := errors.Join(errors.New("other"), fmt.Errorf("sync: %w", err))
			public, says := Public(wrapped), name != "refused" && name != "redirected"
			if strings.Contains(err.Error(), "hunter2") != says || strings.Contains(public, seeLog) != says || strings.Contains(public, "token") {
				t.Errorf("error %q, public %q", err, public)
			}
		})
	}
}

func TestSafeURL(t *testing.T) {
	for in, want := range map[string]string{
		"http://u:pw@host:1/a?b=c#d":  "http://host:1/a",
		"https://host":                "https://host",
		"http://u:p%zw@host/a?b":      "http://…",
		"http://u:p w@host":           "http://…",
		"http://host:x/a@b?token=c":   "http://…",
		"http://host/a?b=http://u:p@": "http://host/a",
	} {
		assert.Equal(t, want, safeURL(in), in)
	}
	assert.Equal(t, `Post "http://a/b": proxy https://h failed`, Public(errors.New(`Post "http://u:pw@a/b?c=d": proxy https://p:q@h?x failed`)))
}

// The API server's words about a Secret are for the log only, and what kind of error it is can still be told.
func TestWithhold(t *testing.T) {
	refused := errors.New("expected string, got 5555123")
	err := fmt.Errorf("apply Secret default/s: %w", Withhold(refused))
	got, want := Public(err), "apply Secret default/s"+seeLog
	assert.Equal(t, want, got)
	assert.ErrorIs(t, err, refused)
	assert.Equal(t, "apply Secret default/s: expected string, got 5555123", err.Error())
}
