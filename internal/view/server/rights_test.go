// SPDX-License-Identifier: Apache-2.0

package server

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/crdctl/crdctl/internal/trace"
)

// A call of a webhook whose client went away counts as a call, and neither as denied nor as failed.
func TestCanceledCallIsNotDenied(t *testing.T) {
	by := map[calling]*callSum{}
	for seq, b := range []*trace.Admission{{Canceled: true}, {Reason: "no"}} {
		b.Type, b.Name = "validating", "w"
		countCall(by, nil, trace.Record{Seq: int64(seq), Body: b})
	}
	got := by[calling{kind: "validating", name: "w"}]
	assert.Equal(t, []int{2, 1, 0}, []int{got.N, got.Denied, got.Errors})
}
