package trim

import (
	"runtime"
	"runtime/debug"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
)

// A server that has work at once keeps the collector's pace, and one that mostly waits collects more often.
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
		assert.Equal(t, 50, debug.SetGCPercent(100))
	})
}
