// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// BenchmarkEnvtest compares etcd and kube-apiserver of "crdctl envtest path" with those built from their modules, as envtest starts
// and stops them: until envtest.Start returns, what both hold then with 20 open watches, until Stop returns, and a small suite
// from its start to its end. docs/test.md quotes it.
func BenchmarkEnvtest(b *testing.B) {
	bin, all := buildPlanes(b), map[string]samples{"crdctl": {}, "official": {}}
	crds := b.TempDir()
	crdFile(b, crds)
	sides := []struct{ name, dir string }{
		{"crdctl", strings.TrimSpace(printed(b, crdctl(b), "envtest", "path", "-C", bin))},
		{"official", bin},
	}
	for _, i := range rounds(b, len(sides)) {
		side := sides[i]
		values := printed(b, filepath.Join(bin, "envtestpair"), side.dir, crds)
		progress("%s: %s", side.name, strings.ReplaceAll(strings.TrimSpace(values), "\n", ", "))
		for line := range strings.Lines(values) {
			var value float64
			var unit string
			must(fmt.Sscan(line, &value, &unit))(b)
			all[side.name].add(value, unit)
		}
	}
	for _, side := range sides {
		b.Run("side="+side.name, func(b *testing.B) { all[side.name].report(b) })
	}
	for _, unit := range []string{"start-sec", "stop-sec", "suite-sec", "cpu-sec", "resident-MB", "proportional-MB", "private-MB", "resident-later-MB"} {
		b.ReportMetric(all["official"].median(unit)/all["crdctl"].median(unit), unit+"-ratio")
	}
}

// printed runs a program and returns what it prints.
func printed(b *testing.B, argv ...string) string {
	b.Helper()
	cmd := exec.CommandContext(b.Context(), argv[0], argv[1:]...)
	cmd.Env = environ()
	return string(must(cmd.Output())(b))
}
