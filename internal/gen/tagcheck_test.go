// SPDX-License-Identifier: Apache-2.0

package gen

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/crdctl/crdctl/internal/gen/markerlint"
)

// Mistakes in some files do not hide that others cannot be read.
func TestRefusalHasAllProblems(t *testing.T) {
	c := &tagCheck{look: func() ([]markerlint.Finding, error) {
		return []markerlint.Finding{{Severity: markerlint.Error, File: "a.go", Line: 1, Message: "unknown tag +x"}}, errors.New("b.go cannot be read")
	}}
	err := c.refusal()
	assert.ErrorContains(t, err, "unknown tag +x")
	assert.ErrorContains(t, err, "b.go cannot be read")
}
