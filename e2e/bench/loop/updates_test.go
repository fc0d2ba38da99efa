package main

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/crdctl/crdctl/e2e/bench/loop/harness"
)

// A write counts once, at its first reconcile; one that another overtook, and one that is not of this phase, do not.
func TestLatencies(t *testing.T) {
	at := time.Unix(100, 0)
	u := newUpdates()
	u.acknowledged[7], u.acknowledged[8], u.acknowledged[9] = at, at, at
	got := u.latencies(harness.Noted{Notes: []harness.Note{
		{Version: 9, At: at.Add(2 * time.Millisecond).UnixNano()}, {Version: 9, At: at.Add(time.Second).UnixNano()},
		{Version: 7, At: at.Add(-time.Millisecond).UnixNano()}, {Version: 1, At: at.UnixNano()},
	}})
	if want := []time.Duration{0, 2 * time.Millisecond}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestPercentile(t *testing.T) {
	var all []time.Duration
	if p := percentile(all, 0.5); p != 0 {
		t.Errorf("%s of nothing", p)
	}
	for i := range 200 {
		all = append(all, time.Duration(i+1))
	}
	if p, q := percentile(all, 0.5), percentile(all, 0.99); p != 101 || q != 199 {
		t.Errorf("%d, %d of 1 to 200", p, q)
	}
	if p := percentile(all, 1); p != 200 {
		t.Errorf("%d", p)
	}
}

func TestCounter(t *testing.T) {
	c := &counter{text: []byte("synced"), goal: 3, reached: make(chan struct{})}
	for _, part := range []string{"one syn", "ced\ntwo synced\nthr", "ee\nfour synced"} {
		_, _ = c.Write([]byte(part))
	}
	select {
	case <-c.reached:
		t.Error("the third line is not complete")
	default:
	}
	_, _ = c.Write([]byte("\nfive synced\n"))
	<-c.reached
	if c.count != 4 {
		t.Errorf("%d lines", c.count)
	}
}

func TestWidget(t *testing.T) {
	object, err := widget(7)
	if err != nil || !strings.Contains(string(object), `"name":"widget-00007"`) || strings.Count(string(object), "app.kubernetes.io/") != 3 {
		t.Errorf("%s, %v", object, err)
	}
}
