// SPDX-License-Identifier: Apache-2.0

package startup

import (
	"go/parser"
	"go/token"
	"path/filepath"
	"runtime"
	"runtime/metrics"
	"strconv"
	"strings"
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

// TestImports guards the early place in the order of initialisation.
func TestImports(t *testing.T) {
	few := map[string]bool{"embed": true, "runtime": true, "strings": true, "sync/atomic": true, "syscall": true, "unsafe": true,
		"github.com/crdctl/crdctl/internal/startup/hugepages": true}
	files, err := filepath.Glob("hugepages/*.go")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, name := range append(files, "startup.go") {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		require.NoError(t, err)
		for _, i := range f.Imports {
			if path, _ := strconv.Unquote(i.Path.Value); !few[path] && !strings.HasSuffix(name, "_test.go") {
				t.Errorf("%s imports %s", name, path)
			}
		}
	}
}
