// SPDX-License-Identifier: Apache-2.0

package proc

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The test binary is its own child: PROC_TEST_CHILD says how it behaves.
func TestMain(m *testing.M) {
	switch os.Getenv("PROC_TEST_CHILD") {
	case "":
		os.Exit(m.Run())
	case "fail":
		fmt.Fprintln(os.Stderr, "child: failing")
		os.Exit(3)
	case "obey":
		signals := make(chan os.Signal, 1)
		signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT)
		fmt.Println("ready")
		<-signals
		fmt.Println("stopping in order")
	case "talk":
		for range 100 {
			if _, err := fmt.Println(strings.Repeat("x", 1000)); err != nil {
				os.Exit(4)
			}
		}
	case "leave": // a child of its own, which has its output too
		left := exec.Command(os.Args[0])
		left.Env = append(os.Environ(), "PROC_TEST_CHILD=ignore")
		left.Stdout = os.Stdout
		if err := left.Start(); err != nil {
			os.Exit(5)
		}
	case "parent":
		parent()
	case "ignore":
		signal.Ignore(syscall.SIGTERM, syscall.SIGINT)
		fmt.Println("ready")
		time.Sleep(time.Hour)
	}
}

// child starts this binary and returns it with what it prints, once it has printed a line.
func child(t *testing.T, behaviour string, grace time.Duration) (*Process, *bytes.Buffer) {
	t.Helper()
	var out bytes.Buffer
	reader, writer := io.Pipe()
	both := io.MultiWriter(&out, writer) // one writer, so that one goroutine writes
	p, err := Start(Options{
		Path: os.Args[0], Env: append(os.Environ(), "PROC_TEST_CHILD="+behaviour),
		Stdout: both, Stderr: both, Grace: grace,
	})
	require.NoError(t, err)
	t.Cleanup(func() { p.Stop() })
	_, err = reader.Read(make([]byte, 1))
	require.NoError(t, err)
	go func() { _, _ = io.Copy(io.Discard, reader) }()
	return p, &out
}

func TestStopAsksFirst(t *testing.T) {
	p, out := child(t, "obey", time.Minute)
	assert.False(t, p.Stop(), "an obedient child was killed")
	p.Stop() // again, to no effect
	assert.Contains(t, out.String(), "stopping in order", "printed %q", out)
}

func TestStopKillsAfterTheGrace(t *testing.T) {
	p, _ := child(t, "ignore", 50*time.Millisecond)
	if killed := p.Stop(); !killed {
		t.Errorf("a child that ignores SIGTERM was not killed: %v", p.Err())
	}
}

func TestChildThatDies(t *testing.T) {
	var out bytes.Buffer
	p, err := Start(Options{Path: os.Args[0], Env: append(os.Environ(), "PROC_TEST_CHILD=fail"), Stdout: &out, Stderr: &out, Grace: time.Minute})
	require.NoError(t, err)
	<-p.Done()
	if p.Err() == nil || p.Err().Error() != "exit status 3" || out.String() != "child: failing\n" {
		t.Errorf("error %v, output %q", p.Err(), out.String())
	}
	assert.False(t, p.Stop(), "a child that was dead already was killed")
}

func TestStartOfWhatIsNotThere(t *testing.T) {
	before := openFiles()
	_, err := Start(Options{Path: "/does/not/exist", Stdin: strings.NewReader("input"), Stdout: io.Discard, Stderr: &bytes.Buffer{}})
	assert.ErrorContains(t, err, "start /does/not/exist")
	assert.Equal(t, before, openFiles(), "files are left open")
}

// openFiles is how many there are on Linux, and 0 elsewhere.
func openFiles() int {
	files, _ := os.ReadDir("/proc/self/fd")
	return len(files)
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, syscall.EPIPE }

// A child whose output nothing takes any more goes on, and ends as it likes.
func TestBrokenOutput(t *testing.T) {
	p, err := Start(Options{Path: os.Args[0], Env: append(os.Environ(), "PROC_TEST_CHILD=talk"), Stdout: brokenWriter{}, Stderr: brokenWriter{}, Grace: time.Minute})
	require.NoError(t, err)
	if <-p.Done(); p.Err() != nil {
		t.Errorf("the child ended with %v", p.Err())
	}
}

// What a child leaves behind is killed with its group, and does not hold up the end although it has the child's output.
func TestDescendantWithTheOutput(t *testing.T) {
	var out bytes.Buffer
	began := time.Now()
	p, err := Start(Options{Path: os.Args[0], Env: append(os.Environ(), "PROC_TEST_CHILD=leave"), Stdout: &out, Stderr: &out, Grace: time.Minute})
	require.NoError(t, err)
	select {
	case <-p.Done():
		t.Logf("ended after %s: %v", time.Since(began), p.Err())
	case <-time.After(30 * time.Second):
		t.Fatal("the end waits for a descendant")
	}
	assert.NoError(t, p.Err())
}
