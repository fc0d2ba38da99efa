package stories

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// leavingHook starts a process in a session of its own, that of a daemon, and answers.
const leavingHook = `#!/usr/bin/env python3
import json, subprocess, sys
json.load(sys.stdin)
null = subprocess.DEVNULL
subprocess.Popen(["sleep", "7654"], start_new_session=True, stdin=null, stdout=null, stderr=null)
print('{"children":[]}')
`

// What a hook started in other sessions ends with the run, and what a killed run left is ended by the next.
func TestRunEndsWhatHooksLeave(t *testing.T) {
	w := newWorld(t)
	crd, hook := filepath.Join(w.dir, "crd.yaml"), filepath.Join(w.dir, "hook.py")
	w.write(crd, otherCRD)
	w.write(hook, leavingHook)
	w.check(os.Chmod(hook, 0o700))
	sleeps := func() (n int) {
		for _, p := range w.processes() {
			if strings.HasPrefix(p, "sleep 7654") {
				n++
			}
		}
		return n
	}
	start := func() *process {
		run := w.start(w.dir, crdctl, "run", "--builtin", "-f", crd, "--hook", "./hook.py")
		run.waitFor("Started workers")
		return run
	}
	object := filepath.Join(w.dir, "other.yaml")
	w.write(object, "apiVersion: example.com/v1\nkind: Other\nmetadata: {name: a}\n")

	run := start()
	w.kubectl(w.dir, "apply", "-f", object)
	w.until("the hook left a process", func() bool { return sleeps() > 0 })
	run.signal(syscall.SIGKILL)
	<-run.done
	if sleeps() == 0 {
		t.Error("nothing is left for the next run to end")
	}
	run = start()
	if n := sleeps(); n > 0 {
		t.Errorf("%d processes of a killed run go on in the next", n)
	}
	w.kubectl(w.dir, "apply", "-f", object)
	w.until("the hook left a process again", func() bool { return sleeps() > 0 })
	if code := run.interrupt(); code != 0 {
		t.Errorf("exit code %d after Ctrl-C, want 0", code)
	}
	w.leavesNothing(w.dir)
}
