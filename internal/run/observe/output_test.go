// SPDX-License-Identifier: Apache-2.0

package observe

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/trace"
)

// A line has the time at which it was printed, if it names that; on a busy machine it is read later.
func TestPrinted(t *testing.T) {
	s := newSink()
	s.now = int64(time.Hour)
	r := New(s, "crontab")
	defer r.Close()
	read := s.Now()
	ago := func(d time.Duration) time.Time { return time.Now().Add(-d) }
	assert.LessOrEqual(t, r.lines.printed(ago(time.Second), read), read-int64(time.Second)+10)
	assert.Equal(t, read, r.lines.printed(time.Time{}, read), "no time")
	assert.Equal(t, read, r.lines.printed(ago(-time.Hour), read), "of a clock that is ahead")
	assert.Equal(t, read, r.lines.printed(ago(time.Hour), read), "of a clock that is behind")
	for _, text := range []string{
		`{"ts":"2026-11-23T11:20:18.25Z","msg":"a"}`, `{"ts":1795432818.25,"msg":"a"}`, `{"ts":1795432818250.0,"msg":"a"}`, `{"ts":1795432818250000000,"msg":"a"}`,
		"2026-11-23T11:20:18.25+0000\tINFO\ta",
	} {
		assert.WithinDuration(t, time.UnixMilli(1795432818250), readLine(text).at, time.Microsecond, text)
	}
	assert.Zero(t, readLine(`{"ts":"2026-11-23T11:20:18Z","msg":"a"}`).at, "whole seconds")
}

// Lines come in pieces, of two streams, and go on as they are.
func TestOutput(t *testing.T) {
	s := newSink()
	r := New(s, "crontab")
	p := r.Process("aa")
	var out, errOut bytes.Buffer
	stdout, stderr := p.Output(&out, "stdout"), p.Output(&errOut, "stderr")
	for _, p := range []string{"a line\nhalf ", "of one\r\n\n", "no end"} {
		_, err := stdout.Write([]byte(p))
		require.NoError(t, err)
		_, err = stderr.Write([]byte(strings.ToUpper(p)))
		require.NoError(t, err)
	}
	p.Started(100) // what a process prints may be seen before its number
	r.Close()
	assert.Equal(t, "a line\nhalf of one\r\n\nno end", out.String())
	assert.Equal(t, strings.ToUpper(out.String()), errOut.String())
	said := map[string][]string{}
	for _, l := range recorded[*trace.Log](s) {
		said[l.Stream] = append(said[l.Stream], l.Message)
		assert.Equal(t, 1, l.Build)
		assert.NotZero(t, l.Actor)
	}
	assert.Equal(t, map[string][]string{"stdout": {"a line", "half of one", "no end"}, "stderr": {"A LINE", "HALF OF ONE", "NO END"}}, said)
	assert.Equal(t, []*trace.Def{{Actor: &trace.Actor{ID: 1, Name: "crontab", Class: trace.ClassController, Build: 1, PID: 100}}}, recorded[*trace.Def](s))
	_, err := stdout.Write([]byte("after the end\n"))
	assert.NoError(t, err, "the controller must not notice")
}

// A process that ends in the middle of a line does not spoil the first line of the next.
func TestOutputOfTwoProcesses(t *testing.T) {
	s := newSink()
	r := New(s, "crontab")
	for i, text := range []string{"panic: bo", "hello\n"} {
		_, err := started(r, "aa", i+1).Output(&bytes.Buffer{}, "stderr").Write([]byte(text))
		require.NoError(t, err)
	}
	r.Close()
	logs := recorded[*trace.Log](s)
	require.Len(t, logs, 2)
	assert.Equal(t, trace.Log{Actor: 1, Build: 1, Stream: "stderr", Message: "panic: bo"}, *logs[0])
	assert.Equal(t, trace.Log{Actor: 2, Build: 1, Stream: "stderr", Message: "hello"}, *logs[1])
}

// stuck is a sink that takes nothing until it is let go.
type stuck struct {
	*sink
	let chan struct{}
}

func (s *stuck) Add(b trace.Body) {
	<-s.let
	s.sink.Add(b)
}

func (s *stuck) AddAt(_ int64, b trace.Body) { s.Add(b) }

// A controller that prints faster than its lines are read is not held up: what was lost is counted.
func TestOutputIsNeverSlower(t *testing.T) {
	s := &stuck{sink: newSink(), let: make(chan struct{})}
	s.added = make(chan struct{}, 1_000_000)
	r := New(s, "crontab")
	w := started(r, "aa", 1).Output(&bytes.Buffer{}, "stdout")
	printed := 0
	for range 3 * maxWaiting / maxLine {
		_, err := w.Write([]byte(strings.Repeat("a line\n", maxLine/len("a line\n"))))
		require.NoError(t, err)
		printed += maxLine / len("a line\n")
	}
	close(s.let)
	r.Close()
	gaps := recorded[*trace.Gap](s.sink)
	require.NotEmpty(t, gaps)
	lost := int64(0)
	for _, g := range gaps {
		lost += g.Dropped[trace.KindLog]
		assert.LessOrEqual(t, g.From, g.To)
	}
	assert.Equal(t, int64(printed), lost+int64(len(recorded[*trace.Log](s.sink))))
}

// A line without an end fills no memory.
func TestOutputOfOneLine(t *testing.T) {
	s := newSink()
	r := New(s, "crontab")
	w := started(r, "aa", 1).Output(&bytes.Buffer{}, "")
	for range 100 {
		_, err := w.Write(bytes.Repeat([]byte{'a'}, maxLine/2))
		require.NoError(t, err)
	}
	_, err := w.Write([]byte("\nnext\n"))
	require.NoError(t, err)
	r.Close()
	logs := recorded[*trace.Log](s)
	require.Len(t, logs, 2)
	assert.Len(t, logs[0].Message, maxLine)
	assert.Equal(t, "next", logs[1].Message)
}
