package stories

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/crdctl/crdctl/internal/controlplane/state"
)

// What a machine can be short of: one clear sentence each, exit code 2, and nothing left behind.
func TestTrouble(t *testing.T) {
	w := newWorld(t)
	dir := w.crontab()
	crd := filepath.Join(dir, "config/crd")
	file := filepath.Join(w.dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	broken := filepath.Join(w.dir, "broken")
	data, err := state.OpenData(broken) // by which it is known as crdctl's
	if err != nil {
		t.Fatal(err)
	}
	if err := data.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(broken, "etcd/member/wal"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"wal/0000000000000000-0000000000000000.wal", "snap/db"} {
		path := filepath.Join(broken, "etcd/member", part)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(strings.Repeat("rubbish ", 1000)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	other := filepath.Join(w.dir, "other")
	if err := os.Mkdir(other, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(other, ".crdctl"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		dir, want string
		env, args []string
	}{
		"no home to build in": {dir, "crdctl: the go command has no place to work in: ", []string{"HOME=/proc/none", "GOCACHE=", "XDG_CACHE_HOME=", "GOENV=off"}, []string{"run", "--once"}},
		"no temporary folder": {dir, "set TMPDIR to a directory that can be written", []string{"TMPDIR=/proc/none"}, []string{"run"}},
		"data in a file":      {dir, file + ": not a directory; choose one that can be written", nil, []string{"run", "--data-dir", file}},
		"data in the project": {dir, dir + " is not empty, and crdctl did not make it here (found ", nil, []string{"run", "--data-dir", "."}},
		"broken data":         {dir, "if its data are broken, remove " + broken + " and start anew", nil, []string{"run", "--data-dir", broken}},
		"no folder for state": {other, ".crdctl: not a directory; remove it, ", nil, []string{"run", "--builtin", "-f", crd}},
		"nor in background":   {other, ".crdctl: not a directory; remove it, ", nil, []string{"cluster", "start"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, stderr, err := w.tryWith(test.env, test.dir, crdctl, test.args...)
			last := stderr[strings.LastIndex(strings.TrimSuffix(stderr, "\n"), "\n")+1:]
			if exitCode(err) != 2 || !strings.Contains(stderr, test.want) || strings.Contains(stderr, "panic") || strings.Contains(stderr, "goroutine") {
				t.Errorf("%v\n%s\nwant exit code 2 and %s (last line: %s)", err, stderr, test.want, last)
			}
		})
	}
	w.leavesNothing(dir)
}
