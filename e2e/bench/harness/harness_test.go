package harness

import (
	"net"
	"net/rpc"
	"strings"
	"testing"
	"time"
)

func newHarness(t *testing.T, objects string) (*Harness, *rpc.Client) {
	t.Helper()
	h, err := fromArgs([]string{"program", "kubeconfig", "2", objects, "10", "whole"})
	if err != nil || h.Kubeconfig != "kubeconfig" || h.Workers != 2 || h.Variant != "whole" {
		t.Fatalf("%+v, %v", h, err)
	}
	ours, theirs := net.Pipe()
	go h.serve(theirs)
	client := rpc.NewClient(ours)
	t.Cleanup(func() { _ = client.Close() })
	return h, client
}

func call[T any](t *testing.T, c *rpc.Client, method string, argument int) (reply T) {
	t.Helper()
	if err := c.Call("Calls."+method, argument, &reply); err != nil {
		t.Fatal(err)
	}
	return reply
}

func TestSynced(t *testing.T) {
	h, c := newHarness(t, "2")
	h.Saw(time.Now(), Name(0), "7")
	h.Saw(time.Now(), Name(0), "8")
	if len(h.synced) > 0 {
		t.Error("synced with one of two objects")
	}
	h.Saw(time.Now(), Name(1), "5")
	h.Saw(time.Now(), Name(1), "9")
	if s := call[Synced](t, c, "Synced", 0); s.At.IsZero() || s.CPU == 0 || len(h.synced) > 0 {
		t.Errorf("%+v", s)
	}
	if last := call[[]uint64](t, c, "Last", 2); len(last) != 2 || last[0] != 8 || last[1] != 9 {
		t.Errorf("%d", last)
	}
}

func TestNotes(t *testing.T) {
	h, c := newHarness(t, "10")
	h.Saw(time.Now(), Name(0), "1")
	call[int](t, c, "Begin", 2)
	at := time.Unix(5, 6)
	for _, version := range []string{"12", "345", "678"} {
		h.Saw(at, Name(3), version)
	}
	n := call[Noted](t, c, "End", 0)
	if n.Count != 3 || len(n.Notes) != 2 || n.Notes[1] != (Note{345, at.UnixNano()}) {
		t.Errorf("want all counted, and noted as many as there is space for: %+v", n)
	}
}

// Each time all objects are waited for: what is enqueued twice before it was worked on is worked on once.
func TestRate(t *testing.T) {
	h, c := newHarness(t, "3")
	if err := c.Call("Calls.Rate", 2, new(float64)); err == nil || !strings.Contains(err.Error(), "cannot enqueue") {
		t.Error(err)
	}
	waves := 0
	h.Again(func(names []string) {
		waves++
		for _, name := range names {
			h.Saw(time.Now(), name, "1")
		}
	})
	if r := call[float64](t, c, "Rate", 4); waves != 4 || h.count.Load() != 12 || r <= 0 {
		t.Errorf("%d waves, %d reconciles, %f", waves, h.count.Load(), r)
	}
}
