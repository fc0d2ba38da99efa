package program

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

// A text is found in one write or across two, once for each position, with the time of the write that completed it.
func TestAwait(t *testing.T) {
	o := &Output{}
	_, _ = fmt.Fprint(o, "one\ntw")
	first := time.Now()
	_, _ = fmt.Fprint(o, "o, two\n")
	ended := make(chan struct{})
	close(ended)
	at, next, err := o.await(t.Context(), ended, 0, "two")
	if err != nil || next != 7 || at.Before(first) {
		t.Errorf("%d, %s, %v", next, at, err)
	}
	if at, _, err := o.await(t.Context(), nil, 0, "one"); err != nil || at.After(first) {
		t.Errorf("the first write was at %s, before %s; %v", at, first, err)
	}
	if _, next, err = o.await(t.Context(), ended, next, "two"); err != nil || next != 12 {
		t.Errorf("%d, %v", next, err)
	}
	if _, _, err = o.await(t.Context(), ended, next, "two"); err == nil || !strings.Contains(err.Error(), "has ended") || !strings.Contains(err.Error(), "o, two") {
		t.Error(err)
	}
	late := errors.New("too late")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(late)
	if _, _, err := o.await(ctx, nil, 0, "three"); err == nil {
		t.Error("found what was not written")
	}
	if err := o.Quiet(t.Context(), time.Millisecond); err != nil {
		t.Error(err)
	}
}

func TestRun(t *testing.T) {
	took, err := Run(t.Context(), Side{Dir: t.TempDir(), Argv: []string{"go", "version"}})
	if err != nil || took.Wall <= 0 || took.CPU <= 0 {
		t.Errorf("%+v, %v", took, err)
	}
	if _, err := Run(t.Context(), Side{Dir: t.TempDir(), Argv: []string{"go", "nothing"}}); err == nil || !strings.Contains(err.Error(), "unknown command") {
		t.Errorf("the error does not have the output: %v", err)
	}
}
