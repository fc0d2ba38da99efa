// SPDX-License-Identifier: Apache-2.0

package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/crdctl/crdctl/internal/text"
	"github.com/crdctl/crdctl/internal/trace"
)

// before is the session that was shown before another run began, as a recording.
type before struct {
	content []byte
	records int
	left    string // what is not in it
}

// leftOut is the header of an answer that has less than was recorded, with the reason.
const leftOut = "Crdctl-Left-Out"

// save answers with what is held of a range, or with the session before, as a recording. It changes nothing: the browser
// keeps the file.
func (s *session) save(w http.ResponseWriter, r *http.Request) {
	q := newQuery(r.URL.Query())
	var content []byte
	left := ""
	name := fmt.Sprintf("crdctl-%s.crdctl.gz", time.Now().Format("20060102-150405"))
	if q.is("before") {
		s.mu.Lock()
		if s.before != nil {
			content, left = s.before.content, s.before.left
		}
		s.mu.Unlock()
		if content == nil {
			http.Error(w, "no session before this one is held", http.StatusNotFound)
			return
		}
	} else {
		s.mu.Lock()
		records := s.recordsOf(q.from, q.to)
		left = s.left(records, q.from)
		s.mu.Unlock()
		var err error
		if content, err = recordingOf(r.Context(), records); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
	}
	w.Header().Set("Content-Type", "application/gzip")
	w.Header().Set("Content-Disposition", fmt.Sprintf("attachment; filename=%q", name))
	if left != "" {
		w.Header().Set(leftOut, left)
	}
	_, _ = w.Write(content)
}

// left returns what was recorded from a time on and is not among records, for people. s.mu is held.
func (s *session) left(records []trace.Record, from int64) string {
	var all []string
	var missing int64
	for _, r := range records {
		missing += r.Unreadable()
	}
	if missing > 0 {
		all = append(all, fmt.Sprintf("at least %s could not be read", text.Count(int(missing), "record", "records")))
	}
	if oldest, ok := s.model.Record(s.model.First()); ok && s.dropped > 0 && from <= oldest.T {
		all = append(all, fmt.Sprintf("the page holds the newest %d records, and older ones are not in it", s.model.Len()))
	}
	unread := s.unknown
	for _, r := range s.unread {
		if _, is := r.Body.(*trace.Unknown); is {
			unread--
		}
	}
	if unread > 0 {
		all = append(all, fmt.Sprintf("the first %s that this version of crdctl cannot read are not in it", text.Count(int(unread), "record", "records")))
	}
	if s.state == stateFile && s.trouble != "" {
		all = append(all, "the recording was not read to its end")
	}
	return strings.Join(all, "; ")
}

// recordsOf returns the header, all definitions, the records of a range, and those before it that show the state at its begin. Their bodies do not change. s.mu is held.
func (s *session) recordsOf(from, to int64) (all []trace.Record) {
	m := s.model
	if h := m.Header(); h != nil {
		all = append(all, trace.BeginsAt(from, trace.Record{Body: h}))
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
	before, _ := trace.Before(from, func(...trace.Kind) iter.Seq2[trace.Record, error] { // reading what is held does not fail
		return func(yield func(trace.Record, error) bool) {
			for _, r := range m.Held() {
				if r.T < from && !yield(r, nil) {
					return
				}
			}
		}
	})
	for _, r := range m.Held() {
		if before[r.Seq] {
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
func recordingOf(ctx context.Context, records []trace.Record) (content []byte, err error) {
	dir, err := os.MkdirTemp("", "crdctl-view-") // 0700
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	file := filepath.Join(dir, "recording.crdctl.gz")
	_, err = trace.SaveFile(file, "the page", func(yield func(trace.Record, error) bool) {
		for _, r := range records {
			if !yield(r, ctx.Err()) {
				return
			}
		}
	})
	if err != nil {
		return nil, err
	}
	return os.ReadFile(file)
}

// keep keeps the session that ends as a recording, if there is something in it. s.mu is held; saving waits for what goes on without it.
func (s *session) keep(ctx context.Context) {
	run := s.run()
	if s.model.Len() == 0 {
		return
	}
	records := s.recordsOf(0, 0)
	left := s.left(records, 0)
	s.saving.Go(func() {
		content, err := recordingOf(ctx, records)
		if err != nil {
			return // it is not offered
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.run() != run {
			s.before = &before{content, len(records), left}
			s.changes++
		}
	})
}
