// SPDX-License-Identifier: Apache-2.0

package trim

import (
	"runtime"
	"runtime/debug"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
)

// A server that has work at once keeps the collector's pace, and that of one that mostly waits depends on what it holds.
func TestPace(t *testing.T) {
	t.Setenv("GOGC", "")
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	synctest.Test(t, func(t *testing.T) {
		runtime.GC()
		Started(t.Context())
		time.Sleep(startTime + adjustEvery)
		assert.Equal(t, 100, debug.SetGCPercent(100))
		Server(t.Context())
		time.Sleep(startTime + time.Second)
		assert.Equal(t, mostPercent, debug.SetGCPercent(100), "with the little that this test has")
	})
}

// Of little memory, little is saved by collecting often; of much, throughput counts.
func TestPercent(t *testing.T) {
	for live, want := range map[uint64]int{0: 400, 2 << 20: 400, 5 << 20: 320, 16 << 20: 100, 40 << 20: 50, 100 << 20: 50, 200 << 20: 100} {
		assert.Equal(t, want, percent(live), "%d MB", live>>20)
	}
}
