// SPDX-License-Identifier: Apache-2.0

package program

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A text is found in one write or across two, once for each position, with the time of the write that completed it.
func TestAwait(t *testing.T) {
	o := &Output{}
	_, _ = fmt.Fprint(o, "one\ntw")
	first := time.Now()
	_, _ = fmt.Fprint(o, "o, two\n")
	ended := make(chan struct{})
	close(ended)
	for _, test := range []struct {
		from, next int
		text       string
		early      bool // in the first write
	}{{0, 7, "two", false}, {7, 12, "two", false}, {0, 3, "one", true}} {
		at, next, err := o.await(t.Context(), ended, test.from, test.text)
		require.NoError(t, err)
		assert.Equal(t, test.next, next)
		assert.Equal(t, test.early, at.Before(first))
	}
	_, _, err := o.await(t.Context(), ended, 12, "two")
	assert.ErrorContains(t, err, "has ended")
	assert.ErrorContains(t, err, "o, two")
	assert.NoError(t, o.Quiet(t.Context(), time.Millisecond))
}

// A line has the time of the write that ended it, and comes once.
func TestLines(t *testing.T) {
	o := &Output{}
	_, _ = fmt.Fprint(o, "one\ntw")
	first := time.Now()
	_, _ = fmt.Fprint(o, "o\n\nthr")
	lines, next := o.Lines(0)
	require.Len(t, lines, 3)
	for i, want := range []string{"one", "two", ""} {
		assert.Equal(t, want, lines[i].Text)
		assert.Equal(t, i == 0, lines[i].At.Before(first), want)
	}
	lines, same := o.Lines(next)
	assert.Empty(t, lines)
	assert.Equal(t, next, same)
	_, _ = fmt.Fprint(o, "ee\n")
	lines, _ = o.Lines(next)
	require.Len(t, lines, 1)
	assert.Equal(t, "three", lines[0].Text)
	assert.False(t, lines[0].At.Before(first))
}

func TestRun(t *testing.T) {
	took, err := Run(t.Context(), Side{Dir: t.TempDir(), Argv: []string{"go", "version"}})
	require.NoError(t, err)
	assert.Positive(t, took.Wall)
	assert.Positive(t, took.CPU)
	_, err = Run(t.Context(), Side{Dir: t.TempDir(), Argv: []string{"go", "nothing"}})
	assert.ErrorContains(t, err, "unknown command")
}
