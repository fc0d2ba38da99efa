// SPDX-License-Identifier: Apache-2.0

package preflight

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// With a newer Kubernetes, the oldest that is supported is newer, too: the pages cel-min-version and format-since name it.
func TestOldest(t *testing.T) {
	assert.Equal(t, currentMinor()-3, oldestMinor)
}
