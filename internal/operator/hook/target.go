// SPDX-License-Identifier: Apache-2.0

package hook

import (
	"fmt"
	"net/url"
	"slices"
)

// Target is who is asked: a URL, or a program with its arguments. The zero Target asks nothing.
type Target struct {
	URL  string
	Args []string // the program is the first
}

// IsZero reports whether there is nothing to ask.
func (t Target) IsZero() bool { return t.URL == "" && len(t.Args) == 0 }

// String is the target as logs and events name it: a URL without credentials and query, a program without its arguments, which may have
// secrets in them.
func (t Target) String() string {
	switch {
	case t.URL != "":
		return safeURL(t.URL)
	case len(t.Args) > 0:
		return t.Args[0]
	}
	return ""
}

func (t Target) equal(other Target) bool {
	return t.URL == other.URL && slices.Equal(t.Args, other.Args)
}

func parseURL(s string) (*url.URL, error) {
	u, err := url.Parse(s)
	if err != nil {
		return nil, fmt.Errorf("hook %s: %w; use a URL like http://127.0.0.1:8080/sync", safeURL(s), withoutURL(err))
	}
	if u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("hook %q: the host is missing; use a URL like http://127.0.0.1:8080/sync", safeURL(s))
	}
	return u, nil
}
