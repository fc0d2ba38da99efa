// SPDX-License-Identifier: Apache-2.0

package finding

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// An error in a sentence has its cause, which comes last.
func TestQuoteKeepsTheCause(t *testing.T) {
	denied := `admission webhook "validate.crontabs.stable.example.com" denied the request: CronTab.stable.example.com "refused" is invalid: spec.image: Invalid value: "bad": must not be bad`
	assert.Equal(t, `"`+denied+`"`, quote(denied+"\n"))
	long := quote(strings.Repeat("ü", 200) + ": must not be bad")
	assert.LessOrEqual(t, len(long), quoteMax+2)
	assert.Contains(t, long, "ü…ü")
	assert.Contains(t, long, `ü: must not be bad"`)
	assert.NotContains(t, long, "\ufffd")
}
