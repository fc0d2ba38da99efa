// SPDX-License-Identifier: Apache-2.0

package subprocess

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// An object that asks all the time, as one that is edited all the time does, is not served before one that waits longer.
func TestSlowLaneIsFair(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const timeout = 10 * time.Second
		l, request := newLanes(2), []byte("request")
		enter := func(key string) func() {
			leave, _, _ := l.enter(t.Context(), key, request, timeout) // an error is a nil leave
			return leave
		}
		for _, key := range []string{"evil", "slow"} {
			_ = l.ended(key, request, quick, quick, timeout, &BoundError{Bound: Time})
		}
		leave := enter("evil")
		require.NotNil(t, leave, "the lane is not for one object at a time")
		require.Nil(t, enter("slow"), "the lane is not for one object at a time")
		time.Sleep(time.Second)
		leave()
		assert.Nil(t, enter("evil"), "served again before the object that waits")
		time.Sleep(time.Second)
		if leave = enter("slow"); leave == nil {
			t.Fatal("the object that waits is not served")
		}
		leave()
		// One that does not ask any more keeps no other object waiting.
		assert.NotNil(t, enter("evil"), "not served although no other object asks")
	})
}
