package stories

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// facts are all that can be seen of a tree: names, modes, sizes, times, contents.
func (w *world) facts(dir string) (lines []string) {
	w.Helper()
	w.check(filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && d.Name() == "etcd" {
			return fs.SkipDir // it is written all the time
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		line := fmt.Sprint(path, " ", info.Mode(), " ", info.Size(), " ", info.ModTime().UnixNano())
		if d.Type().IsRegular() {
			content, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			line += " " + string(content)
		}
		lines = append(lines, line)
		return nil
	}))
	return lines
}

// verify, status and kubectl write nothing in a project and its state, whether a control plane runs, was killed, or is missing.
func TestCommandsThatOnlyLook(t *testing.T) {
	w := newWorld(t)
	dir := w.crontab()
	looks := func(what string, codes ...int) {
		t.Helper()
		before := w.facts(dir)
		for i, args := range [][]string{{"verify"}, {"cluster", "status"}, {"kubectl", "get", "namespaces"}, {"kubectl", "config", "view"}} {
			if _, stderr, err := w.try(dir, crdctl, args...); exitCode(err) != codes[i] {
				t.Errorf("%s, %s: %v, want exit code %d\n%s", what, strings.Join(args, " "), err, codes[i], stderr)
			}
		}
		if after := w.facts(dir); !slices.Equal(before, after) {
			t.Errorf("%s: the tree was changed from\n%s\nto\n%s", what, strings.Join(before, "\n"), strings.Join(after, "\n"))
		}
	}
	looks("without a control plane", 0, 1, 2, 0)
	w.run(dir, crdctl, "cluster", "start")
	looks("with one", 0, 0, 0, 0)
	if out := w.run(dir, crdctl, "kubectl", "config", "current-context"); out != "crdctl\n" {
		t.Errorf("current-context is %q", out)
	}
	w.run(dir, crdctl, "kubectl", "config", "set-context", "--current", "--namespace=kube-system")
	if out := w.run(dir, crdctl, "kubectl", "config", "view", "--minify", "-o", "jsonpath={..namespace}"); out != "kube-system" {
		t.Errorf("after the namespace was set, it is %q", out)
	}
	w.run(dir, crdctl, "cluster", "stop")
	looks("with one that was stopped", 0, 1, 2, 0)
	w.run(dir, crdctl, "cluster", "reset")
	if _, err := os.Stat(filepath.Join(dir, ".crdctl")); err == nil {
		t.Error("after the reset, .crdctl is still there")
	}
	w.leavesNothing(dir)
}
