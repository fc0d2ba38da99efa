package program

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestLinesAwait(t *testing.T) {
	l := &Lines{}
	say := func(text string) { _, _ = fmt.Fprint(l, text) }
	say("one\ntw")
	found, ended := make(chan Line), make(chan struct{})
	go func() {
		got, _, err := l.Await(t.Context(), ended, 1, "two")
		if err != nil {
			t.Error(err)
		}
		found <- got
	}()
	before := time.Now()
	say("o and more\nthree\n")
	close(ended)
	if got := <-found; got.Text != "two and more" || got.At.Before(before) {
		t.Errorf("%q at %s, asked at %s", got.Text, got.At, before)
	}
	if _, at, err := l.Await(t.Context(), nil, 0, "o"); err != nil || at != 1 {
		t.Errorf("the place after the first: %d, %v", at, err)
	}
	if n := l.Times("o"); n != 2 || l.TimesWhole("o") != 0 || l.TimesWhole(l.all[0].Text) != 1 || l.Count() != 3 {
		t.Errorf("%d of %d lines have an o", n, l.Count())
	}
}

// Who waits for what is never said is told why, and what was said.
func TestLinesAwaitInVain(t *testing.T) {
	l := &Lines{}
	_, _ = fmt.Fprint(l, "no such file\n")
	ended := make(chan struct{})
	close(ended)
	if _, _, err := l.Await(t.Context(), ended, 0, "ready"); err == nil || !strings.Contains(err.Error(), `ended without saying "ready"`) || !strings.Contains(err.Error(), "no such file") {
		t.Error(err)
	}
	late := errors.New("too late")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(late)
	if _, _, err := l.Await(ctx, nil, 0, "ready"); !errors.Is(err, late) {
		t.Error(err)
	}
	if err := l.Quiet(ctx, time.Hour); !errors.Is(err, late) {
		t.Error(err)
	}
	if err := l.Quiet(t.Context(), time.Millisecond); err != nil {
		t.Error(err)
	}
	if _, _, err := l.Await(t.Context(), ended, 0, "such"); err != nil {
		t.Errorf("what was said before the end: %v", err)
	}
}
