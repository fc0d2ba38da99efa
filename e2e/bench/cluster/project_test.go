package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/crdctl/crdctl/templates"
)

func TestEditApply(t *testing.T) {
	e := edit{file: "a.go", line: "type T struct {\n", text: "\tF%[1]d string `json:\"f%[1]d\"`\n"}
	got, err := e.apply("package a\n\ntype T struct {\n}\n", 3)
	if want := "package a\n\ntype T struct {\n\tF3 string `json:\"f3\"`\n}\n"; err != nil || got != want {
		t.Errorf("%q, %v; want %q", got, err, want)
	}
	for _, content := range []string{"package a\n", "type T struct {\n}\ntype T struct {\n}\n"} {
		if _, err := e.apply(content, 3); err == nil || !strings.Contains(err.Error(), `a.go: the line "type T struct {" is not there once`) {
			t.Errorf("%q: %v", content, err)
		}
	}
}

// The edits, and the words that are waited for, are those of what "crdctl init" writes and "crdctl run" says.
func TestTheProjectIsWhatTheBenchExpects(t *testing.T) {
	read := func(fsys fs.FS, name string) string {
		data, err := fs.ReadFile(fsys, name)
		if err != nil {
			t.Fatal(err)
		}
		return strings.ReplaceAll(string(data), "{{ .API.Kind }}", "CronTab")
	}
	controller := read(templates.FS, "controller/internal/controller/__controller__.go.tmpl")
	types := read(templates.FS, "api/pkg/apis/__group__/__version__/__types__.go.tmpl")
	steps := read(os.DirFS(filepath.Join("..", "..", "run")), "steps.go")
	for _, e := range edits() {
		content := controller
		if e.file == typesFile {
			content = types
		}
		if _, err := e.apply(content, 1); err != nil {
			t.Error(err)
		}
	}
	for _, said := range []string{saysStarted, saysReconciled} {
		if !strings.Contains(controller, "Info("+said) {
			t.Errorf("the controller does not say %s", said)
		}
	}
	for _, said := range []string{saysBuilding, saysBuilt} {
		if !strings.Contains(steps, `d.say("`+strings.TrimPrefix(said, "crdctl: ")) {
			t.Errorf("crdctl run does not say %q", said)
		}
	}
}

func TestCopyProject(t *testing.T) {
	from, to := t.TempDir(), filepath.Join(t.TempDir(), "copy")
	put := func(name, content string) {
		t.Helper()
		file := filepath.Join(from, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(content), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	copied := func(name string) os.FileInfo {
		t.Helper()
		info, err := os.Stat(filepath.Join(to, name))
		if err != nil {
			t.Fatal(err)
		}
		return info
	}
	put("main.go", "package main\n")
	put("pkg/a.go", "package a\n")
	put(".crdctl/kubeconfig", "secret")
	if err := copyProject(from, to); err != nil {
		t.Fatal(err)
	}
	long := time.Now().Add(-time.Hour)
	if err := os.Chtimes(filepath.Join(to, "main.go"), long, long); err != nil {
		t.Fatal(err)
	}
	put("pkg/a.go", "package a // changed\n")
	if err := copyProject(from, to); err != nil {
		t.Fatal(err)
	}
	if !copied("main.go").ModTime().Before(time.Now().Add(-time.Minute)) {
		t.Error("a file that did not change was written")
	}
	if copied("pkg/a.go").Size() != int64(len("package a // changed\n")) {
		t.Error("a changed file was not copied")
	}
	if _, err := os.Stat(filepath.Join(to, ".crdctl")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf(".crdctl was copied: %v", err)
	}
}
