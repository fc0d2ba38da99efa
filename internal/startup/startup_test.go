// SPDX-License-Identifier: Apache-2.0

package startup

import (
	"go/parser"
	"go/token"
	"runtime"
	"runtime/metrics"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestBallast(t *testing.T) {
	size := len(ballast)
	defer func() { ballast = make([]byte, size) }()
	runtime.GC()
	if goal := heapGoal(); goal < 64<<20 {
		t.Errorf("heap goal %d bytes, want 64 MB or more", goal)
	}
	Done()
	runtime.GC()
	if goal := heapGoal(); goal > 32<<20 {
		t.Errorf("heap goal %d bytes after Done, want less than the ballast alone", goal)
	}
}

func heapGoal() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/goal:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// TestImportsNothing guards the early place in the order of initialisation.
func TestImportsNothing(t *testing.T) {
	f, err := parser.ParseFile(token.NewFileSet(), "startup.go", nil, parser.ImportsOnly)
	require.NoError(t, err)
	for _, i := range f.Imports {
		t.Errorf("startup.go imports %s", i.Path.Value)
	}
}
