// SPDX-License-Identifier: Apache-2.0

package check

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/check/checktest"
	"github.com/crdctl/crdctl/internal/check/project"
	"github.com/crdctl/crdctl/internal/check/rule"
)

// A field of a status with a default and without +optional lacks one marker: one finding, at the field, wherever its markers stand. That of another
// field stays.
func TestDoubles(t *testing.T) {
	root := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(root, "types.go"), []byte("package v1\n\ntype S struct {\n\t// +kubebuilder:default=false\n\tReady bool\n\tOther bool\n}\n"), 0o600))
	at := func(line int) rule.Place { return rule.Place{File: "types.go", Line: line} }
	r := &Result{Findings: []rule.Finding{
		rule.New("defaults", at(4), "v1.S.Ready", "field S.Ready has a default value"), rule.New("statusoptional", at(5), "v1.S.Ready", "status field Ready"),
		rule.New("defaults", at(6), "v1.S.Other", "field S.Other has a default value"),
	}}
	r.withoutDoubles(&project.Project{Root: root})
	assert.Equal(t, []string{"types.go:5: statusoptional: status field Ready", "types.go:6: defaults: field S.Other has a default value"}, checktest.Lines(r.Findings))
}
