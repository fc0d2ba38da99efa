// SPDX-License-Identifier: Apache-2.0

package record

import (
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"

	"github.com/crdctl/crdctl/internal/trace"
)

// light is an item of which nothing is recorded.
type light struct{}

func (light) size() int        { return 1 }
func (light) kind() trace.Kind { return trace.KindRequest }
func (light) work(*worker)     {}

// A burst that begins while items are gathered is decoded before there is no room for the rest of it.
func TestBurstIsNotGathered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := New(Options{Sink: discard{trace.NewDefs(func(*trace.Def) {})}}, "admin", "controller", "system")
		r.Start(nil)
		defer r.Close()
		for _, n := range []int{1, queueItems / 2, queueItems * 3 / 4} {
			for range n {
				r.put(light{})
			}
			synctest.Wait()
			assert.Empty(t, r.dropped)
		}
	})
}
