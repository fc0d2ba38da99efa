// SPDX-License-Identifier: Apache-2.0

package controlplane

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// BenchmarkStart measures from nothing to a control plane that is ready. The stop is not in it.
func BenchmarkStart(b *testing.B) {
	for b.Loop() {
		c, err := Start(b.Context(), Options{})
		b.StopTimer()
		require.NoError(b, err)
		stop(b, c)
		b.StartTimer()
	}
}
