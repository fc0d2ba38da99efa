// SPDX-License-Identifier: Apache-2.0

//go:build !crdctl_loop

package cmd

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
)

// A round prints what the one before did not, wherever its lines are now; so do rounds that are processes of their own.
func TestNotesThatAreKnownAreNotPrintedAgain(t *testing.T) {
	file := filepath.Join(t.TempDir(), "notes")
	one := &known{}
	for _, round := range []struct{ notes, want []string }{
		{[]string{"found it", "a.go:1:2: unknown tag", "a.go:3:2: unknown tag"}, []string{"found it", "a.go:1:2: unknown tag", "a.go:3:2: unknown tag"}},
		{[]string{"found it", "a.go:2:2: unknown tag", "a.go:4:2: unknown tag", "a.go:7:2: unknown tag"}, []string{"a.go:7:2: unknown tag"}},
		{[]string{"a.go:2:2: unknown tag"}, nil},
		{[]string{"found it", "a.go:2:2: unknown tag", "b.go:2:2: unknown tag"}, []string{"found it", "b.go:2:2: unknown tag"}},
	} {
		assert.Equal(t, round.want, one.news(round.notes))
		assert.Equal(t, round.want, (&known{file: file}).news(round.notes))
	}
}
