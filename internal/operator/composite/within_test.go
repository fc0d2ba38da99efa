package composite

import (
	"testing/synctest"
	"time"
)

// within waits until feeds have caught up with what the API server has: a watch that was cut is begun anew after a while.
func within() {
	time.Sleep(time.Minute)
	synctest.Wait()
}
