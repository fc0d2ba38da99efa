// SPDX-License-Identifier: Apache-2.0

package run

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/crdctl/crdctl/internal/ui"
)

// Only what the check before did not find is printed, and of much that is new the beginning.
func TestNewFindings(t *testing.T) {
	var said bytes.Buffer
	var next []checkFinding
	var failure error
	f := &findings{reporter: ui.NewReporter(&said), check: func(context.Context) ([]checkFinding, error) { return next, failure }}
	check := func(found ...checkFinding) string {
		said.Reset()
		next = found
		f.begin(t.Context())
		all, ok := <-f.found()
		f.news(all, ok)
		assert.Nil(t, f.found())
		return said.String()
	}
	one := checkFinding{Rule: "column-path", Severity: "warning", File: "api/v1/types.go", Line: 3, Column: 4, Message: "one", Fix: "Do it.", Fingerprint: "1"}
	note := checkFinding{Rule: "maxlength", Severity: "note", File: "api/v1/types.go", Line: 5, Column: 2, Message: "two", Fix: "Limit it.", Fingerprint: "2"}
	assert.Empty(t, check(one), "the first has nothing to compare with")
	assert.Equal(t, "crdctl: check: api/v1/types.go:5:2: note: two [maxlength]. Limit it.\n", check(one, note), "a note is news as well")
	failure = errors.New("does not compile")
	assert.Empty(t, check())
	failure = nil
	moved := one
	moved.Line = 30
	assert.Empty(t, check(moved, note), "known")
	assert.Empty(t, check(note))
	assert.Equal(t, "crdctl: check: api/v1/types.go:3:4: warning: one [column-path]. Do it.\n", check(one, note), "again")
	many := []checkFinding{one}
	for i := range 7 {
		n := one
		n.Fingerprint = fmt.Sprint("many", i)
		many = append(many, n)
	}
	assert.Contains(t, check(many...), "crdctl: check: and 2 more; see \"crdctl check\"\n")
	assert.Empty(t, check())
	assert.Regexp(t, "(?s)warning: one.*note: two", check(note, one), "notes are last")
}

// A check that runs is stopped for the next one, and at the end.
func TestFindingsAreStopped(t *testing.T) {
	f := &findings{check: func(ctx context.Context) ([]checkFinding, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}}
	f.begin(t.Context())
	f.begin(t.Context())
	f.end()
	assert.Nil(t, f.found())
	f.end()
}
