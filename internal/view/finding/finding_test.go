// SPDX-License-Identifier: Apache-2.0

package finding

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/trace"
)

var update = flag.Bool("update", false, "write the findings that are found to the ends of the recordings")

// records reads a recording of one JSON line each.
func records(t testing.TB, file string) (all []trace.Record) {
	t.Helper()
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	for line := range bytes.Lines(data) {
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		r, err := trace.Parse(line)
		require.NoError(t, err, "%s: %s", file, line)
		if u, ok := r.Body.(*trace.Unknown); ok {
			t.Fatalf("%s: %s: %v", file, line, u.Err)
		}
		all = append(all, r)
	}
	return all
}

func find(all []trace.Record) []trace.Finding {
	e := New()
	for _, r := range all {
		e.Add(r)
	}
	e.End()
	return e.Findings()
}

// Each type of findings has a recording that shows it, and one that must not. A recording ends with the findings that
// it must show, all of them; nothing else may be found in it.
func TestRecordings(t *testing.T) {
	var dirs []string
	for _, typ := range Types() {
		dirs = append(dirs, typ.Name)
		for _, name := range []string{"shows", "quiet"} {
			t.Run(typ.Name+"/"+name, func(t *testing.T) {
				check(t, filepath.Join("testdata", typ.Name, name+".jsonl"), func(want []trace.Finding) {
					var shown []string
					for _, f := range want {
						shown = append(shown, f.Type)
					}
					if name == "shows" {
						assert.Contains(t, shown, typ.Name)
					} else {
						assert.NotContains(t, shown, typ.Name)
					}
				})
			})
		}
	}
	entries, err := os.ReadDir("testdata")
	require.NoError(t, err)
	for _, entry := range entries {
		assert.Contains(t, append(dirs, "more"), entry.Name(), "a directory of a type that does not exist")
	}
}

// More recordings: with other sources of what is known.
func TestMoreRecordings(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "more", "*.jsonl"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) { check(t, file, func([]trace.Finding) {}) })
	}
}

func check(t *testing.T, file string, expect func([]trace.Finding)) {
	t.Helper()
	all := records(t, file)
	if *update {
		write(t, file, all)
		all = records(t, file)
	}
	want := []trace.Finding{}
	for _, r := range all {
		if f, ok := r.Body.(*trace.Finding); ok {
			want = append(want, *f)
		}
	}
	got := find(all)
	assert.Equal(t, want, got)
	expect(want)
	seqs := map[int64]bool{}
	for _, r := range all {
		seqs[r.Seq] = true
	}
	for _, f := range got {
		assert.NotEmpty(t, f.Fix)
		assert.NotEmpty(t, f.Evidence)
		for _, seq := range f.Evidence {
			assert.True(t, seqs[seq], "evidence %d is not in the recording", seq)
		}
		assert.Contains(t, []trace.Certainty{trace.Certain, trace.Likely}, f.Certainty, f.Message)
	}
}

// write replaces the findings at the end of a recording.
func write(t *testing.T, file string, all []trace.Record) {
	t.Helper()
	var b bytes.Buffer
	last := trace.Record{}
	for _, r := range all {
		if _, ok := r.Body.(*trace.Finding); !ok {
			b.Write(append(r.Raw, '\n'))
			last = r
		}
	}
	for i, f := range find(all) {
		line, err := (&trace.Record{Seq: last.Seq + int64(i) + 1, T: last.T, Body: &f}).AppendJSON(nil)
		require.NoError(t, err)
		b.Write(append(unescape(line), '\n'))
	}
	require.NoError(t, os.WriteFile(file, b.Bytes(), 0o644))
}

// unescape has <, > and & as they are.
func unescape(line []byte) []byte {
	for escaped, plain := range map[string]string{`\u003c`: "<", `\u003e`: ">", `\u0026`: "&"} {
		line = []byte(strings.ReplaceAll(string(line), escaped, plain))
	}
	if !json.Valid(line) {
		panic(string(line))
	}
	return line
}
