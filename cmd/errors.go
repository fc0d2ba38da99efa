package cmd

import (
	"context"
	"errors"
	"fmt"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/crdctl/crdctl/internal/ui"
)

// The exit codes, everywhere.
const (
	exitYes     = 0 // the answer is yes, or the work is done
	exitNo      = 1 // the answer is no: something is stale
	exitTrouble = 2 // trouble, or wrong usage
)

// errNo is the answer no. It is not printed: the findings were.
var errNo = errors.New("no")

// exitCode is the exit code of a program that crdctl ran instead of working itself, such as kubectl.
type exitCode int

func (e exitCode) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// usageError is an error that the command's usage answers.
type usageError struct{ error }

// reportError prints an error, once, and gives the exit code that it means.
func reportError(r ui.Reporter, cmd *cobra.Command, err error) int {
	var usage usageError
	var code exitCode
	switch {
	case err == nil:
		return exitYes
	case errors.Is(err, errNo):
		return exitNo
	case errors.As(err, &code):
		return int(code)
	case errors.As(err, &usage):
		r.Error(err)
		r.Printf("See \"%s --help\".", cmd.CommandPath())
	case errors.Is(err, context.Canceled):
		r.Note("interrupted")
	case errors.Is(err, syscall.EMFILE):
		r.Note("%v; raise the limit of open files, for example with \"ulimit -n 1024\"", err)
	default:
		r.Error(err)
	}
	return exitTrouble
}
