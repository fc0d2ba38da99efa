// SPDX-License-Identifier: Apache-2.0

package check

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/check/project"
	"github.com/crdctl/crdctl/internal/check/rule"
)

// A family that panics is undetermined, which is no answer; the others are judged nevertheless.
func TestPanicIsNoAnswer(t *testing.T) {
	before := runs
	t.Cleanup(func() { runs = before })
	runs = map[rule.Family]family{
		rule.Lint: func(context.Context, *project.Project, Options, *Result) ([]rule.Finding, string, error) {
			panic("boom")
		},
		rule.Samples: func(context.Context, *project.Project, Options, *Result) ([]rule.Finding, string, error) {
			return nil, "1 object", nil
		},
	}
	r, err := Run(t.Context(), &project.Project{}, Options{})
	require.EqualError(t, err, "lint: the check panicked: boom; please report it")
	assert.Equal(t, map[rule.Family]string{rule.Samples: "1 object"}, r.Judged)
}
