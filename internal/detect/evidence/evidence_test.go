// SPDX-License-Identifier: Apache-2.0

package evidence_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/detect/evidence"
)

// Of two commands that change a file, the one that may change more decides.
func TestPostProcessedByTwo(t *testing.T) {
	r := evidence.Record{}
	for _, p := range []config.PostProcessed{
		{Path: "crds/a.yaml", By: "addlicense", Changes: config.ChangesForm},
		{Path: "crds/b.yaml", By: "sed"},
		{Path: "crds", By: "yq", Changes: config.ChangesMetadata},
		{Path: "crds/b.yaml", By: "prettier", Changes: config.ChangesForm},
		{Path: "crds/c.yaml", By: "python3"},
	} {
		r.PostProcess(p)
	}
	settings := r.Settings.ControllerGen
	for file, want := range map[string]string{"crds/a.yaml": "yq", "crds/b.yaml": "sed", "crds/c.yaml": "python3", "crds/d.yaml": "yq"} {
		assert.Equal(t, want, settings.PostProcessedBy(file).By, file)
	}
	assert.Len(t, settings.PostProcessed, 3)
}

// A line that shows several values of a list is named once.
func TestSetOnce(t *testing.T) {
	r := evidence.Record{Sources: map[string][]string{}}
	for range 2 {
		r.Set("controllerGen.removed", "Makefile:5")
	}
	assert.Equal(t, []string{"Makefile:5"}, r.Sources["controllerGen.removed"])
}
