// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"cmp"
	"os"
	"path/filepath"
	"testing"
)

// checkRepos is the directory of the checkouts for benchmarks of check, "" if there is none, and the older revision.
func checkRepos() (dir, base string) {
	if dir = os.Getenv("REPOS"); dir == "" {
		progress("check is not measured: set REPOS to a directory with clones of kueue, cluster-api, cert-manager and prometheus-operator")
	}
	return dir, cmp.Or(os.Getenv("BASE"), "HEAD~20")
}

// BenchmarkCheck measures "crdctl check" on public repositories: all families, compared with what is checked in, and with the
// revision that BASE names, HEAD~20 if it names none. REPOS is the directory of the checkouts, which need their history.
func BenchmarkCheck(b *testing.B) {
	repos, base := checkRepos()
	if repos == "" {
		return
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
