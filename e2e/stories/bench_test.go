package stories

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// BenchmarkProcess is what every command costs before it does anything: crdctl, with all that is linked into it,
// beside a Go program that does nothing.
func BenchmarkProcess(b *testing.B) {
	empty := filepath.Join(b.TempDir(), "empty")
	source := empty + ".go"
	if err := os.WriteFile(source, []byte("package main\n\nfunc main() {}\n"), 0o644); err != nil {
		b.Fatal(err)
	}
	if out, err := exec.Command("go", "build", "-o", empty, source).CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	for name, command := range map[string][]string{"crdctl-version": {crdctl, "version"}, "empty-program": {empty}} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if err := exec.Command(command[0], command[1:]...).Run(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkRunUntilReady is the time from the start of "crdctl run" until its API is ready and the CRD installed. The
// end of the run is not in it.
func BenchmarkRunUntilReady(b *testing.B) {
	dir := b.TempDir()
	crd := filepath.Join(dir, "crd.yaml")
	if err := os.WriteFile(crd, []byte(otherCRD), 0o644); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		cmd := exec.Command(crdctl, "run", "--builtin", "-f", crd)
		cmd.Dir = dir
		out, err := cmd.StderrPipe()
		if err != nil {
			b.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			b.Fatal(err)
		}
		ready := false
		lines := bufio.NewScanner(out)
		for !ready && lines.Scan() {
			ready = strings.HasPrefix(lines.Text(), "crdctl: installed")
		}
		b.StopTimer()
		if !ready {
			b.Fatal("crdctl run did not become ready")
		}
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			b.Fatal(err)
		}
		for lines.Scan() {
		}
		if err := cmd.Wait(); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
}
