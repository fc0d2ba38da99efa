// SPDX-License-Identifier: Apache-2.0

package stories

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/safefs/safefstest"
)

// world is a place for one story: a directory for projects, a directory for temporary files, and a mark that every process
// of the story bears, so that at the end it can be told what was left behind.
type world struct {
	testing.TB
	dir, tmp, mark string
	more           []string // variables of this test only: tests run at the same time
}

// newWorld also has the test run in parallel: most of the time of most of them is waiting.
func newWorld(t *testing.T) *world {
	t.Helper()
	t.Parallel()
	return newLoneWorld(t)
}

// newLoneWorld leaves it to the test whether it runs in parallel.
func newLoneWorld(t testing.TB) *world {
	t.Helper()
	w := &world{TB: t, dir: t.TempDir(), tmp: t.TempDir()}
	w.mark = "CRDCTL_E2E=" + w.tmp
	t.Cleanup(func() {
		if t.Failed() {
			for _, p := range w.processes() {
				pid, _, _ := strings.Cut(p, " ")
				if id, err := strconv.Atoi(pid); err == nil {
					_ = syscall.Kill(id, syscall.SIGKILL)
				}
			}
		}
	})
	return w
}

func (w *world) env() []string {
	return append(append(os.Environ(), w.more...), w.mark, "TMPDIR="+w.tmp, "KUBECONFIG=/does/not/exist", "NO_COLOR=1")
}

func (w *world) setenv(name, value string) { w.more = append(w.more, name+"="+value) }

// run runs a program to its end and returns what it printed to standard output.
func (w *world) run(dir, name string, args ...string) string {
	w.Helper()
	out, stderr, err := w.try(dir, name, args...)
	require.NoError(w, err, "%s %s: %v\n%s%s", filepath.Base(name), strings.Join(args, " "), err, out, stderr)
	return out
}

func (w *world) try(dir, name string, args ...string) (stdout, stderr string, err error) {
	w.Helper()
	return w.tryWith(nil, dir, name, args...)
}

// tryWith is try with other variables in the environment.
func (w *world) tryWith(env []string, dir, name string, args ...string) (stdout, stderr string, err error) {
	w.Helper()
	cmd := exec.CommandContext(w.Context(), name, args...)
	cmd.Dir, cmd.Env = dir, append(w.env(), env...)
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	err = cmd.Run()
	return out.String(), errOut.String(), err
}

// eventually runs a program again and again until its output contains a text.
func (w *world) eventually(want, dir, name string, args ...string) string {
	w.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(100 * time.Millisecond) {
		out, stderr, err := w.try(dir, name, args...)
		if err == nil && strings.Contains(out, want) {
			return out
		}
		require.False(w, time.Now().After(deadline), "%s: no %q in:\n%s%s", strings.Join(args, " "), want, out, stderr)
	}
}

// crontab makes the project of the walk-through in a directory of its own, and returns that.
func (w *world) crontab() string {
	w.Helper()
	dir := filepath.Join(w.dir, "crontab")
	w.run(w.dir, crdctl, "init", "-C", dir, "--group", "stable.example.com", "--version", "v1beta1", "--kind", "CronTab",
		"--short-names", "ct", "--field", "cronSpec:string", "--field", "image:string", "--field", "replicas:int32")
	return dir
}

// replace changes text in a file.
func (w *world) replace(file, old, replacement string) {
	w.Helper()
	content := safefstest.Read(w, file)
	require.Contains(w, content, old, file)
	require.NoError(w, os.WriteFile(file, []byte(strings.Replace(content, old, replacement, 1)), 0o644))
}

// write writes a file that only the user may read.
func (w *world) write(file, content string) {
	w.Helper()
	require.NoError(w, os.WriteFile(file, []byte(content), 0o600))
}

// end presses Ctrl-C on each process in turn, and holds that it ends in order.
func (w *world) end(all ...*process) {
	w.Helper()
	for _, p := range all {
		if code := p.interrupt(); code != 0 {
			w.Errorf("%v: exit code %d after Ctrl-C, want 0", p.cmd.Args, code)
		}
	}
}

func (w *world) check(err error) {
	w.Helper()
	require.NoError(w, err)
}

// until waits until something holds. If it never does, why tells more.
func (w *world) until(what string, holds func() bool, why ...func() string) {
	w.Helper()
	for deadline := time.Now().Add(patience); !holds(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			for _, tell := range why {
				what += ": " + tell()
			}
			w.Fatalf("waited in vain until %s", what)
		}
	}
}

// leavesNothing holds that no process, no temporary file and no state is left of a story in a directory.
func (w *world) leavesNothing(dir string) {
	w.Helper()
	assert.Empty(w, w.processes(), "processes left behind")
	_, err := os.Stat(filepath.Join(dir, ".crdctl"))
	assert.True(w, os.IsNotExist(err), "%s/.crdctl is left behind (%v)", dir, err)
	entries, err := os.ReadDir(w.tmp)
	require.NoError(w, err)
	for _, e := range entries {
		w.Errorf("left behind in TMPDIR: %s", e.Name())
	}
}

// processes lists the processes that bear the story's mark: the number of each, and its command.
func (w *world) processes() []string {
	w.Helper()
	environs, err := filepath.Glob("/proc/[0-9]*/environ")
	require.NoError(w, err, "no processes in /proc")
	require.NotEmpty(w, environs, "no processes in /proc")
	var found []string
	for _, file := range environs {
		if env, err := os.ReadFile(file); err == nil && bytes.Contains(env, []byte(w.mark+"\x00")) {
			cmdline, _ := os.ReadFile(filepath.Join(filepath.Dir(file), "cmdline"))
			found = append(found, filepath.Base(filepath.Dir(file))+" "+strings.ReplaceAll(string(cmdline), "\x00", " "))
		}
	}
	return found
}
