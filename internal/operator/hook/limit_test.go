package hook

import (
	"errors"
	"math"
	"strings"
	"testing"
)

func TestReadUpTo(t *testing.T) {
	for _, c := range []struct {
		length int
		limit  int64
		err    error
	}{
		{0, 0, nil}, {1, 0, errTooLarge}, {1, 1, nil}, {2, 1, errTooLarge},
		{4096, 4096, nil}, {4097, 4096, errTooLarge}, {10000, 9999, errTooLarge},
		{10000, math.MaxInt64 - 1, nil}, {10000, math.MaxInt64, nil},
	} {
		got, err := readUpTo(strings.NewReader(strings.Repeat("x", c.length)), c.limit)
		if !errors.Is(err, c.err) || err == nil && len(got) != c.length {
			t.Errorf("%d bytes, limit %d: %d bytes, %v", c.length, c.limit, len(got), err)
		}
	}
}

func TestALimitThatIsNone(t *testing.T) {
	for _, persistent := range []bool{true, false} {
		mode := "echo"
		if persistent {
			mode = "serve"
		}
		d, _ := open(t, Options{Sync: self(mode), Persistent: persistent, MaxAnswer: math.MaxInt64})
		mustCall(t, d, do("answer", ""))
	}
}
