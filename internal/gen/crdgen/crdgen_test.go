// SPDX-License-Identifier: Apache-2.0

package crdgen

import (
	"strings"
	"testing"

	"sigs.k8s.io/controller-tools/pkg/genall"
	"sigs.k8s.io/controller-tools/pkg/markers"
)

// panicking is a generator that panics on its input.
type panicking struct{}

func (panicking) Generate(*genall.GenerationContext) error { panic("out of range") }

func (panicking) RegisterMarkers(*markers.Registry) error { return nil }

// A generator that panics is an error: generators run in goroutines of their own, where a panic would end the process.
func TestPanicIsAnError(t *testing.T) {
	var g genall.Generator = panicking{}
	out, err := run(genall.Generators{&g}, t.TempDir(), nil, "cannot generate the CRDs", false)
	if out != nil || err == nil || !strings.Contains(err.Error(), "out of range") {
		t.Errorf("%v, %v", out, err)
	}
}
