// SPDX-License-Identifier: Apache-2.0

package server

import (
	"cmp"
	"slices"
	"sort"
	"strings"

	"github.com/crdctl/crdctl/internal/trace"
	"github.com/crdctl/crdctl/internal/view/model"
)

// charts are the sums by time, each a column of as many points. A quantile is -1 where nothing was counted.
type charts struct {
	Step    int64              `json:"step"`
	T       []int64            `json:"t"`
	Columns map[string][]int64 `json:"columns"`
	Keys    []keyRow           `json:"keys"`
	Next    []nextRow          `json:"next"`
	Saves   []saved            `json:"saves"`
	Seq     int64              `json:"seq"`
}

type keyRow struct {
	Key        string         `json:"key"`
	Controller string         `json:"controller"`
	Object     trace.ObjectID `json:"obj,omitempty"`
	Seq        int64          `json:"seq"` // of the newest reconcile
	N          int            `json:"n"`
	Errors     int            `json:"errors"`
	P50        int64          `json:"p50"`
	P99        int64          `json:"p99"`
	Waited     int64          `json:"waited"` // p99
}

// nextRow is a key that asked to run again.
type nextRow struct {
	Key   string `json:"key"`
	Seq   int64  `json:"seq"`
	At    int64  `json:"at"`
	Why   string `json:"why"`
	Tries int    `json:"tries,omitempty"` // failures in a row
}

const (
	maxPoints = 300
	maxKeys   = 100
)

// time answers with the charts of a range.
func (s *session) time(q query) any {
	from, to := q.from, q.to
	first, last := s.sums.first, s.sums.first+int64(len(s.sums.seconds))
	if from != 0 {
		first = max(first, from/1e9)
	}
	if to != 0 {
		last = min(last, to/1e9+1)
	}
	step := int64(1)
	for _, step = range []int64{1, 10, 60, 600} {
		if (last-first)/step <= maxPoints {
			break
		}
	}
	out := &charts{Step: step * 1e9, T: []int64{}, Columns: map[string][]int64{}, Keys: s.topKeys(q), Next: s.nextKeys(), Saves: s.sums.saves, Seq: s.last}
	column := func(name string, v int64) { out.Columns[name] = append(out.Columns[name], v) }
	for t := first; t < last; t += step {
		b := s.sums.over(t*1e9, min(t+step, last)*1e9)
		out.T = append(out.T, t*1e9)
		for result, i := range results {
			column(result, int64(b.Reconciles[i]))
		}
		column("requests", int64(b.Requests))
		column("writes", int64(b.Writes))
		column("noops", int64(b.NoOps))
		column("conflicts", int64(b.Conflicts))
		column("depth", int64(b.Depth))
		for name, h := range map[string]*histogram{"waited": &b.waited, "worked": &b.worked, "request": &b.request} {
			column(name+"50", h.quantile(.5))
			column(name+"99", h.quantile(.99))
		}
	}
	return out
}

// topKeys are the keys with most reconciles in a range.
func (s *session) topKeys(q query) []keyRow {
	type key struct {
		model.Key
		reconciles []*model.Reconcile
	}
	var most []key
	for _, k := range s.model.Keys() {
		all := s.model.Reconciles(k) // by begin
		first := sort.Search(len(all), func(i int) bool { return all[i].Began >= q.from })
		last := len(all)
		if q.to != 0 {
			last = sort.Search(len(all), func(i int) bool { return all[i].Began > q.to })
		}
		if first < last && hasWords(q.text, k.Controller, k.Key) {
			most = append(most, key{k, all[first:last]})
		}
	}
	slices.SortFunc(most, func(a, b key) int {
		return cmp.Or(cmp.Compare(len(b.reconciles), len(a.reconciles)), cmp.Compare(a.Key.Key, b.Key.Key), cmp.Compare(a.Controller, b.Controller))
	})
	all := []keyRow{}
	for _, k := range most[:min(len(most), maxKeys)] {
		row := keyRow{Key: k.Key.Key, Controller: k.Controller, N: len(k.reconciles)}
		var worked, waited histogram
		for _, r := range k.reconciles {
			row.Seq = r.Seq
			if r.Object != nil {
				row.Object = r.Object.ID
			}
			if r.Failed() {
				row.Errors++
			}
			if r.Ended != 0 && !r.NoBegin {
				worked.add(r.Took())
			}
			waited.add(r.Waited)
		}
		row.P50, row.P99, row.Waited = worked.quantile(.5), worked.quantile(.99), waited.quantile(.99)
		all = append(all, row)
	}
	return all
}

