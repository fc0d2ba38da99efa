// SPDX-License-Identifier: Apache-2.0

// Package upstream compares what crdctl generates with what upstream's own programs, built from their modules, generate. What
// they write is kept in a cache of tests, see testcache.
package upstream

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/gen"
	"github.com/crdctl/crdctl/internal/gen/gentest"
	"github.com/crdctl/crdctl/internal/safefs/safefstest"
	"github.com/crdctl/crdctl/internal/tree"
)

// The generated files are, byte by byte, those that upstream's own kube_codegen.sh makes at the same version.
func TestUpstream(t *testing.T) {
	u := &upstream{}
	t.Run("writes", func(t *testing.T) {
		for name, f := range fixtures {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				compare(t, u, f)
			})
		}
	})
	t.Run("validates", func(t *testing.T) {
		// It is a main package, and so runs in an engine, which is built once.
		compare(t, u, gentest.Fixture{Archive: "testdata/validations.txtar"})
	})
	t.Run("refuses", func(t *testing.T) { refuse(t, u) })
}

// refuse holds crdctl to what upstream refuses, and to upstream's words.
func refuse(t *testing.T, u *upstream) {
	t.Helper()
	for name, c := range map[string]struct {
		f             gentest.Fixture
		file, old, by string // the change that makes the fixture wrong
		want          string
	}{
		"unknown tag": {fixtures["lint"], "pkg/apis/rule/v1/doc.go", "openapi-gen", "opneapi-gen", "unrecognized +k8s: tag(s): +k8s:opneapi-gen"},
		"silent tag":  {fixtures["lint"], "pkg/apis/rule/v1/doc.go", "// +k8s:deepcopy-gen=package\n", "", "Set explicit configuration or disablement for these generators in doc.go:"},
		"two methods": {fixtures["clients"], "pkg/apis/farm/v1/types.go", "+genclient:readonly", "+genclient:redaonly", "unknown tag detected: genclient:redaonly"},
		"peer":        {fixtures["conversion"], "pkg/apis/zoo/v1/doc.go", "fixture/pkg/apis/zoo", "fixture/pkg/apis/zo", "example.com/fixture/pkg/apis/zo"},
		"uncopied":    {fixtures["copies"], "pkg/apis/whole/types.go", "BoolMap map[int]bool", "BoolMap chan int", "Hit an unsupported type"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			prepare := c.f.Prepare
			c.f.Prepare = func(t *testing.T, root string) {
				t.Helper()
				if prepare != nil {
					prepare(t, root)
				}
				file := filepath.Join(root, filepath.FromSlash(c.file))
				require.NoError(t, os.WriteFile(file, []byte(strings.Replace(safefstest.Read(t, file), c.old, c.by, 1)), 0o644))
			}
			root := c.f.Lay(t)
			p := gentest.Settings(t, root)
			if result, err := gen.Generate(t.Context(), root, p, gen.Options{Year: 2026, UpdateReport: true, Discovered: true}); err == nil {
				t.Errorf("no error, and %d files", len(result.Tree.Paths()))
			} else if !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v\nwant: %s", err, c.want)
			}
			if theirs := u.output(t, c.f, root); theirs.Err == "" || !strings.Contains(theirs.Said, c.want) {
				t.Errorf("upstream: %v\n%s\nwant: %s", theirs.Err, theirs.Said, c.want)
			}
		})
	}
}

// compare generates for a gentest.Fixture, has upstream generate for a copy of it, and compares.
func compare(t *testing.T, u *upstream, f gentest.Fixture) {
	t.Helper()
	root := f.Lay(t)
	before := content(t, root)
	theirs := u.output(t, f, root)
	require.Empty(t, theirs.Err, "upstream: %s", theirs.Said)
	require.NotEmpty(t, theirs.Written, "upstream wrote nothing")
	for path := range before {
		assert.NotContains(t, theirs.Removed, path, "upstream removed")
	}
	p := gentest.Settings(t, root)
	first := generate(t, root, p)
	same(t, "upstream's", theirs.Written, first)
	// What is on disk by now must not matter to what is generated next.
	gentest.Write(t, root, first)
	same(t, "that of the first run", theirs.Written, generate(t, root, p))
}

// generate is lenient with tags: some fixtures have them where upstream does not look, and upstream generates all the same.
func generate(t *testing.T, root string, p *config.Project) *tree.Tree {
	t.Helper()
	result, err := gen.Generate(t.Context(), root, p, gen.Options{Year: time.Now().UTC().Year(), UpdateReport: true, Discovered: true})
	require.NoError(t, err)
	return result.Tree
}

// same compares every byte, and which files there are.
func same(t *testing.T, whose string, want map[string]string, got *tree.Tree) {
	t.Helper()
	for _, path := range slices.Sorted(maps.Keys(want)) {
		data, ok := got.Content(path)
		switch {
		case !ok:
			t.Errorf("%s is missing", path)
		case string(data) != want[path]:
			t.Errorf("differs from %s:\n%s", whose, tree.Change{Path: path, Op: tree.Update, Old: []byte(want[path]), New: data}.Patch())
		}
	}
	for _, path := range got.Paths() {
		_, ok := want[path]
		assert.True(t, ok, "%s is made by crdctl alone", path)
	}
}
