package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/prometheus/procfs"

	"github.com/crdctl/crdctl/e2e/internal/harness/measure"
)

// verdict ends the replicas, prints the summary, and returns an error if something was wrong.
func (s *soak) verdict() error {
	for _, r := range s.replicas {
		if err := r.end(); err != nil {
			s.wrong("%v", err)
		}
	}
	if err := s.plane.end(); err != nil {
		s.wrong("%v", err)
	}
	left, err := countProcesses(func(p procfs.Proc) bool {
		line, err := p.CmdLine()
		return err == nil && len(line) > 0 && line[0] == s.hook
	})
	if err != nil {
		return err
	}
	if left > 0 {
		s.wrong("%d hook processes are left after all replicas have ended", left)
	}
	panics, err := panicsIn(s.folder)
	if err != nil {
		return err
	}
	for _, line := range panics {
		s.wrong("a panic of crdctl's own: %s", line)
	}
	for _, w := range judge(s.states) {
		s.wrong("%s", w)
	}
	s.summary()
	if len(s.problems) > 0 {
		return fmt.Errorf("%d things are wrong:\n%s", len(s.problems), strings.Join(s.problems, "\n"))
	}
	return nil
}

// panicsIn finds panics of reconciles in logs; those that ended a process are seen by that, and those of the hook are wanted.
func panicsIn(logs string) (found []string, err error) {
	files, err := filepath.Glob(filepath.Join(logs, "*.log"))
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(string(data)) {
			if strings.Contains(line, `err="panic: `) {
				found = append(found, filepath.Base(file)+": "+strings.TrimSpace(line))
			}
		}
	}
	return found, nil
}

func (s *soak) summary() {
	var wrote []string
	for i := range acts {
		wrote = append(wrote, fmt.Sprintf("%d %s", s.pen.wrote[i].Load(), acts[i].name))
	}
	s.say("%d faults in %s; writes: %s; %d got no answer or were refused", s.count, s.faulty, strings.Join(wrote, ", "), s.pen.lost.Load())
	s.say("%d calls of hooks, %d of them at a key that another call was at", s.calls, s.overlapping)
	s.say("until everything was as it should be: median %s, longest %s", hundredth(measure.Median(s.converging)), hundredth(slices.Max(s.converging)))
	starts := []string{fmt.Sprintf("control plane %d", s.plane.starts)}
	for _, r := range s.replicas {
		starts = append(starts, fmt.Sprintf("replica %s %d", r.name, r.starts))
	}
	s.say("starts: %s", strings.Join(starts, ", "))
	for _, now := range s.states {
		if now.spared {
			s.say("replica %s, which was never killed, after round %d: %s", now.replica, now.round, now)
		}
	}
}
