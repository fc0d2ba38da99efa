// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"fmt"
	"path/filepath"
	"testing"
)

// BenchmarkFresh measures the way from nothing to a project that is compiled and verified, each step by itself, so that crdctl's own
// part of it is seen. The dependencies are compiled before, as on a machine that builds controllers; each round has a module path
// of its own, so that nothing of the project is.
func BenchmarkFresh(b *testing.B) {
	for name, flags := range map[string][]string{
		"CronTab": crontab,
		"Foo-owns-Deployments": {"--group", "samplecontroller.k8s.io", "--version", "v1alpha1", "--kind", "Foo", "--owns", "apps/v1/Deployment",
			"--field", "deploymentName:string:required", "--field", "replicas:int32", "--field", "status.availableReplicas:int32"},
	} {
		b.Run(name, func(b *testing.B) {
			projects, s := b.TempDir(), samples{}
			one := func(round int) {
				dir := filepath.Join(projects, fmt.Sprint(round))
				module := fmt.Sprintf("example.com/%s%d", filepath.Base(filepath.Dir(projects)), round)
				s.took("init", run(b, ".", environ(), append([]string{crdctl(b), "init", "-C", dir, "--module", module}, flags...)...))
				s.took("build", run(b, dir, environ(), "go", "build", "./..."))
				s.took("verify", run(b, dir, environ(), crdctl(b), "verify"))
			}
			one(0) // compiles the dependencies
			clear(s)
			for round := 1; b.Loop(); round++ {
				one(round)
			}
			s.report(b)
		})
	}
}

// BenchmarkProcess measures what every command costs before it does anything, compared with a Go program that does nothing.
func BenchmarkProcess(b *testing.B) {
	dir := b.TempDir()
	empty, s := filepath.Join(dir, "empty"), samples{}
	writeFile(b, empty+".go", []byte("package main\n\nfunc main() {}\n"))
	goCommand(b, dir, "build", "-o", empty, empty+".go")
	for b.Loop() {
		for range 20 {
			s.took("crdctl-version", run(b, dir, environ(), crdctl(b), "version"))
			s.took("empty-program", run(b, dir, environ(), empty))
		}
	}
	s.report(b)
}
