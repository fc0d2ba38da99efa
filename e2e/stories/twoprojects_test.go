package stories

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Two projects of the same kind that run at the same time: each has its control plane, its webhooks and its objects, and
// "crdctl kubectl" speaks to that of the directory it is called in.
func TestTwoProjectsAtTheSameTime(t *testing.T) {
	w := newWorld(t)
	first, second := w.webhooks("first"), w.webhooks("second")
	var runs []*process
	takenBy := map[string]string{}
	for _, dir := range []string{first, second} {
		run := w.start(dir, crdctl, "run")
		run.waitFor("serving webhooks on ")
		w.until("the address is printed", func() bool { return strings.Contains(run.text()[run.seen:], "\n") })
		webhook, _, _ := strings.Cut(run.text()[run.seen:], "\n")
		for _, address := range []string{webhook, w.kubectl(dir, "config", "view", "-o", "jsonpath={.clusters[0].cluster.server}")} {
			if other, taken := takenBy[address]; taken {
				t.Errorf("%s: %s is an address of %s", dir, address, other)
			}
			takenBy[address] = dir
		}
		runs = append(runs, run)
	}

	// Objects of the same name: each is seen by its own project's webhook only, which gives it a size.
	for i, dir := range []string{first, second} {
		w.write(filepath.Join(dir, "box.yaml"), "apiVersion: boxes.example.com/v1\nkind: Box\nmetadata: {name: box}\n")
		if got := w.kubectl(dir, "get", "boxes.v1.boxes.example.com", "-o", "name"); got != "" {
			t.Errorf("%s has the objects of the other: %s", dir, got)
		}
		if strings.Contains(runs[i].text(), "called /mutate") {
			t.Errorf("the webhook of %s was called for an object of the other", dir)
		}
		w.kubectl(dir, "create", "-f", "box.yaml")
		runs[i].waitFor("called /mutate")
	}

	// The end of the one is not the end of the other.
	w.end(runs[0])
	if got := w.kubectl(second, "get", "boxes.v2.boxes.example.com", "box", "-o", "jsonpath={.spec.dimensions.size}"); got != "7" {
		t.Errorf("the size is %q, want the webhook's 7", got)
	}
	w.end(runs[1])
	w.leavesNothing(first)
	w.leavesNothing(second)
}

// webhooks makes the project of testdata/webhooks in a directory of its own.
func (w *world) webhooks(name string) (dir string) {
	w.Helper()
	dir = filepath.Join(w.dir, name)
	w.check(os.CopyFS(dir, os.DirFS("testdata/webhooks")))
	w.write(filepath.Join(dir, "go.mod"), "module example.com/webhooks\n\ngo 1.26\n")
	return dir
}
