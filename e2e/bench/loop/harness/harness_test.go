package harness

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"
)

func newHarness(t *testing.T, objects string) (*Harness, *bytes.Buffer) {
	t.Helper()
	var out bytes.Buffer
	h, err := fromArgs([]string{"program", "kubeconfig", "2", objects, "10", "whole"}, &out)
	if err != nil || h.Kubeconfig != "kubeconfig" || h.Workers != 2 || h.Variant != "whole" {
		t.Fatalf("%+v, %v", h, err)
	}
	return h, &out
}

// asked is the answer to a question.
func asked[T any](t *testing.T, h *Harness, out *bytes.Buffer, question string) (answer T) {
	t.Helper()
	out.Reset()
	h.command(question)
	if err := json.Unmarshal(out.Bytes(), &answer); err != nil {
		t.Fatalf("%s: %q: %v", question, out, err)
	}
	return answer
}

func TestSyncedIsToldOnce(t *testing.T) {
	h, out := newHarness(t, "2")
	h.Saw(time.Now(), Name(0), "7")
	h.Saw(time.Now(), Name(0), "8")
	if out.Len() > 0 {
		t.Errorf("told with one of two objects: %s", out)
	}
	h.Saw(time.Now(), Name(1), "5")
	h.Saw(time.Now(), Name(1), "9")
	var s Synced
	if err := json.Unmarshal(out.Bytes(), &s); err != nil || s.At == 0 || s.CPU == 0 || strings.Count(out.String(), "\n") != 1 {
		t.Errorf("%s: %v", out, err)
	}
	if seen := asked[Seen](t, h, out, "last 2"); len(seen.Last) != 2 || seen.Last[0] != 8 || seen.Last[1] != 9 {
		t.Errorf("%+v", seen)
	}
}

func TestNotes(t *testing.T) {
	h, out := newHarness(t, "10")
	h.Saw(time.Now(), Name(0), "1")
	if b := asked[Begun](t, h, out, "begin 2"); b.Begun == 0 {
		t.Errorf("%s", out)
	}
	at := time.Unix(5, 6)
	for _, version := range []string{"12", "345", "678"} {
		h.Saw(at, Name(3), version)
	}
	n := asked[Noted](t, h, out, "end")
	if n.Count != 3 || len(n.Notes) != 2 || n.Notes[1] != (Note{345, at.UnixNano()}) {
		t.Errorf("want all counted, and noted as many as there is place for: %+v", n)
	}
	h.Saw(at, Name(3), "900")
	if n := asked[Noted](t, h, out, "end"); len(n.Notes) != 0 {
		t.Errorf("noted after the end: %+v", n)
	}
}

// Each time all objects are waited for: what is enqueued twice before it was worked on is worked on once.
func TestAgain(t *testing.T) {
	h, out := newHarness(t, "3")
	if f := asked[Failed](t, h, out, "again 2"); !strings.Contains(f.Error, "cannot enqueue") {
		t.Errorf("%+v", f)
	}
	waves := 0
	h.Again(func(names []string) {
		waves++
		for _, name := range names {
			h.Saw(time.Now(), name, "1")
		}
	})
	h.first.Store(3) // all were seen before, so that this is said no more
	if r := asked[Rate](t, h, out, "again 4"); waves != 4 || r.Count != 12 || r.Took <= 0 {
		t.Errorf("%d waves, %+v", waves, r)
	}
}

func TestMemory(t *testing.T) {
	h, out := newHarness(t, "1")
	held := make([]byte, 8<<20)
	before := asked[Memory](t, h, out, "gc")
	held[0] = 1
	held = nil
	after := asked[Memory](t, h, out, "gc")
	if freed := before.Heap - after.Heap; freed < 7<<20 || len(held) > 0 {
		t.Errorf("8 MB were let go, and %d bytes of heap", freed)
	}
	if f := asked[Failed](t, h, out, "what"); !strings.Contains(f.Error, `"what" is no question`) {
		t.Errorf("%+v", f)
	}
}

func TestArguments(t *testing.T) {
	for args, want := range map[string]string{"a b": "want KUBECONFIG WORKERS", "k 2 x 9 v": "argument 3"} {
		if _, err := fromArgs(append([]string{"program"}, strings.Fields(args)...), nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", args, err)
		}
	}
}
