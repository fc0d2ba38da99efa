// SPDX-License-Identifier: Apache-2.0

package gen

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
)

// What generators refuse because of settings that were guessed leaves the other half to be compared; what they say of the sources does not.
func TestGuessedWrong(t *testing.T) {
	for said, want := range map[string]bool{
		"client-gen generated code that is not Go: x.go:1:1":                                                  true,
		"conversion-gen v0.31.7: duplicate static conversion defined: a.T -> b.T from:\na.Convert\nb.Convert": true,
		"api/v1/types.go:3:1: expected declaration":                                                           false,
	} {
		assert.Equal(t, want, guessedWrong(errors.New(said)), said)
	}
}
