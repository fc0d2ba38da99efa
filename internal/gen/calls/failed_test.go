// SPDX-License-Identifier: Apache-2.0

package calls

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestReasonIsOneLine(t *testing.T) {
	assert.Equal(t, "cannot load it: a.go:1:2: x; b.go:1:2: y; correct both", Reason(errors.New("cannot load it:\n  a.go:1:2: x\n  b.go:1:2:  y\n\ncorrect both\n")))
}
