package stories

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/crdctl/crdctl/templates"
)

// handwritten lays out a project of testdata in a folder of its own, has crdctl generate what is generated in it, holds
// that verify then finds it fresh, and returns the folder. Nothing generated lies in testdata. Nor does go.mod: a project
// gets the one that init writes, and so needs no module that an init-ed project does not need.
func (w *world) handwritten(name string) string {
	w.Helper()
	dir := filepath.Join(w.dir, name)
	w.check(os.CopyFS(dir, os.DirFS(filepath.Join("testdata", name))))
	for _, file := range []string{"go.mod", "go.sum"} {
		data, err := templates.FS.ReadFile("project/" + file + ".tmpl")
		w.check(err)
		w.check(os.WriteFile(filepath.Join(dir, file), []byte(strings.Replace(string(data), "{{ .Module }}", "example.com/"+name, 1)), 0o644))
	}
	if _, stderr, err := w.try(dir, crdctl, "verify"); exitCode(err) != 1 {
		w.Errorf("verify before the first generate: %v, want exit code 1\n%s", err, stderr)
	}
	w.run(dir, crdctl, "generate")
	w.run(dir, crdctl, "verify")
	w.run(dir, "go", "build", "-o", filepath.Join(w.dir, name+".built"), ".") // with cold caches it takes longer than anything that a test waits for
	return dir
}

// kubectl runs the embedded kubectl for the control plane of a folder.
func (w *world) kubectl(dir string, args ...string) string {
	w.Helper()
	return w.run(dir, crdctl, append([]string{"kubectl"}, args...)...)
}

// plane runs a control plane in a folder of its own, with no controller for the kinds of the projects, and returns it
// and its folder.
func (w *world) plane() (*process, string) {
	w.Helper()
	dir := filepath.Join(w.dir, "plane")
	w.check(os.Mkdir(dir, 0o755))
	w.check(os.WriteFile(filepath.Join(dir, "crd.yaml"), []byte(otherCRD), 0o644))
	plane := w.start(dir, crdctl, "run", "--builtin", "-f", "crd.yaml")
	plane.waitFor("Started workers")
	return plane, dir
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
	if err != nil {
		w.Fatal(err)
	}
}
