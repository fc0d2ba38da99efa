// SPDX-License-Identifier: Apache-2.0

package hook

import (
	"hash/maphash"
	"slices"
	"sync"
)

// mostFolded bounds the objects of whose last failure the lines are remembered.
const mostFolded = 1000

// saidBefore remembers what a program printed to stderr when it last failed, by object: a traceback that comes with each retry is logged once.
type saidBefore struct {
	mu       sync.Mutex
	seed     maphash.Seed
	byObject map[string][]uint64 // sums of lines
}

// about begins a call about an object.
func (b *saidBefore) about(object string) *folding {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.byObject == nil {
		b.byObject, b.seed = map[string][]uint64{}, maphash.MakeSeed()
	}
	return &folding{before: b, object: object, known: b.byObject[object]}
}

// folding holds back the lines of a call as long as they are those of the failure before it.
type folding struct {
	before *saidBefore
	object string
	known  []uint64
	lines  []uint64
	held   []string
	differ bool
}

// take returns the lines to log now. A nil folding holds nothing back.
func (f *folding) take(line string) []string {
	if f == nil {
		return []string{line}
	}
	f.lines = append(f.lines, maphash.String(f.before.seed, line))
	f.held = append(f.held, line)
	if n := len(f.lines); !f.differ && n <= len(f.known) && f.known[n-1] == f.lines[n-1] {
		return nil
	}
	f.differ = true
	held := f.held
	f.held = nil
	return held
}

// end returns the lines to log at the end of a call.
func (f *folding) end(failed bool) []string {
	if f == nil {
		return nil
	}
	f.before.mu.Lock()
	defer f.before.mu.Unlock()
	if !failed {
		delete(f.before.byObject, f.object)
		return f.held
	}
	if slices.Equal(f.lines, f.known) {
		return nil
	}
	if len(f.before.byObject) >= mostFolded {
		clear(f.before.byObject)
	}
	f.before.byObject[f.object] = f.lines
	return f.held
}
