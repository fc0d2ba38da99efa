package proc

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"
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
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Stop() })
	if _, err := reader.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	go func() { _, _ = io.Copy(io.Discard, reader) }()
	return p, &out
}

func TestStopAsksFirst(t *testing.T) {
	p, out := child(t, "obey", time.Minute)
	if killed := p.Stop(); killed {
		t.Error("an obedient child was killed")
	}
	p.Stop() // again, to no effect
	if !strings.Contains(out.String(), "stopping in order") {
		t.Errorf("printed %q", out)
	}
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
	if err != nil {
		t.Fatal(err)
	}
	<-p.Done()
	if p.Err() == nil || p.Err().Error() != "exit status 3" || out.String() != "child: failing\n" {
		t.Errorf("error %v, output %q", p.Err(), out.String())
	}
	if killed := p.Stop(); killed {
		t.Error("a child that was dead already was killed")
	}
}

func TestStartOfWhatIsNotThere(t *testing.T) {
	if _, err := Start(Options{Path: "/does/not/exist"}); err == nil || !strings.Contains(err.Error(), "start /does/not/exist") {
		t.Errorf("error %v", err)
	}
}
