// SPDX-License-Identifier: Apache-2.0

package operatortest

import (
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Names collects names from many goroutines.
type Names struct {
	mu   sync.Mutex
	list []string
}

// Add adds a name.
func (n *Names) Add(name string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.list = append(n.list, name)
}

// All are the names so far.
func (n *Names) All() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Clone(n.list)
}

// Expect compares what was added since it was last called, in any order.
func (n *Names) Expect(t *testing.T, when string, want ...string) {
	t.Helper()
	n.mu.Lock()
	defer n.mu.Unlock()
	slices.Sort(n.list)
	assert.Equal(t, want, n.list, when)
	n.list = nil
}
