// SPDX-License-Identifier: Apache-2.0

package compat_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/crdctl/crdctl/internal/check/checktest"
	"github.com/crdctl/crdctl/internal/check/compat"
	"github.com/crdctl/crdctl/internal/check/project"
	"github.com/crdctl/crdctl/internal/check/rule"
)

func TestExamples(t *testing.T) {
	checktest.Examples(t, rule.Compat, 2, func(t *testing.T, example []rule.Block) []rule.Finding {
		if example[0].Info == "go before" {
			file := func(b rule.Block) map[string][]byte {
				if strings.TrimSpace(b.Text) == "// removed" {
					return nil
				}
				return map[string][]byte{"api/v1/types.go": []byte("package v1\n\n" + b.Text)}
			}
			found, note, err := compat.CompareGo("api/v1", file(example[0]), file(example[1]), nil)
			require.NoError(t, err)
			require.Empty(t, note)
			return found
		}
		require.Equal(t, []string{"yaml before", "yaml after"}, []string{example[0].Info, example[1].Info})
		old := checktest.CRD(t, example[0].Text)
		if strings.TrimSpace(example[1].Text) == "# removed" {
			return []rule.Finding{compat.RemovedCRD(old, old.InManifest("metadata", "name"))}
		}
		now := checktest.CRD(t, example[1].Text)
		found, _, err := compat.Compare(t.Context(), compat.StateOf([]*project.CRD{old}), compat.StateOf([]*project.CRD{now}), stored(t, example[0].Text))
		require.NoError(t, err)
		return append(found, compat.Versions([]*project.CRD{now})...)
	})
}

// stored are the objects of an example.
func stored(t *testing.T, text string) (all compat.Objects) {
	t.Helper()
	var list struct{ Objects []map[string]any }
	require.NoError(t, yaml.Unmarshal([]byte(text), &list))
	for _, o := range list.Objects {
		o["apiVersion"], o["kind"], o["metadata"] = "stable.example.com/v1", "CronTab", map[string]any{"name": o["name"], "namespace": "default"}
		delete(o, "name")
		all = append(all, unstructured.Unstructured{Object: o})
	}
	return all
}
