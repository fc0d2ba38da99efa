// SPDX-License-Identifier: Apache-2.0

package diag

import (
	"errors"
	"regexp"
)

// unavailable is an error about a version or a module that is not to be had here.
type unavailable struct{ error }

func (u unavailable) Unwrap() error { return u.error }

// Unavailable marks an error as one about what is not to be had here; see IsUnavailable.
func Unavailable(err error) error { return unavailable{err} }

var (
	notHad = regexp.MustCompile(`no required module provides package|cannot find module providing package|missing go\.sum entry|module lookup disabled by GOPROXY|` +
		`: dial tcp|: (403 Forbidden|404 Not Found|410 Gone)|unrecognized import path|no matching versions for query|Go 1\.\d+(\.\d+)? \(running go 1\.`)
	syntax = regexp.MustCompile(`\.go:\d+(:\d+)?: (expected |.*syntax error)`)
)

// IsUnavailable reports whether an error is about modules or versions that are not to be had here, and not about what is in the sources:
// what needs none of these can be made and compared all the same.
func IsUnavailable(err error) bool {
	if errors.As(err, &unavailable{}) {
		return true
	}
	return err != nil && notHad.MatchString(err.Error()) && !syntax.MatchString(err.Error())
}
