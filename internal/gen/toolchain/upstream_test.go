package toolchain

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/semver"
)

// versions are those that are compared with upstream: one of before validation-gen, whose gengo formats in another way, and the
// newest. CRDCTL_ENGINES names others.
func versions() []string {
	if list := os.Getenv("CRDCTL_ENGINES"); list != "" {
		return strings.Fields(list)
	}
	return []string{"v0.31.14", "v0.37.1"}
}

// An engine's files are, byte by byte, those of upstream's own binaries of its version.
func TestUpstreamWritesTheSame(t *testing.T) {
	cache := testCache(t)
	for _, version := range versions() {
		t.Run(version, func(t *testing.T) {
			e, err := in(t.Context(), cache, version)
			if err != nil {
				t.Fatal(err)
			}
			bin := buildUpstream(t, cache, version)
			runs := fixtureRuns(version)
			ours, theirs := fixture(t, version), fixture(t, version)
			boilerplate, err := os.ReadFile(filepath.Join(ours, "hack", "boilerplate.go.txt"))
			if err != nil {
				t.Fatal(err)
			}
			before := snapshot(t, theirs)
			for _, g := range runs {
				args := slices.Concat(g.Flags, []string{"--go-header-file", "hack/boilerplate.go.txt"}, g.Inputs)
				run(t, theirs, filepath.Join(bin, g.Name), args...)
			}
			want := snapshot(t, theirs)
			for path := range before {
				delete(want, path)
			}
			start := time.Now()
			files, notes, err := e.Run(t.Context(), ours, boilerplate, runs)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%d files in %v, %d notes", len(files), time.Since(start), len(notes))
			if after := snapshot(t, ours); len(after) != len(before) {
				t.Errorf("the engine wrote into the tree: %d files, then %d", len(before), len(after))
			}
			compare(t, ours, files, want)
		})
	}
}

// testCache is a cache that outlives the test, apart from the user's own.
func testCache(t *testing.T) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(cache, "crdctl-test-engines")
}

// compare compares the files for the folder root with upstream's, by path.
func compare(t *testing.T, root string, files []File, want map[string][]byte) {
	t.Helper()
	if len(want) < 30 {
		t.Errorf("upstream wrote %d files; the fixture asks for more", len(want))
	}
	for _, f := range files {
		rel, err := filepath.Rel(root, f.Path)
		if err != nil {
			t.Fatal(err)
		}
		theirs, ok := want[rel]
		delete(want, rel)
		// Only the engine leaves the word YEAR.
		ours, asked := year(f.Content), year(theirs)
		switch {
		case !ok:
			t.Errorf("%s: upstream has no such file", rel)
		case filepath.Ext(rel) == ".go" && !bytes.Contains(f.Content, []byte("Copyright YEAR The Authors. In the YEAR of the fixture.")):
			t.Errorf("%s has no header as it was given:\n%.300s", rel, f.Content)
		case !bytes.Equal(ours, asked):
			t.Errorf("%s of %s differs from upstream's:\n%s", rel, f.Generator, diff(t, asked, ours))
		}
	}
	for path := range want {
		t.Errorf("%s: only upstream has it", path)
	}
}

// year takes the line with the year out of a header.
func year(content []byte) []byte {
	var out []byte
	for line := range bytes.Lines(content) {
		if !bytes.HasPrefix(line, []byte("Copyright ")) {
			out = append(out, line...)
		}
	}
	return out
}

func diff(t *testing.T, want, got []byte) string {
	dir := t.TempDir()
	a, b := filepath.Join(dir, "upstream"), filepath.Join(dir, "crdctl")
	for name, content := range map[string][]byte{a: want, b: got} {
		if err := os.WriteFile(name, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	out, _ := exec.CommandContext(t.Context(), "diff", "-u", a, b).CombinedOutput() // it fails as they differ
	return string(out)
}

func run(t *testing.T, dir, name string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOFLAGS=", "GOWORK=off", "PWD="+dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
}

// buildUpstream builds upstream's own programs, unchanged, into a folder of the cache, and returns it. The oldest need a newer golang.org/x/tools than
// they pin, since Go itself has moved on; nothing else is different from "go install".
func buildUpstream(t *testing.T, cache, version string) string {
	t.Helper()
	g, err := goOf(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	place := filepath.Join(cache, "upstream-"+version+"-"+g.version)
	if _, err := os.Stat(place); err == nil {
		return place
	}
	dir := t.TempDir()
	upstream, err := g.download(t.Context(), dir, module, version)
	if err != nil {
		t.Fatal(err)
	}
	pinned, err := os.ReadFile(filepath.Join(upstream, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	f, err := modfile.Parse("go.mod", pinned, nil)
	if err != nil {
		t.Fatal(err)
	}
	var packages []string
	for _, r := range fixtureRuns(version) {
		pkg := module + "/cmd/" + r.Name
		if r.Name == "openapi-gen" {
			pkg = "k8s.io/kube-openapi/cmd/openapi-gen"
		}
		packages = append(packages, pkg)
	}
	for _, r := range f.Require {
		if r.Mod.Path == tools && semver.Compare(r.Mod.Version, oldestTools) < 0 {
			if err := f.AddRequire(tools, oldestTools); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := f.AddModuleStmt("example.com/upstream"); err != nil {
		t.Fatal(err)
	}
	if err := f.AddRequire(module, version); err != nil {
		t.Fatal(err)
	}
	goMod, err := f.Format()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), goMod, 0o600); err != nil {
		t.Fatal(err)
	}
	bin, err := os.MkdirTemp(cache, "upstream-")
	if err != nil {
		t.Fatal(err)
	}
	args := append([]string{"build", "-o", bin + string(filepath.Separator)}, slices.Compact(packages)...)
	if _, err := g.run(t.Context(), dir, args...); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(bin, place); err != nil {
		t.Fatal(err)
	}
	return place
}
