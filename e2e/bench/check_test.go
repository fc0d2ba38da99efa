// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"os"
	"path/filepath"
	"testing"
)

// BenchmarkCheck measures "crdctl check" on public repositories: all families, compared with what is checked in, and with the
// revision that BASE names, HEAD~20 if it names none. REPOS is the directory of the checkouts, which need their history.
func BenchmarkCheck(b *testing.B) {
	repos := os.Getenv("REPOS")
	if repos == "" {
		progress("check is not measured: set REPOS to a directory with clones of kueue, cluster-api, cert-manager and prometheus-operator")
		return
	}
	base := os.Getenv("BASE")
	if base == "" {
		base = "HEAD~20"
	}
	for _, name := range []string{"kueue", "cluster-api", "cert-manager", "prometheus-operator"} {
		b.Run(name, func(b *testing.B) {
			s, dir := samples{}, filepath.Join(repos, name)
			one := func(side string, args ...string) {
				// Findings are no failure here.
				s.took(side, run(b, dir, environ(), append([]string{"sh", "-c", `"$0" check "$@" > /dev/null 2>&1 || test $? = 1`, crdctl(b)}, args...)...))
			}
			one("warm")
			clear(s)
			for b.Loop() {
				one("plain")
				one("against", "--against", base)
				for _, family := range []string{"preflight", "lint", "samples"} {
					one(family, family)
				}
			}
			s.report(b)
		})
	}
}
