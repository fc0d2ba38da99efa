// SPDX-License-Identifier: Apache-2.0

package stories

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	"github.com/creack/pty"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// onTerminal starts a program on a terminal of its own, and returns that too.
func (w *world) onTerminal(dir, name string, args ...string) (*process, *os.File) {
	w.Helper()
	p := &process{TB: w.TB, cmd: exec.Command(name, args...), done: make(chan struct{})}
	p.cmd.Dir, p.cmd.Env = dir, w.env()
	screen, err := pty.Start(p.cmd)
	require.NoError(w, err)
	read := make(chan struct{})
	go func() {
		defer close(read)
		for buffer := make([]byte, 4096); ; {
			n, err := screen.Read(buffer)
			_, _ = p.Write(buffer[:n])
			if err != nil { // no process has the terminal any more
				return
			}
		}
	}()
	go func() {
		p.err = p.cmd.Wait()
		close(p.done)
	}()
	w.Cleanup(func() {
		_ = p.cmd.Process.Kill()
		<-p.done
		_ = screen.Close()
		<-read
		if w.Failed() {
			w.Logf("screen of %s:\n%s", name, p.text())
		}
	})
	return p, screen
}

// readsKeys reports whether a terminal delivers keys one by one.
func readsKeys(t testing.TB, screen *os.File) bool {
	t.Helper()
	now, err := unix.IoctlGetTermios(int(screen.Fd()), getTermios)
	require.NoError(t, err)
	return now.Lflag&(unix.ICANON|unix.ECHO) == 0
}

// stopped reports whether a process is, as by Ctrl-Z. Where the system has no /proc, it is taken to be.
func stopped(pid int) bool {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err != nil || bytes.Contains(stat, []byte(") T "))
}

// On a terminal a run has a margin and keys, and gives the terminal back at every end and at Ctrl-Z.
func TestRunOnATerminal(t *testing.T) {
	w := newWorld(t)
	dir := filepath.Join(w.dir, "small")
	w.check(os.CopyFS(dir, os.DirFS("testdata/small")))
	w.replace(filepath.Join(dir, "crdctl.yaml"), "{package: .}", "{package: ., samples: [sample.yaml]}")
	w.write(filepath.Join(dir, "sample.yaml"), "{apiVersion: example.com/v1, kind: Other, metadata: {name: sample, namespace: default}}\n")
	press := func(screen *os.File, key string) {
		_, err := screen.WriteString(key)
		w.check(err)
	}

	p, screen := w.onTerminal(dir, crdctl, "run", "--color=always")
	p.waitFor("\x1b[36mcrdctl     │ \x1b[mpress h for keys, q to quit", "\x1b[36mcrdctl     │ \x1b[mbuilding the controller", "\x1b[33mcontroller │ \x1b[mStarted workers")
	w.until("the terminal delivers keys", func() bool { return readsKeys(t, screen) })
	press(screen, "h")
	p.waitFor("│ \x1b[mkeys: r rebuilds")
	press(screen, "a")
	p.waitFor("│ \x1b[mapplied other.example.com/sample")
	press(screen, "r")
	p.waitFor("│ \x1b[mstopping the controller", "│ \x1b[mWorkers stopped", "│ \x1b[mStarted workers")
	press(screen, "\x1a")
	w.until("the run is stopped, and the terminal is as it was", func() bool { return stopped(p.cmd.Process.Pid) && !readsKeys(t, screen) })
	p.signal(syscall.SIGCONT)
	w.until("the terminal delivers keys again", func() bool { return readsKeys(t, screen) })
	press(screen, "q")
	require.Zero(t, p.wait())
	p.waitFor("│ \x1b[mstopping the control plane")
	require.False(t, readsKeys(t, screen), "the terminal is not as it was")
	w.leavesNothing(dir)

	p, screen = w.onTerminal(dir, crdctl, "run", "--color=never")
	p.waitFor("crdctl     │ press h for keys, q to quit", "controller │ Started workers")
	w.until("the terminal delivers keys", func() bool { return readsKeys(t, screen) })
	press(screen, "\x03")
	require.Zero(t, p.wait())
	require.False(t, readsKeys(t, screen), "the terminal is not as it was")
	w.leavesNothing(dir)

	p, screen = w.onTerminal(dir, crdctl, "run", "--builtin", "--color=never")
	p.waitFor("crdctl: press h for keys, q to quit", "control plane ready")
	w.until("the terminal delivers keys", func() bool { return readsKeys(t, screen) })
	press(screen, "h")
	p.waitFor("crdctl: keys: q quits, h prints this")
	press(screen, "q")
	require.Zero(t, p.wait())
	require.False(t, readsKeys(t, screen), "the terminal is not as it was")
	w.leavesNothing(dir)
}
