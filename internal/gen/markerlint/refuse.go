package markerlint

import (
	"errors"
	"strings"
)

// Refusal is the error of all findings that are mistakes, or nil.
func Refusal(found []Finding) error {
	var lines []string
	for _, f := range found {
		if f.Severity == Error {
			lines = append(lines, f.String())
		}
	}
	if len(lines) == 0 {
		return nil
	}
	return errors.New("read the tags of the API packages:\n  " + strings.Join(lines, "\n  "))
}
