// SPDX-License-Identifier: Apache-2.0

package preflight_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/check/checktest"
	"github.com/crdctl/crdctl/internal/check/preflight"
	"github.com/crdctl/crdctl/internal/check/project"
	"github.com/crdctl/crdctl/internal/check/rule"
)

func TestExamples(t *testing.T) {
	checktest.Examples(t, rule.Preflight, 1, func(t *testing.T, example []rule.Block) []rule.Finding {
		found, err := preflight.Check(t.Context(), []*project.CRD{checktest.CRD(t, example[0].Text)})
		require.NoError(t, err)
		return found
	})
}
