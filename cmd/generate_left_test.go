// SPDX-License-Identifier: Apache-2.0

package cmd

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/crdctl/crdctl/internal/gen"
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
