// SPDX-License-Identifier: Apache-2.0

package compat_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/check/checktest"
	"github.com/crdctl/crdctl/internal/check/compat"
	"github.com/crdctl/crdctl/internal/check/project"
	"github.com/crdctl/crdctl/internal/check/rule"
)

func TestExamples(t *testing.T) {
	checktest.Examples(t, rule.Compat, 2, func(t *testing.T, example []rule.Block) []rule.Finding {
		require.Equal(t, []string{"yaml before", "yaml after"}, []string{example[0].Info, example[1].Info})
		old := checktest.CRD(t, example[0].Text)
		if strings.TrimSpace(example[1].Text) == "# removed" {
			return []rule.Finding{compat.RemovedCRD(old, rule.Place{File: old.File, Line: old.Line})}
		}
		now := checktest.CRD(t, example[1].Text)
		found, err := compat.Compare(t.Context(), compat.StateOf([]*project.CRD{old}), compat.StateOf([]*project.CRD{now}))
		require.NoError(t, err)
		return append(found, compat.Versions([]*project.CRD{now})...)
	})
}
