// Package measure holds what the benches have in common: a program run to its end and what that took, medians, how busy the
// machine is, and what the environment asks for. It knows nothing of what is measured.
package measure

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"strings"
	"time"
)

// Taken is what one run of one side took.
type Taken struct {
	Wall time.Duration
	// CPU is the processor time of the process and of all that it waited for. Others on the machine hardly change it.
	CPU time.Duration
	// Peak is the resident memory, in bytes, of the process or of the largest one that it started, whichever had more.
	Peak int64
}

// Side is a program with all that it is told.
type Side struct {
	Dir  string
	Env  []string
	Argv []string
}

// Run runs a side to its end. Its output is kept for the error, and for nothing else.
func Run(ctx context.Context, s Side) (Taken, error) {
	cmd := exec.CommandContext(ctx, s.Argv[0], s.Argv[1:]...)
	cmd.Dir, cmd.Env = s.Dir, s.Env
	cmd.WaitDelay = 5 * time.Second
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	start := time.Now()
	err := cmd.Run()
	t := Taken{Wall: time.Since(start)}
	if err != nil {
		return t, fmt.Errorf("%s: %w\n%s", strings.Join(s.Argv, " "), err, Tail(said.String(), 20))
	}
	t.CPU = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	t.Peak = peakOf(cmd.ProcessState)
	return t, nil
}

// Tail are the last lines of a text.
func Tail(text string, lines int) string {
	all := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(all[max(0, len(all)-lines):], "\n")
}
