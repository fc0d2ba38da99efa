package program

import (
	"io"
	"os"
	"strings"
	"testing"

	"github.com/crdctl/crdctl/e2e/internal/harness/measure"
)

// The test binary is its own program: it says what it is told.
func TestMain(m *testing.M) {
	if os.Getenv("PROGRAM_TEST_ECHO") == "" {
		os.Exit(m.Run())
	}
	_, _ = io.Copy(os.Stdout, os.Stdin)
}

func TestTalk(t *testing.T) {
	p, err := StartTalking(measure.Side{Dir: t.TempDir(), Env: append(os.Environ(), "PROGRAM_TEST_ECHO=1"), Argv: []string{os.Args[0]}})
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Say("hello"); err != nil {
		t.Error(err)
	}
	said, next, err := p.Await(t.Context(), 0, "hell")
	if err != nil || said.Text != "hello" || next != 1 {
		t.Errorf("%+v, %d, %v", said, next, err)
	}
	_ = p.End() // an interrupt is the end of one that does not look for it
	if err := p.Say("again"); err == nil || !strings.Contains(err.Error(), `say "again"`) || !strings.Contains(err.Error(), "hello") {
		t.Errorf("said something to one that has ended: %v", err)
	}
}
