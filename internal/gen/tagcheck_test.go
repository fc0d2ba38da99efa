package gen

import (
	"errors"
	"strings"
	"testing"

	"github.com/crdctl/crdctl/internal/gen/markerlint"
)

// Mistakes in some files do not hide that others cannot be read.
func TestRefusalHasAllProblems(t *testing.T) {
	c := &tagCheck{look: func() ([]markerlint.Finding, error) {
		return []markerlint.Finding{{Severity: markerlint.Error, File: "a.go", Line: 1, Message: "unknown tag +x"}}, errors.New("b.go cannot be read")
	}}
	err := c.refusal()
	if err == nil || !strings.Contains(err.Error(), "unknown tag +x") || !strings.Contains(err.Error(), "b.go cannot be read") {
		t.Errorf("got %v", err)
	}
}