// nextKeys are the keys that will run again by themselves, the next one first.
func (s *session) nextKeys() []nextRow {
	all, now := []nextRow{}, s.model.Now()
	if !s.isReported() {
		return all // a key that failed can have succeeded since
	}
	for _, k := range s.model.Keys() {
		reconciles := s.model.Reconciles(k)
		last := reconciles[len(reconciles)-1]
		row := nextRow{Key: k.Key, Seq: last.Seq, Why: "timer"}
		for _, r := range slices.Backward(reconciles) {
			if !r.Failed() {
				break
			}
			row.Tries++
			row.Why = "back-off"
		}
		if row.At = last.Next; row.At == 0 && last.After > 0 {
			row.At = last.Ended + last.After
		}
		if last.Ended != 0 && row.At > now {
			all = append(all, row)
		} else if row.Tries > 0 {
			row.At = 0 // when is not recorded
			all = append(all, row)
		}
	}
	slices.SortFunc(all, func(a, b nextRow) int { return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Key, b.Key)) })
	return all[:min(len(all), maxKeys)]
}

// compare is what changed with the newest save that started a build: the minute before it and what is since, at most a minute.
func (s *session) compare() (rows []compared) {
	at, now := int64(-1), s.model.Now()
	for _, save := range s.sums.saves {
		if save.OK && save.Restarted {
			if at = save.T; len(save.Files) == 0 {
				at = -1 // the start of a run: no controller ran before
			}
		}
	}
	if at < 0 {
		return nil
	}
	const minute = int64(60e9)
	end := at - at%1e9 // the second of the save is of both
	begin, next := max(0, end-minute, s.sums.first*1e9), end+1e9
	last := min(now, next+minute)
	before, after := s.sums.over(begin, end), s.sums.over(next, last)
	spanBefore, spanAfter := end-begin, last-next
	if spanBefore < 2e9 || spanAfter < 2e9 {
		return nil // too short to compare
	}
	perMinute := func(n int32, span int64) string { return number(float64(n) * 60e9 / float64(span)) }
	reconciles := func(b second) (n int32) {
		for _, of := range b.Reconciles {
			n += of
		}
		return n
	}
	each := func(n int32, of int32) string {
		if of == 0 {
			return "–"
		}
		return number(float64(n) / float64(of))
	}
	quantile := func(h histogram, q float64) string {
		if v := h.quantile(q); v >= 0 {
			return model.Duration(v)
		}
		return "–"
	}
	rows = []compared{
		{"reconciles a minute", perMinute(reconciles(before), spanBefore), perMinute(reconciles(after), spanAfter)},
		{"writes of the controller per reconcile", each(before.OwnWrites, reconciles(before)), each(after.OwnWrites, reconciles(after))},
		{"p50 of reconciles", quantile(before.worked, .5), quantile(after.worked, .5)},
		{"p99 of reconciles", quantile(before.worked, .99), quantile(after.worked, .99)},
	}
	if !s.isReported() { // reconciles that succeed are not recorded
		rows = []compared{{"writes of the controller a minute", perMinute(before.OwnWrites, spanBefore), perMinute(after.OwnWrites, spanAfter)}}
	}
	if at-begin < 5e9 {
		return rows // what had been asked before is not known
	}
	var kinds []string
	for kind, first := range s.firstAsked {
		if first > at {
			kinds = append(kinds, kind)
		}
	}
	if slices.Sort(kinds); len(kinds) > 0 {
		rows = append(rows, compared{"new kinds of requests of the controller", "–", strings.Join(kinds[:min(len(kinds), maxNewKinds)], ", ")})
	}
	return rows
}

const maxNewKinds = 12

// compared is a figure before and after a save. That the save is the cause is not claimed.
type compared struct {
	Name   string `json:"name"`
	Before string `json:"before"`
	After  string `json:"after"`
}
