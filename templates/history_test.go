// SPDX-License-Identifier: Apache-2.0

package templates

import (
	"bytes"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"
)

var freeze = flag.Bool("freeze", false, "write the templates to history, as a release does")

// archive is a file system as history has it.
func archive(t *testing.T, files fs.FS) []byte {
	t.Helper()
	var a txtar.Archive
	err := fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(files, name)
		a.Files = append(a.Files, txtar.File{Name: name, Data: data})
		return err
	})
	require.NoError(t, err)
	return txtar.Format(&a)
}

// Templates that were released are what projects were made from: they are kept, and change no more.
func TestHistory(t *testing.T) {
	for n := 1; n < Revision; n++ {
		files, err := At(n)
		if err != nil {
			t.Error(err)
			continue
		}
		if names, err := fs.Glob(files, "project/*.tmpl"); err != nil || !slices.Contains(names, "project/crdctl.yaml.tmpl") {
			t.Errorf("templates %d: %v, %v", n, names, err)
		}
	}
	now := archive(t, FS)
	name := fmt.Sprintf("history/%d.txtar", Revision)
	if *freeze {
		require.NoError(t, os.WriteFile(name, now, 0o644))
	}
	if released, err := os.ReadFile(name); err == nil && !bytes.Equal(released, now) {
		t.Errorf("the templates changed after revision %d was released; set Revision to %d", Revision, Revision+1)
	}
}

func TestAtRefuses(t *testing.T) {
	for _, n := range []int{-1, 0, Revision + 1} {
		_, err := At(n)
		assert.Error(t, err, "templates %d: no error", n)
	}
}
