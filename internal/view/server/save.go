// SPDX-License-Identifier: Apache-2.0

package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/crdctl/crdctl/internal/trace"
)

// before is the session that was shown before another run began, as a recording.
type before struct {
	content []byte
	records int
}

// save answers with what is held of a range, or with the session before, as a recording. It changes nothing: the browser
// keeps the file.
func (s *session) save(w http.ResponseWriter, r *http.Request) {
	q := newQuery(r.URL.Query())
	var content []byte
	name := fmt.Sprintf("crdctl-%s.crdctl.gz", time.Now().Format("20060102-150405"))
	if q.is("before") {
		s.mu.Lock()
		if s.before != nil {
			content = s.before.content
		}
		s.mu.Unlock()
		if content == nil {
			http.Error(w, "no session before this one is held", http.StatusNotFound)
			return
		}
	} else {
		s.mu.Lock()
		records := s.recordsOf(q.from, q.to)
		s.mu.Unlock()
		var err error
		if content, err = recordingOf(records); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
	}
	w.Header().Set("Content-Type", "application/gzip")
	w.Header().Set("Content-Disposition", fmt.Sprintf("attachment; filename=%q", name))
	_, _ = w.Write(content)
}

// recordsOf returns the header, all definitions, and the records of a range. Their bodies do not change. s.mu is held.
func (s *session) recordsOf(from, to int64) (all []trace.Record) {
	m := s.model
	if h := m.Header(); h != nil {
		all = append(all, trace.Record{Body: h})
	}
	for a := range m.Actors() {
		all = append(all, trace.Record{Body: &trace.Def{Actor: a.Actor}})
	}
	for r := range m.Resources() {
		all = append(all, trace.Record{Body: &trace.Def{Resource: r}})
	}
	for o := range m.Objects() {
		all = append(all, trace.Record{Body: &trace.Def{Object: o.Object}})
	}
	to = cmp.Or(to, m.Now())
	defined := len(all)
	for _, r := range s.unread {
		if r.T >= from && r.T <= to {
			all = append(all, r)
		}
	}
	for r := range m.Records(from, to) {
		all = append(all, r)
	}
	slices.SortFunc(all[defined:], func(a, b trace.Record) int { return cmp.Compare(a.Seq, b.Seq) })
	return all
}

// recordingOf returns records as a file has them.
func recordingOf(records []trace.Record) (content []byte, err error) {
	dir, err := os.MkdirTemp("", "crdctl-view-") // 0700
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	file := filepath.Join(dir, "recording.crdctl.gz")
	_, err = trace.SaveFile(file, "the page", func(yield func(trace.Record, error) bool) {
		for _, r := range records {
			if !yield(r, nil) {
				return
			}
		}
	})
	if err != nil {
		return nil, err
	}
	return os.ReadFile(file)
}

// keep keeps the session that ends as a recording, if there is something in it. s.mu is held.
func (s *session) keep(ctx context.Context) {
	run := s.run()
	if s.model.Len() == 0 {
		return
	}
	records := s.recordsOf(0, 0)
	go func() {
		content, err := recordingOf(records)
		if err != nil || ctx.Err() != nil {
			return // it is not offered
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.run() != run {
			s.before = &before{content, len(records)}
			s.changes++
		}
	}()
}
