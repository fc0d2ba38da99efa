// SPDX-License-Identifier: Apache-2.0

package check

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/crdctl/crdctl/internal/check/revision"
	"github.com/crdctl/crdctl/internal/check/rule"
)

// What the user compares with must be a whole project for lint and samples: else a note says that all is reported, or an error if they were named.
func TestComparable(t *testing.T) {
	const why = "crds is not a whole project, with a go.mod; name a git revision or the root of an older project"
	for _, test := range []struct {
		base     *revision.Base
		families []rule.Family
		notes    []string
		err      string
	}{
		{base: nil},
		{base: &revision.Base{Name: "HEAD", Whole: true}},
		{base: &revision.Base{Name: "v1", Whole: true, Given: true}, families: []rule.Family{rule.Lint}},
		{base: &revision.Base{Name: "crds", Given: true}, notes: []string{"lint compared no revisions: " + why}},
		{base: &revision.Base{Name: "crds", Given: true}, families: []rule.Family{rule.Compat, rule.Lint}, err: why},
	} {
		r := &Result{}
		err := r.comparable(rule.Lint, Options{Base: test.base, Families: test.families})
		if test.err != "" {
			assert.EqualError(t, err, test.err)
		} else {
			assert.NoError(t, err)
		}
		assert.Equal(t, test.notes, r.Notes)
	}
}
