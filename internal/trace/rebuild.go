// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"
)

// The bounds of what is rebuilt, for files that crdctl did not write.
const (
	maxMembers   = 1 << 20
	maxOpen      = 10_000  // findings
	searchBudget = 1 << 30 // bytes that are looked at in vain
)

// errAnother is of two recordings that were put into one file: each has numbers of its own for what it defines.
var errAnother = errors.New("another recording begins; open each by itself")

// rebuild makes the index of a file that has none, and goes on after what is damaged.
func (f *File) rebuild() error {
	f.index.Counts = map[Kind]int64{}
	b := rebuilding{f: f, r: f.reader(), open: map[string]bool{}, gap: -1}
	if err := b.members(); err != nil {
		return err
	}
	for id, is := range b.open {
		if is {
			f.index.Open = append(f.index.Open, id)
		}
	}
	slices.Sort(f.index.Open)
	f.cutOff = fmt.Errorf("%s: has no index; it was rebuilt", f.file.Name())
	if b.killed && !b.ended {
		n := -f.index.Counts[KindAny]
		for _, of := range f.index.Counts {
			n += of
		}
		f.cutOff = fmt.Errorf("%s: incomplete (the run goes on, or was killed): %d records up to %s can be read", f.file.Name(), n, f.clock(b.last.t))
	}
	return nil
}

// clock is the wall clock at a time of the recording, or how long it was after the start.
func (f *File) clock(t int64) string {
	start, err := time.Parse(time.RFC3339Nano, f.Header().Start)
	if err != nil {
		return time.Duration(t).String()
	}
	return start.Add(time.Duration(t)).Format(time.TimeOnly)
}

type rebuilding struct {
	f      *File
	r      *memberReader
	last   head            // the greatest Seq and T
	open   map[string]bool // findings, by ID
	killed bool            // the file ends within a member
	ended  bool            // the index was read: nothing follows it
	bad    bool            // a line is not a record
	gap    int             // of the members, one that is damaged and after which nothing was read; or -1
}

func (b *rebuilding) members() error {
	f := b.f
	index, indexed := f.trailer()
	for at := int64(0); at < f.size; {
		lines, next, err := b.r.member(at)
		if err != nil {
			next = b.r.search(at + 1)
			switch {
			case next < f.size:
				lines = nil
				b.damaged(at)
			case len(lines) == 0 && (indexed && at == index || b.ended): // no record was there
			case errors.Is(err, io.ErrUnexpectedEOF) && f.isMagic(at):
				b.killed = true
			default:
				b.damaged(at)
			}
		}
		if err := b.count(at, lines, b.killed); err != nil {
			return err
		}
		if len(f.index.Members) > maxMembers {
			return fmt.Errorf("more than %d parts; crdctl does not write it", maxMembers)
		}
		at = next
	}
	return nil
}

// damaged adds what cannot be read as a member, which is a gap for those who read it.
func (b *rebuilding) damaged(at int64) {
	if b.gap < 0 {
		b.gap = len(b.f.index.Members)
		b.f.index.Members = append(b.f.index.Members, Member{Offset: at, Seq: b.last.seq + 1, From: b.last.t, To: b.last.t, Records: 1, Defs: 1})
	}
}

// count adds a member with lines. Of one that is not complete, which has no sum, nothing holds after a line that is not a record.
func (b *rebuilding) count(at int64, lines []byte, partial bool) error {
	m := Member{Offset: at}
	b.bad = false
	for line := range bytes.Lines(lines) {
		if partial && b.bad {
			break
		}
		line = bytes.TrimSpace(line)
		if len(line) == 0 {
			continue
		}
		h, err := parseHead(line)
		if err != nil { // a gap for those who read it
			h, b.bad = head{b.last.seq, b.last.t, KindAny}, true
		}
		switch {
		case h.kind == KindIndex:
			b.ended = true
			b.close(h)
			continue
		case h.kind == KindHeader && b.f.index.Counts[KindHeader] > 0:
			return fmt.Errorf("after byte %d: %w", at, errAnother)
		case h.kind == KindFinding:
			b.finding(line)
		}
		b.ended = false
		if err == nil {
			b.close(h)
		}
		b.f.index.count(&m, h)
		b.last.seq, b.last.t = max(b.last.seq, h.seq), max(b.last.t, h.t)
	}
	if m.Records > 0 {
		if partial {
			b.f.partial = len(b.f.index.Members)
		}
		b.f.index.Members = append(b.f.index.Members, m)
	}
	return nil
}

// close notes how much is missing before the first record after what is damaged. A part of a recording has left out some
// of its numbers.
func (b *rebuilding) close(next head) {
	if b.gap < 0 {
		return
	}
	m := &b.f.index.Members[b.gap]
	b.gap = -1
	if m.To = max(m.To, next.t); b.f.Header().CutFrom == "" {
		m.Records = max(1, next.seq-m.Seq)
	}
}

func (b *rebuilding) finding(line []byte) {
	rec, err := Parse(line)
	if err != nil {
		return
	}
	if finding, ok := rec.Body.(*Finding); ok && (len(b.open) < maxOpen || b.open[finding.ID]) {
		b.open[finding.ID] = finding.Until == 0
	}
}

var magic = []byte{0x1f, 0x8b, 8}

// isMagic reports whether what is at an offset can be the begin of a member, of which one byte may be all that there is.
func (f *File) isMagic(at int64) bool {
	begin := make([]byte, len(magic))
	n, _ := f.file.ReadAt(begin, at)
	return n > 0 && bytes.HasPrefix(magic, begin[:n])
}

// search returns the offset of the next member from an offset on that has lines of records, or the size. In a file that
// has been made to have it look at much it gives up: what is not found is damaged.
func (r *memberReader) search(from int64) int64 {
	chunk := make([]byte, 64<<10)
	for from < r.f.size && r.budget > 0 {
		n, err := r.f.file.ReadAt(chunk[:min(int64(len(chunk)), r.f.size-from)], from)
		if n < len(magic) || err != nil && !errors.Is(err, io.EOF) {
			break
		}
		for rest := chunk[:n]; r.budget > 0; {
			i := bytes.Index(rest, magic)
			if i < 0 {
				break
			}
			if at := from + int64(n-len(rest)+i); r.isMember(at) {
				return at
			}
			rest = rest[i+1:]
		}
		from += int64(n - len(magic) + 1)
	}
	return r.f.size
}

// isMember reports whether a member with lines of records begins at an offset. What it looks at in vain is taken from the budget.
func (r *memberReader) isMember(at int64) bool {
	defer func() { r.at = -1 }()
	begin := make([]byte, 1)
	r.budget -= 16 << 10
	if r.seek(at) != nil {
		return false
	}
	r.budget -= 64 << 10
	if _, err := io.ReadFull(&r.zip, begin); err != nil || begin[0] != '{' {
		return false
	}
	lines, _, err := r.member(at)
	line, _, _ := bytes.Cut(lines, []byte("\n"))
	if len(line) > 0 && (err == nil || errors.Is(err, io.ErrUnexpectedEOF)) {
		if _, err := parseHead(line); err == nil {
			return true
		}
	}
	r.budget -= int64(r.out.Len())
	return false
}
