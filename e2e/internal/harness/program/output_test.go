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

func TestRun(t *testing.T) {
	took, err := Run(t.Context(), Side{Dir: t.TempDir(), Argv: []string{"go", "version"}})
	require.NoError(t, err)
	assert.Positive(t, took.Wall)
	assert.Positive(t, took.CPU)
	_, err = Run(t.Context(), Side{Dir: t.TempDir(), Argv: []string{"go", "nothing"}})
	assert.ErrorContains(t, err, "unknown command")
}
