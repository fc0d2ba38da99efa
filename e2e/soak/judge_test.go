package main

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"
)

func TestJudge(t *testing.T) {
	const mb = 1 << 20
	first := holding{replica: "a", pid: 7, heap: 10 * mb, goroutines: 40, files: 15, hooks: 1}
	for want, change := range map[string]func(*holding){
		"":                            func(s *holding) { s.heap, s.goroutines, s.files = 15*mb, 50, 23 },
		"from round 0 to 2: the heap": func(s *holding) { s.heap = 17 * mb },
		"goroutines grew from 40":     func(s *holding) { s.goroutines = 51 },
		"open files grew from 15":     func(s *holding) { s.files = 24 },
		"2 hook processes in round 2": func(s *holding) { s.hooks = 2 },
	} {
		middle, last := first, first
		middle.round, middle.heap, middle.goroutines, middle.files = 1, 99*mb, 99, 99 // a peak is no growth
		last.round = 2
		change(&last)
		other := holding{replica: "b", pid: 8, heap: 90 * mb, goroutines: 90, files: 90} // another life
		found := strings.Join(judge([]holding{first, middle, last, other}), "\n")
		if !strings.Contains(found, want) || (want == "") != (found == "") {
			t.Errorf("%q, want %q", found, want)
		}
	}
}

func at(seconds int) time.Time { return time.Unix(int64(seconds), 0) }

// A call goes from its beginning to its end, to the crash of its process, or to when it was given up at the latest.
func TestSpans(t *testing.T) {
	dir := t.TempDir()
	text := `begin 1000000000 p 1 default/x
begin 2000000000 p 2 default/y
end 3000000000 p 1 default/x
begin 3000000000 q 1 default/z
crash 5000000000 p 0 default/z
begin 6000000000 q 2 default/x
begin 7000`
	if err := os.WriteFile(notesFile(dir, "a"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	spans, err := readNotes(dir, "a", 4*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]span{
		"p default/x": {begin: at(1), end: at(3)}, "p default/y": {begin: at(2), end: at(5)},
		"q default/z": {begin: at(3), end: at(7)}, "q default/x": {begin: at(6), end: at(10)},
	}
	for _, s := range spans {
		w := want[s.process+" "+s.key]
		if !s.begin.Equal(w.begin) || !s.end.Equal(w.end) || s.replica != "a" {
			t.Errorf("%+v, want %+v", s, w)
		}
	}
	if len(spans) != len(want) {
		t.Errorf("%d calls, want %d", len(spans), len(want))
	}
	for _, bad := range []string{"begin\n", "begin x p 1 k\n", "end 1 p 1\n", "begin 1 p 1\n"} {
		if spans, err := spansOf("a", bad, time.Second); err == nil {
			t.Errorf("%q: %+v", bad, spans)
		}
	}
}

// What the hook's processes write is what is read.
func TestNotes(t *testing.T) {
	dir := t.TempDir()
	for range 2 { // processes
		n, err := openNotes(dir, "a")
		err = errors.Join(err, n.add(noteBegin, 1, "default/x"), n.add(noteBegin, 2, "default/y"), n.add(noteEnd, 1, "default/x"), n.close())
		if err != nil {
			t.Fatal(err)
		}
	}
	spans, err := readNotes(dir, "a", time.Hour)
	open := 0
	for _, s := range spans {
		if s.end.Sub(s.begin) == time.Hour {
			open++
		}
	}
	if err != nil || len(spans) != 4 || open != 2 {
		t.Errorf("%+v, %v", spans, err)
	}
}

func TestOverlaps(t *testing.T) {
	const longest = 4 * time.Second
	for name, test := range map[string]struct {
		notes  map[string]string // of replicas: key, begin, end; no end means an open call
		pauses map[string][]time.Time
		want   string
	}{
		"after each other":         {notes: map[string]string{"a": "x 1 2", "b": "x 2 3"}},
		"at once":                  {notes: map[string]string{"a": "x 1 3", "b": "x 2 4"}, want: "x: in replica a"},
		"within":                   {notes: map[string]string{"a": "x 1 4", "b": "x 2 3"}, want: "x: in replica a"},
		"other keys":               {notes: map[string]string{"a": "x 1 3", "b": "y 2 4"}},
		"twice in one":             {notes: map[string]string{"a": "x 1 3,x 2 4"}},
		"open and another replica": {notes: map[string]string{"a": "x 1", "b": "x 4 5"}, want: "x: in replica a"},
		"open and too long ago":    {notes: map[string]string{"a": "x 1", "b": "x 5 6"}},
		"open and tried again":     {notes: map[string]string{"a": "x 1,x 2 3"}},
		"open behind a later one":  {notes: map[string]string{"a": "x 1,x 2 3", "b": "x 4 5"}, want: "x: in replica a"},
		"given up":                 {notes: map[string]string{"a": "x 1 20", "b": "x 5 6"}},
		"killed":                   {notes: map[string]string{"a": "x 1", "b": "x 3 4"}, pauses: map[string][]time.Time{"a": {at(2)}}},
		"frozen":                   {notes: map[string]string{"a": "x 1 30", "b": "x 3 4"}, pauses: map[string][]time.Time{"a": {at(2)}}},
		"another was killed":       {notes: map[string]string{"a": "x 1", "b": "x 3 4"}, pauses: map[string][]time.Time{"c": {at(2)}}, want: "x: in replica a"},
	} {
		var spans []span
		for replica, calls := range test.notes {
			var text strings.Builder
			for n, c := range strings.Split(calls, ",") {
				words := append(strings.Fields(c), "")
				text.WriteString(note(noteBegin, words[1], n, words[0]))
				if words[2] != "" {
					text.WriteString(note(noteEnd, words[2], n, words[0]))
				}
			}
			read, err := spansOf(replica, text.String(), longest)
			if err != nil {
				t.Fatal(err)
			}
			spans = append(spans, read...)
		}
		found := strings.Join(overlaps(spans, test.pauses, longest), "\n")
		if (test.want == "") != (found == "") || !strings.HasPrefix(found, test.want) {
			t.Errorf("%s: %q, want %q", name, found, test.want)
		}
	}
}

func note(what, seconds string, n int, key string) string {
	return strings.Join([]string{what, seconds + "000000000", "process", string(rune('1' + n)), key}, " ") + "\n"
}
