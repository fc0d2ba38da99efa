// SPDX-License-Identifier: Apache-2.0

package hook

import (
	"net/url"
	"regexp"
	"strings"
)

// privateError is an error that ends with words of a hook. They may have secrets in them: they are for the log, not for events, which everyone
// with the role "view" may read.
type privateError struct {
	err  error
	said string
}

// private adds what a hook said to an error.
func private(err error, said string) error {
	if said == "" {
		return err
	}
	return &privateError{err, said}
}

func (e *privateError) Error() string { return e.err.Error() + e.said }

// Unwrap returns the error without what the hook said.
func (e *privateError) Unwrap() error { return e.err }

// withheldError is an error of which no word is for events.
type withheldError struct{ error }

// Withhold returns an error whose text Public leaves out, such as the API server's about a Secret, which quotes the value.
func Withhold(err error) error { return withheldError{err} }

// Unwrap returns the error itself.
func (e withheldError) Unwrap() error { return e.error }

// seeLog takes the place of what is left out.
const seeLog = "; see the log of crdctl for more"

// Public returns the text of an error without what a hook said or was withheld, and without credentials and queries of URLs.
func Public(err error) string {
	text := err.Error()
	for _, said := range saidIn(err) {
		text = strings.ReplaceAll(text, said, seeLog)
	}
	return urls.ReplaceAllStringFunc(text, safeURL)
}

// saidIn returns what hooks said in an error and all that it wraps.
func saidIn(err error) (all []string) {
	if p, ok := err.(*privateError); ok { //nolint:errorlint // this is the walk that errors.As would make, but to its end
		all = append(all, p.said)
	}
	if w, ok := err.(withheldError); ok { //nolint:errorlint // see above
		all = append(all, ": "+w.Error())
	}
	switch e := err.(type) { //nolint:errorlint // see above
	case interface{ Unwrap() error }:
		if next := e.Unwrap(); next != nil {
			all = append(all, saidIn(next)...)
		}
	case interface{ Unwrap() []error }:
		for _, one := range e.Unwrap() {
			all = append(all, saidIn(one)...)
		}
	}
	return all
}

// urls finds URLs in a text, up to what cannot be part of one.
var urls = regexp.MustCompile(`[a-zA-Z][a-zA-Z0-9+.-]*://[^\s"'<>]+`)

// safeURL returns a URL without credentials, query and fragment.
func safeURL(text string) string {
	u, err := url.Parse(text)
	if err != nil { // what cannot be parsed can have secrets too
		scheme, _, _ := strings.Cut(text, "://")
		return scheme + "://…"
	}
	u.User, u.RawQuery, u.ForceQuery, u.Fragment, u.RawFragment = nil, "", false, "", ""
	return u.String()
}

// withoutURL returns an error of net/http or net/url without the URL that it was about: who reads it is told of the hook's, and what is
// redirected to may have secrets as well.
func withoutURL(err error) error {
	if u, ok := err.(*url.Error); ok { //nolint:errorlint // only the outermost has the URL
		return u.Err
	}
	return err
}
