// SPDX-License-Identifier: Apache-2.0

// Package scripttest runs txtar scripts of crdctl's command line, with the commands that they have besides those of testscript.
// It is for tests alone, and does not know which program the scripts run as crdctl.
package scripttest

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"
)

// Run runs the scripts in testdata/script with more environment variables; update rewrites what they compare with.
func Run(t *testing.T, update bool, env ...string) {
	t.Helper()
	// The real caches: a script that builds must not start from nothing, and needs no network.
	env = append(goEnvironment(t), env...)
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		UpdateScripts:       update,
		RequireExplicitExec: true,
		Setup: func(e *testscript.Env) error {
			e.Vars = append(e.Vars, env...)
			for name, dir := range map[string]string{"TMPDIR": "tmp", "XDG_CACHE_HOME": "cache", "XDG_CONFIG_HOME": "config"} {
				e.Vars = append(e.Vars, name+"="+filepath.Join(e.WorkDir, dir))
				if err := os.Mkdir(filepath.Join(e.WorkDir, dir), 0o755); err != nil && !os.IsExist(err) {
					return err
				}
			}
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":    exits,
			"snapshot": snapshot,
			"edit":     edit,
			"nothing":  nothing,
			"await":    await,
			"sleep":    sleep,
		},
	})
}

// Unhurried is the standard error without the lines about long work: how long it takes depends on the machine.
type Unhurried struct{}

var longWork = regexp.MustCompile(`(?m)^crdctl: [a-z].* \((\d+m)?\d+s\)\n`)

func (Unhurried) Write(p []byte) (int, error) {
	if _, err := os.Stderr.Write(longWork.ReplaceAll(p, nil)); err != nil {
		return 0, err
	}
	return len(p), nil
}

func goEnvironment(t *testing.T) []string {
	t.Helper()
	var vars []string
	for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOPROXY", "GOSUMDB", "GOFLAGS", "GOROOT"} {
		out, err := exec.CommandContext(t.Context(), "go", "env", name).Output()
		require.NoError(t, err)
		vars = append(vars, name+"="+strings.TrimSpace(string(out)))
	}
	return vars
}

// exits CODE crdctl ARG... runs crdctl and holds its exit code.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM ARG...")
	}
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		exit, ok := errors.AsType[*exec.ExitError](err)
		if !ok {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if want := args[0]; fmt.Sprint(got) != want {
		ts.Fatalf("exit code %d, want %s", got, want)
	}
}

// snapshot DIR FILE writes path, mode, size and time of change of all that is in a directory to a file.
func snapshot(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: snapshot DIR FILE")
	}
	var b strings.Builder
	err := filepath.WalkDir(ts.MkAbs(args[0]), func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%s %v %d %d\n", p, info.Mode(), info.Size(), info.ModTime().UnixNano())
		return nil
	})
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(b.String()), 0o644))
}

// edit FILE OLD NEW replaces text in a file, once; \n and \t in it stand for themselves.
func edit(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: edit FILE OLD NEW")
	}
	escapes := strings.NewReplacer(`\n`, "\n", `\t`, "\t")
	old, replacement := escapes.Replace(args[1]), escapes.Replace(args[2])
	text := ts.ReadFile(args[0])
	if strings.Count(text, old) != 1 {
		ts.Fatalf("%q is %d times in %s, want once", old, strings.Count(text, old), args[0])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(strings.Replace(text, old, replacement, 1)), 0o644))
}

// nothing DIR holds that a directory is empty, or not there.
func nothing(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: nothing DIR")
	}
	entries, err := os.ReadDir(ts.MkAbs(args[0]))
	if err != nil && !os.IsNotExist(err) {
		ts.Fatalf("%v", err)
	}
	for _, e := range entries {
		if e.Name() != "goimports" { // golang.org/x/tools makes it there, in test binaries only
			ts.Fatalf("%s holds %v", args[0], entries)
		}
	}
}

// patience bounds a wait. It measures nothing: machines that run tests are busy.
const patience = 3 * time.Minute

// await FILE TEXT waits until a file holds a text; with a ! before the text, until the file does not hold it.
func await(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: await FILE [!]TEXT")
	}
	text, without := strings.CutPrefix(args[1], "!")
	for deadline := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
		data, err := os.ReadFile(ts.MkAbs(args[0]))
		if err == nil && strings.Contains(string(data), text) != without {
			return
		}
		if time.Now().After(deadline) {
			ts.Fatalf("%s does not come to %q (%v):\n%s", args[0], args[1], err, data)
		}
	}
}

// sleep TIME waits, for what must not happen.
func sleep(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: sleep TIME")
	}
	d, err := time.ParseDuration(args[0])
	ts.Check(err)
	time.Sleep(d)
}
