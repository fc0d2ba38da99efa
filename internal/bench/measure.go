package main

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"strings"
	"time"
)

// measured is what one run of one side took.
type measured struct {
	wall time.Duration
	// cpu is the processor time of the process and of all that it waited for. Others on the machine hardly change it.
	cpu time.Duration
	// peak is the resident memory, in bytes, of the process or of the largest one that it started, whichever had more.
	peak int64
}

// side is a program with all that it is told.
type side struct {
	dir  string
	env  []string
	argv []string
}

// measure runs a side to its end. Its output is kept for the error, and for nothing else.
func measure(ctx context.Context, s side) (measured, error) {
	cmd := exec.CommandContext(ctx, s.argv[0], s.argv[1:]...)
	cmd.Dir, cmd.Env = s.dir, s.env
	cmd.WaitDelay = 5 * time.Second
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	start := time.Now()
	err := cmd.Run()
	m := measured{wall: time.Since(start)}
	if err != nil {
		return m, fmt.Errorf("%s: %w\n%s", strings.Join(s.argv, " "), err, tail(said.String(), 20))
	}
	m.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	m.peak = peakOf(cmd.ProcessState)
	return m, nil
}

// tail are the last lines of a text.
func tail(text string, lines int) string {
	all := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(all[max(0, len(all)-lines):], "\n")
}
