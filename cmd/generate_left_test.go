// SPDX-License-Identifier: Apache-2.0

//go:build !crdctl_loop

package cmd

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/gen"
	"github.com/crdctl/crdctl/internal/tree"
)

// Where a client does not compile that was found in a project without settings, the generators of the other files can be run alone.
func TestErrorOfUncompiledCodeNamesOtherGenerators(t *testing.T) {
	g := generation{makers: map[string]string{"a/zz_generated.deepcopy.go": "deepcopy-gen", "b/zz_generated.deepcopy.go": "controller-gen object",
		"c/clientset.go": "client-gen", "c/lister.go": "lister-gen", "crd.yaml": "controller-gen crd", "other.yaml": "controller-gen"}}
	broken := errors.New("it does not compile")
	assert.EqualError(t, g.withOthers(broken, &gen.CompileError{Generators: []string{"client-gen"}}),
		"it does not compile\n\"crdctl generate crd deepcopy object\" generates the other files")
	g.makers = map[string]string{"c/clientset.go": "client-gen", "c/lister.go": "lister-gen"}
	assert.EqualError(t, g.withOthers(broken, &gen.CompileError{Generators: []string{"client-gen"}}), "it does not compile")
}

// What crdctl writes next to a scaffold has no generator: a file in its place is listed with the tool that would write it.
func TestScaffoldInTheWay(t *testing.T) {
	g := &generation{at: &located{settings: &config.Project{}}, compared: []string{"a.yaml"}, makers: map[string]string{"a.yaml": "controller-gen"}}
	require.NoError(t, g.leaveInTheWay([]*tree.InTheWayError{{Path: "cmd/wiring.go", Tool: "crdctl", Act: "move it away"}}))
	require.Len(t, g.notCompared, 1)
	assert.Equal(t, "crdctl", g.notCompared[0].Tool)
	assert.ErrorContains(t, g.unavailable, "1 other file is up to date")
}
