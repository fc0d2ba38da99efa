// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/crdctl/crdctl/e2e/internal/harness/api"
	"github.com/crdctl/crdctl/e2e/internal/harness/program"
	"github.com/crdctl/crdctl/internal/controlplane/state"
)

// What crdctl and the controller of the project write to standard error.
const (
	saysBuilding   = "crdctl: building the controller"
	saysBuilt      = "crdctl: built in"
	saysBrokenOff  = "crdctl: the sources changed during the build"
	saysStarted    = `"Event handlers set up"`
	saysReconciled = `"Processing CronTab"`
)

// edits are two changes of the project, other ones in each round, which no cache has seen.
var edits = []struct {
	name string
	at   place
	text string // with a %d for the round
}{
	{"one-line-in-crontab.go", place{"internal/controller/crontab.go", "\t// Add your controller logic here."}, "\tlogger.V(4).Info(\"bench %d\")\n"},
	{"a-new-field-in-types.go", place{"pkg/apis/stable/v1beta1/types.go", "type CronTabSpec struct {"}, "\t// Bench%[1]d is new.\n\t// +optional\n\tBench%[1]d string `json:\"bench%[1]d,omitempty\"`\n\n"},
}

// BenchmarkSave measures the time from the rename of a saved file, under "crdctl run", until the new controller's first reconcile.
// In turns with it, the same change is built and run in a copy of the project without crdctl; crdctl's own part is the difference.
// Until and after the build are measured under crdctl: on a busy machine they say more than a difference of large times.
func BenchmarkSave(b *testing.B) {
	s := newSaves(b)
	all := map[string]samples{edits[0].name: {}, edits[1].name: {}}
	for round, i := range rounds(b, len(edits)) {
		e := edits[i]
		with := all[e.name]
		edit := func(dir string) {
			editLine(b, dir, e.at, func(line string) string { return line + fmt.Sprintf(e.text, round) })
		}
		total := s.with(b, with, func() { edit(s.project) })
		edit(s.copy)
		build, start := s.without(b)
		progress("%s: %.3f s; go build %.3f s, controller %.3f s", e.name, total.Seconds(), build.Seconds(), start.Seconds())
		with.add(total.Seconds(), "save-sec")
		with.add(build.Seconds(), "go-build-sec")
		with.add(start.Seconds(), "controller-sec")
		with.add((total - build - start).Seconds(), "crdctl-own-sec")
	}
	for _, e := range edits {
		b.Run(e.name, all[e.name].report)
	}
}

// saves is a project that crdctl runs, and a copy of it.
type saves struct {
	project, copy string
	env           []string
	run           *program.Process
}

// newSaves makes the project, runs it with one object, and builds its copy once, so that both have been built before.
func newSaves(b *testing.B) *saves {
	b.Helper()
	dir := b.TempDir()
	s := &saves{project: filepath.Join(dir, "crontab"), copy: filepath.Join(dir, "copy"), env: scratch(b, dir)}
	for _, project := range []string{s.project, s.copy} {
		run(b, dir, s.env, append([]string{crdctl(b), "init", "-C", project, "--module", "example.com/crontab"}, crontab...)...)
	}
	s.run = must(program.Start(program.Side{Dir: s.project, Env: s.env, Argv: []string{crdctl(b), "run"}}))(b)
	b.Cleanup(func() { check(b, s.run.End()) })
	server := must(api.Connect(b.Context(), state.Kubeconfig(s.project), s.run.Done()))(b)
	s.await(b, 0, "crdctl: installed")
	check(b, server.Insist(b.Context(), s.run.Done(), "/apis/stable.example.com/v1beta1/namespaces/default/crontabs",
		[]byte(`{"apiVersion":"stable.example.com/v1beta1","kind":"CronTab","metadata":{"name":"bench"},"spec":{"cronSpec":"* * * * *"}}`)))
	s.await(b, 0, saysReconciled)
	s.without(b)
	return s
}

func (s *saves) await(b *testing.B, from int, text string) (at time.Time, next int) {
	b.Helper()
	at, next, err := s.run.Await(b.Context(), from, text)
	check(b, err)
	return at, next
}

// settled waits until crdctl does nothing more. It builds once more after it has generated, and finds nothing new.
func (s *saves) settled(b *testing.B) {
	b.Helper()
	for {
		check(b, s.run.Quiet(b.Context(), 2*time.Second))
		// A long build is reported again, in a line that begins with the same words.
		text := s.run.Text()
		if strings.Count(text, saysBuilding+"\n") == strings.Count(text, saysBuilt)+strings.Count(text, saysBrokenOff) {
			return
		}
	}
}

// with saves a change of the project that crdctl runs.
func (s *saves) with(b *testing.B, into samples, save func()) (total time.Duration) {
	b.Helper()
	s.settled(b)
	next := len(s.run.Text())
	began := time.Now()
	save()
	// The old controller may write something, too: what counts is what comes after the build.
	var came [4]time.Time
	for i, text := range []string{saysBuilding, saysBuilt, saysStarted, saysReconciled} {
		came[i], next = s.await(b, next, text)
	}
	into.add(came[0].Sub(began).Seconds(), "until-build-sec")
	into.add(came[2].Sub(came[1]).Seconds(), "after-build-sec")
	return came[3].Sub(began)
}

// without builds the copy of the project, after crdctl has generated there too, and starts its controller against the same API.
func (s *saves) without(b *testing.B) (build, start time.Duration) {
	b.Helper()
	s.settled(b)
	run(b, s.copy, s.env, crdctl(b), "generate")
	binary := filepath.Join(filepath.Dir(s.copy), "controller")
	built := run(b, s.copy, s.env, "go", "build", "-o", binary, "./.")
	controller := must(program.Start(program.Side{Dir: s.copy, Env: append(s.env, "KUBECONFIG="+state.Kubeconfig(s.project)), Argv: []string{binary}}))(b)
	at, _, err := controller.Await(b.Context(), 0, saysReconciled)
	check(b, errors.Join(err, controller.End()))
	return built.Wall, at.Sub(controller.Began)
}
