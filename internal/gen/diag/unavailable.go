// SPDX-License-Identifier: Apache-2.0

package diag

import (
	"errors"
	"fmt"
	"regexp"
)

// unsupported is an error about a version that crdctl cannot run.
type unsupported struct{ error }

func (u unsupported) Unwrap() error { return u.error }

// Unsupported marks an error as one about a version that crdctl cannot run, here or elsewhere. It is one about what is unavailable, too.
func Unsupported(err error) error { return unsupported{err} }

// IsUnsupported reports whether an error is marked so.
func IsUnsupported(err error) bool { return errors.As(err, &unsupported{}) }

// unavailable is an error about something that is not known here.
type unavailable struct{ error }

func (u unavailable) Unwrap() error { return u.error }

// Unavailable marks an error as one about what is unavailable here.
func Unavailable(err error) error { return unavailable{err} }

var (
	notHad = regexp.MustCompile(`no required module provides package|cannot find module providing package|missing go\.sum entry|go\.sum (lacks|does not exist)|module lookup disabled by GOPROXY|` +
		`: dial tcp|: (403 Forbidden|404 Not Found|410 Gone)|unrecognized import path|no matching versions for query|Go 1\.\d+(\.\d+)? \(running go 1\.`)
	syntax = regexp.MustCompile(`\.go:\d+(:\d+)?: (expected |.*syntax error)`)
)

// IsUnavailable reports whether an error is about modules or versions that are unavailable here, and not about what is in the sources:
// what needs none of these can be made and compared all the same.
func IsUnavailable(err error) bool {
	return IsUnsupported(err) || errors.As(err, &unavailable{}) || err != nil && notHad.MatchString(err.Error()) && !syntax.MatchString(err.Error())
}

// inferred is the error of a call that no command in the tree has.
type inferred struct {
	from string
	err  error
}

func (i inferred) Error() string {
	return fmt.Sprintf("no command that crdctl can read generates %s, and what its header names fails; set controllerGen: {calls: […]}: %v", i.from, i.err)
}

func (i inferred) Unwrap() error { return i.err }

// Inferred marks an error as one of a call that was inferred from a generated file: another call may have made the file, or an older
// version of the generator, so the error tells nothing about the sources.
func Inferred(from string, err error) error { return inferred{from, err} }

// IsInferred reports whether an error is one of a call that was inferred.
func IsInferred(err error) bool { return errors.As(err, &inferred{}) }
