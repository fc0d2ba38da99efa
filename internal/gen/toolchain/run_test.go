// SPDX-License-Identifier: Apache-2.0

package toolchain

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// What a program that crashed wrote is cut to its first words.
func TestLastWords(t *testing.T) {
	for stderr, want := range map[string]string{
		"runtime: goroutine stack exceeds 1000000000-byte limit\nfatal error: stack overflow\n\ngoroutine 1 [running]:\nmain.main()\n": "fatal error: stack overflow",
		"W0101 a note\npanic: out of range\n\ngoroutine 1 [running]:\n":                                                                "panic: out of range",
		" no such file\nor directory\n": "no such file\nor directory",
	} {
		assert.Equal(t, want, lastWords(stderr))
	}
}
