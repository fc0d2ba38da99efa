package run

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestJump(t *testing.T) {
	assert.Zero(t, jump(time.Hour, time.Hour), "an hour that passed")
	assert.Zero(t, jump(time.Minute, time.Minute+jumpLimit), "a clock that was corrected")
	for _, set := range []time.Duration{2 * time.Hour, -2 * time.Hour} {
		assert.Equal(t, set, jump(time.Second+set, time.Second))
	}
}
