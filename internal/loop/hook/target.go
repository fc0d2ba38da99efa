package hook

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// Target is who is asked: a URL, or a program with its arguments. The zero Target is nobody.
type Target struct {
	URL  string
	Args []string // the program is the first
}

// IsZero tells whether there is nobody to ask.
func (t Target) IsZero() bool { return t.URL == "" && len(t.Args) == 0 }

// String is the target as a person would write it, without the password of a URL.
func (t Target) String() string {
	if t.URL != "" {
		if u, err := url.Parse(t.URL); err == nil {
			return u.Redacted()
		}
		return t.URL
	}
	return strings.Join(t.Args, " ")
}

func (t Target) equal(other Target) bool {
	return t.URL == other.URL && slices.Equal(t.Args, other.Args)
}

func parseURL(s string) (*url.URL, error) {
	u, err := url.Parse(s)
	if err != nil {
		return nil, fmt.Errorf("hook: %w; give a URL like http://127.0.0.1:8080/sync", err)
	}
	if u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("hook %q: there is no host in it; give a URL like http://127.0.0.1:8080/sync", s)
	}
	return u, nil
}
