// SPDX-License-Identifier: Apache-2.0

package stories

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// generate is killed at moments spread over its writing: every file is as it was or complete, and the next run repairs
// the rest and leaves nothing of the killed one.
func TestKilledGenerate(t *testing.T) {
	w := newWorld(t)
	dir := w.crontab()
	want := w.contents(dir)
	for round := range 12 {
		require.NoError(t, os.RemoveAll(filepath.Join(dir, "pkg/client")))
		run := w.start(dir, crdctl, "generate")
		// The writing takes a few milliseconds, at no known moment: it is awaited, and then killed a little later.
		for {
			stages, err := filepath.Glob(filepath.Join(dir, ".crdctl-stage-*"))
			require.NoError(t, err)
			select {
			case <-run.done:
				t.Logf("round %d: generate was faster", round)
			default:
				if len(stages) == 0 {
					continue
				}
			}
			break
		}
		time.Sleep(time.Duration(round) * 300 * time.Microsecond)
		_ = run.cmd.Process.Kill() // it may have ended
		<-run.done

		for path, content := range w.contents(dir) {
			if !strings.HasPrefix(path, ".crdctl-stage-") && want[path] != content {
				t.Errorf("round %d: %s is neither as it was nor complete", round, path)
			}
		}
		w.run(dir, crdctl, "generate")
		got := w.contents(dir)
		for path, content := range want {
			assert.Equal(t, content, got[path], "round %d: %s is not restored", round, path)
		}
		assert.Len(t, got, len(want), "round %d: %d files, want %d", round, len(got), len(want))
	}
}

// contents reads all files of a directory.
func (w *world) contents(dir string) map[string]string {
	w.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(p string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(p)
		all[strings.TrimPrefix(p, dir+"/")] = string(data)
		return err
	})
	require.NoError(w, err)
	return all
}
