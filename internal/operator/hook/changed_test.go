// SPDX-License-Identifier: Apache-2.0

package hook

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// script writes a program in the way of an editor: under another name, then renamed.
func script(t *testing.T, path, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(path+".new", []byte(text), 0o755))
	require.NoError(t, os.Rename(path+".new", path))
}

func awaitChange(t *testing.T, d Decider) {
	t.Helper()
	select {
	case <-d.Changed():
	case <-time.After(patience):
		t.Fatal("no change")
	}
}

func TestProgramChangedOnDisk(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "sync.sh")
	script(t, file, `echo '{"version":1}'`)
	target := Target{Args: []string{"sh", "sync.sh"}} // the program is sh; it is the argument that changes
	d, _ := open(t, Options{Sync: target, Dir: dir})
	assert.Contains(t, mustCall(t, d, `{}`), `"version":1`, "answer")
	// It is away for a moment, which does not count as a change.
	require.NoError(t, os.Remove(file))
	mustFail(t, t.Context(), d, `{}`, "sync.sh")
	script(t, file, `echo '{"version":2}'`)
	awaitChange(t, d)
	assert.Contains(t, mustCall(t, d, `{}`), `"version":2`, "answer")
}

// The old process finishes its calls and is ended; the new one takes those that come.
func TestPersistentProgramChangedOnDisk(t *testing.T) {
	dir := t.TempDir()
	file, gate := filepath.Join(dir, "sync.sh"), filepath.Join(dir, "gate")
	write := func(version int) {
		script(t, file, fmt.Sprintf("#!/bin/sh\n# version %d\nexec %s child serve\n", version, os.Args[0]))
	}
	write(1)
	d, _ := open(t, Options{Sync: Target{Args: []string{"./sync.sh"}}, Dir: dir, Persistent: true})
	first := servedBy(t, d)
	var calls sync.WaitGroup
	calls.Go(func() {
		var answer struct{ PID int }
		if err := json.Unmarshal([]byte(mustCall(t, d, do("wait", gate))), &answer); err != nil || answer.PID != first {
			t.Errorf("answered by %d, not %d: %v", answer.PID, first, err)
		}
	})
	eventually(t, "it waits", func() bool { return pendingCalls(d) == 1 })
	write(2)
	awaitChange(t, d)
	if second := servedBy(t, d); second == first || gone(first) {
		t.Error("the new process is not used, or the old one was not left its call")
	}
	require.NoError(t, os.WriteFile(gate, nil, 0o644))
	calls.Wait()
	eventually(t, "the old process is gone", func() bool { return gone(first) })
}

// What could not be started yesterday is started at once when it was fixed, whatever the back-off is by then.
func TestFixedPersistentProgram(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "sync.sh")
	script(t, file, "#!/bin/sh\nexit 7\n")
	d, _ := open(t, Options{Sync: Target{Args: []string{"./sync.sh"}}, Dir: dir, Persistent: true})
	mustFail(t, t.Context(), d, do("answer", ""), "exit status 7")
	p := d.(*hooks).servers[0]
	p.mu.Lock()
	p.notUntil = time.Now().Add(time.Hour)
	p.mu.Unlock()
	mustFail(t, t.Context(), d, do("answer", ""), "not restarted yet")
	script(t, file, fmt.Sprintf("#!/bin/sh\nexec %s child serve\n", os.Args[0]))
	awaitChange(t, d)
	mustCall(t, d, do("answer", ""))
}

// A hook that is removed is reported when it is, and not at the next call.
func TestHookThatIsRemoved(t *testing.T) {
	file := filepath.Join(t.TempDir(), "sync")
	require.NoError(t, os.WriteFile(file, []byte("#!/bin/sh\necho '{}'\n"), 0o700))
	_, log := open(t, Options{Sync: Target{Args: []string{file}}})
	require.NoError(t, os.Remove(file))
	eventually(t, "a report", func() bool { return strings.Contains(log.String(), "files=["+file+"]") })
	assert.Equal(t, 1, strings.Count(log.String(), "level=ERROR"), "%s", log)
}
