// SPDX-License-Identifier: Apache-2.0

package observe

import (
	"sync"
	"time"

	"github.com/crdctl/crdctl/internal/trace"
)

// Save is what the development loop does about one change. A nil one does it without recording.
type Save struct {
	run    *Run
	files  []string
	before string

	mu    sync.Mutex
	steps []trace.Step
}

// Save begins with the files that changed; none for the start of the run.
func (r *Run) Save(files []string) *Save {
	if r == nil {
		return nil
	}
	_, before := r.running()
	return &Save{run: r, files: files, before: before}
}

// Step does a step, and notes how long it took and how it ended. Steps may be done at the same time.
func (s *Save) Step(name string, do func() error) error {
	if s == nil {
		return do()
	}
	began := time.Now()
	err := do()
	step := trace.Step{Name: name, Took: int64(time.Since(began)), OK: err == nil}
	if err != nil {
		step.Message = err.Error()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.steps = append(s.steps, step)
	return err
}

// End records what was done. A change about which nothing was done is not recorded.
func (s *Save) End() {
	if s == nil || len(s.steps) == 0 {
		return
	}
	build, after := s.run.running()
	s.run.sink.Add(&trace.Save{Build: build, Files: s.files, Steps: s.steps, Before: s.before, After: after})
}
