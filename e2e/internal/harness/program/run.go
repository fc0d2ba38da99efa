// SPDX-License-Identifier: Apache-2.0

// Package program runs programs that are measured or tested, to their end or until they are stopped, with their output
// kept. It does not know what the programs are.
package program

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"
)

// Side is a program with all that it is given.
type Side struct {
	Dir  string
	Env  []string
	Argv []string
	// Log takes the output of a program that is started; nil for none.
	Log io.Writer
}

// Taken is what one run of a side took.
type Taken struct {
	Wall time.Duration
	// CPU is the processor time of the process and of all that it waited for. Others on the machine hardly change it.
	CPU time.Duration
	// Peak is the resident memory, in bytes, of the process or of the largest one that it started, whichever had more.
	Peak int64
}

// Run runs a side to its end. The output is only used for the error.
func Run(ctx context.Context, s Side) (Taken, error) {
	cmd := exec.CommandContext(ctx, s.Argv[0], s.Argv[1:]...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = s.Dir, s.Env, 5*time.Second
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	start := time.Now()
	err := cmd.Run()
	t := Taken{Wall: time.Since(start)}
	if err != nil {
		return t, fmt.Errorf("%s: %w\n%s", strings.Join(s.Argv, " "), err, tail(output.String(), 20))
	}
	t.CPU, t.Peak = cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime(), peakOf(cmd.ProcessState)
	return t, nil
}

func tail(text string, lines int) string {
	all := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(all[max(0, len(all)-lines):], "\n")
}
