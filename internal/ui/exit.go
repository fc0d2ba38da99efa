// SPDX-License-Identifier: Apache-2.0

package ui

import (
	"context"
	"errors"
	"fmt"
	"syscall"
)

// The exit codes, everywhere.
const (
	ExitYes     = 0 // the answer is yes, or the work is done
	ExitNo      = 1 // the answer is no: something is stale
	ExitTrouble = 2 // trouble, or wrong usage
)

// ErrNo is the answer no. It is not printed: the findings were.
var ErrNo = errors.New("no")

// ExitCode is the exit code of a program that crdctl ran instead of working itself, such as kubectl.
type ExitCode int

func (e ExitCode) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

type usageError struct{ error }

// UsageError is an error that the usage of the command answers.
func UsageError(err error) error { return usageError{err} }

// UsageErrorf is UsageError of a text.
func UsageErrorf(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// Exit prints the error of a command, once, and returns the exit code that it means.
func (r Reporter) Exit(command string, err error) int {
	var usage usageError
	var code ExitCode
	switch {
	case err == nil:
		return ExitYes
	case errors.Is(err, ErrNo):
		return ExitNo
	case errors.As(err, &code):
		return int(code)
	case errors.As(err, &usage):
		r.Error(err)
		r.Printf("See \"%s --help\".", command)
	case errors.Is(err, context.Canceled):
		r.Note("interrupted")
	case errors.Is(err, syscall.EMFILE):
		r.Note("%v; raise the limit of open files, for example with \"ulimit -n 1024\"", err)
	default:
		r.Error(err)
	}
	return ExitTrouble
}
