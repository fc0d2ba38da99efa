// SPDX-License-Identifier: Apache-2.0

package trace

import "iter"

// Before returns the numbers of the records of before a time that show the state at that time: those of open watches, of reconciles that
// are under way, of what roles grant, and of the newest version of each object that exists, with the request that wrote it. records yields at least the records
// of some kinds, and is called more than once.
func Before(from int64, records func(kinds ...Kind) iter.Seq2[Record, error]) (map[int64]bool, error) {
	if from <= 0 {
		return nil, nil
	}
	s := stateAt{watches: map[string][]int64{}, reconciles: map[string]int64{}, versions: map[ObjectID]newest{}, rights: map[string]int64{}}
	for rec, err := range records(KindWatch, KindReconcile, KindVersion, KindRights) {
		if err != nil {
			return nil, err
		}
		if rec.T < from {
			s.add(rec)
		}
	}
	needed, writers := s.needed()
	for rec, err := range records(KindRequest) {
		if err != nil {
			return nil, err
		}
		if r, ok := rec.Body.(*Request); ok && rec.T < from && writers[r.ID] {
			needed[rec.Seq] = true
		}
	}
	return needed, nil
}

// BeginsAt returns a record, with the time at which a part begins if it is the header of the part.
func BeginsAt(from int64, rec Record) Record {
	if h, ok := rec.Body.(*Header); ok && from > h.Begin {
		part := *h
		part.Begin = from
		rec.Body = &part
	}
	return rec
}

type stateAt struct {
	watches    map[string][]int64 // by ID
	reconciles map[string]int64   // by ID
	versions   map[ObjectID]newest
	rights     map[string]int64 // by user
}

// newest is the newest version of an object.
type newest struct {
	rv      uint64
	seq     int64
	by      string
	deleted bool
}

func (s *stateAt) add(rec Record) {
	switch b := rec.Body.(type) {
	case *Watch:
		if b.State == "open" || b.State == "synced" {
			s.watches[b.ID] = append(s.watches[b.ID], rec.Seq)
		} else {
			delete(s.watches, b.ID)
		}
	case *Reconcile:
		if b.State == "begin" {
			s.reconciles[b.ID] = rec.Seq
		} else {
			delete(s.reconciles, b.ID)
		}
	case *Rights:
		s.rights[b.User] = rec.Seq
	case *Version:
		if b.RV >= s.versions[b.Object].rv {
			s.versions[b.Object] = newest{b.RV, rec.Seq, b.By, b.Type == "DELETED"}
		}
	}
}

// needed returns the numbers of records, and the IDs of the requests that wrote the versions among them.
func (s *stateAt) needed() (seqs map[int64]bool, writers map[string]bool) {
	seqs, writers = map[int64]bool{}, map[string]bool{}
	for _, of := range s.watches {
		for _, seq := range of {
			seqs[seq] = true
		}
	}
	for _, of := range []map[string]int64{s.reconciles, s.rights} {
		for _, seq := range of {
			seqs[seq] = true
		}
	}
	for _, v := range s.versions {
		if !v.deleted {
			seqs[v.seq] = true
			if v.by != "" {
				writers[v.by] = true
			}
		}
	}
	return seqs, writers
}
