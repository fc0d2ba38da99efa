// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/crdctl/crdctl/internal/text"
)

// The bounds of what is rebuilt, for files that crdctl did not write.
const (
	maxMembers   = 1 << 20
	maxOpen      = 10_000  // findings
	maxMoved     = 100     // places of members that are in another order
	searchBudget = 1 << 30 // bytes that are looked at in vain
)

// errAnother is of two recordings that were put into one file: each has numbers of its own for what it defines.
var errAnother = errors.New("another recording begins; open each by itself")

// rebuild makes the index of a file that has none, and goes on after what is damaged.
func (f *File) rebuild() error {
	f.index.Counts = map[Kind]int64{}
	b := rebuilding{f: f, r: f.reader(), open: map[string]lastFinding{}, seen: map[Member]bool{}, gap: -1}
	zeros := f.cutZeros()
	if err := b.members(); err != nil {
		return err
	}
	if zeros && !b.closed {
		b.damaged(f.size)
	}
	b.addMissing()
	for id, last := range b.open {
		if last.open {
			f.index.Open = append(f.index.Open, id)
		}
	}
	slices.Sort(f.index.Open)
	n := f.readable()
	if b.closed {
		f.cutOff = fmt.Errorf("%s: its index is damaged, or something follows it: %s can be read", f.file.Name(), n)
		return nil
	}
	f.header.Body.(*Header).Incomplete = true
	f.cutOff = fmt.Errorf("%s: incomplete (the run goes on, or was killed): %s up to %s can be read", f.file.Name(), n, f.clock(b.last.t))
	return nil
}

// readable is how many records of a file were found, for people.
func (f *File) readable() string {
	return text.Count(int(f.index.total()-f.index.Counts[KindAny]), "record", "records")
}

// manyZeros are more than a member ends with.
const manyZeros = 64

// cutZeros ends the file before the zeros at its end, and reports whether there are many. A loss of power leaves them
// where data was to be written; all before them was.
func (f *File) cutZeros() bool {
	chunk := make([]byte, 64<<10)
	for end := f.size; end > 0 && f.size-end < searchBudget; {
		begin := max(0, end-int64(len(chunk)))
		if _, err := f.file.ReadAt(chunk[:end-begin], begin); err != nil {
			return false
		}
		rest := bytes.TrimRight(chunk[:end-begin], "\x00")
		end = begin + int64(len(rest))
		if len(rest) > 0 {
			many := f.size-end > manyZeros
			if many {
				f.size = end
			}
			return many
		}
	}
	return false
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
	last   head                   // the greatest Seq and T
	open   map[string]lastFinding // by ID
	seen   map[Member]bool        // without offsets
	killed bool                   // the file ends within a member
	ended  bool                   // the index was read: nothing follows it
	closed bool                   // the index, or the trailer after it, was read
	bad    bool                   // a line is not a record
	gap    int                    // of the members, one that is damaged and after which nothing was read; or -1

	badSince  int64    // lines that are not records, since the last that is
	skipped   int64    // numbers that are missing within members
	missing   []Member // that were between others
	lost      []int    // of the members, those that are damaged
	leftRead  bool     // the gap of what was not written, of which there is one at most
	indexRead bool
}

func (b *rebuilding) members() error {
	f := b.f
	index, indexed := f.trailer()
	b.closed = indexed
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
		b.lost = append(b.lost, b.gap)
		b.f.index.Members = append(b.f.index.Members, Member{Offset: at, Seq: b.last.seq + 1, From: b.last.t, To: b.last.t, Records: 1, Defs: 1})
	}
}

// count adds a member with lines. Of one that is not complete, which has no sum, nothing holds after a line that is not a record.
func (b *rebuilding) count(at int64, lines []byte, partial bool) error {
	m := Member{Offset: at}
	var again map[Kind]int64 // what was counted before a member that can be there twice
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
			b.badSince++
		}
		switch {
		case h.kind == KindIndex:
			b.ended, b.closed = true, true
			b.close(h)
			b.compare(at, line)
			continue
		case h.kind == KindHeader && b.f.index.Counts[KindHeader] > 0:
			return fmt.Errorf("after byte %d: %w", at, errAnother)
		case h.kind == KindFinding:
			b.finding(line)
		}
		b.ended = false
		if m.Records == 0 && 1 < h.seq && h.seq <= b.last.seq {
			again = maps.Clone(b.f.index.Counts)
		}
		if err == nil {
			b.jump(&m, h)
			b.close(h)
		}
		if h.kind == KindGap {
			b.left(line)
		}
		b.f.index.count(&m, h)
		b.last.seq, b.last.t = max(b.last.seq, h.seq), max(b.last.t, h.t)
	}
	key := m
	key.Offset = 0
	switch {
	case m.Records == 0:
	case b.seen[key] && again != nil: // it is there twice: nothing is lost
		b.f.index.Counts = again
	default:
		if partial {
			b.f.partial = len(b.f.index.Members)
		}
		b.seen[key] = true
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

// jump notes the numbers that are missing before a record. The records of a recording are numbered without gaps, unless
// it was cut from another one. Those of a member that is there can be missing only if crdctl did not write it.
func (b *rebuilding) jump(m *Member, next head) {
	n := next.seq - b.last.seq - 1 - b.badSince
	b.badSince = 0
	switch {
	case n <= 0 || b.gap >= 0 || b.f.Header().CutFrom != "":
	case m.Records == 0:
		b.miss(m.Offset, n, next.t)
	default:
		b.skipped += n
	}
}

// miss notes that n records are missing before an offset.
func (b *rebuilding) miss(at, n, to int64) {
	b.missing = append(b.missing, Member{
		Offset: at, Seq: b.last.seq + 1, From: b.last.t, To: max(b.last.t, to), Records: n, Defs: 1,
		missing: errors.New("records that were there before are missing"),
	})
}

// left takes numbers from what is missing that the recorder did not write: these have a gap of their own, which comes
// after the definitions that were written in the meantime.
func (b *rebuilding) left(line []byte) {
	rec, err := Parse(line)
	if err != nil || b.leftRead {
		return
	}
	if gap, ok := rec.Body.(*Gap); ok && gap.Why == whyLeft {
		b.leftRead = true
		n := -b.skipped
		for _, of := range gap.Dropped {
			n += of
		}
		for i := range b.missing {
			of := min(max(0, n), b.missing[i].Records)
			b.missing[i].Records -= of
			n -= of
		}
	}
}

// compare notes what the index has more than was read. An index that is not one has nothing.
func (b *rebuilding) compare(at int64, line []byte) {
	rec, err := Parse(line)
	if err != nil {
		return
	}
	index, ok := rec.Body.(*Index)
	if !ok || b.indexRead {
		return
	}
	b.indexRead = true
	n := index.total() - b.f.index.total()
	for _, m := range b.missing {
		n -= m.Records
	}
	for _, m := range b.lost {
		n -= b.f.index.Members[m].Records
	}
	if 0 < n && n <= maxSeq {
		b.miss(at, n, rec.T)
	}
}

// total is how many records were counted.
func (x *Index) total() (n int64) {
	for _, of := range x.Counts {
		n += of
	}
	return n
}

// lastFinding is the newest record of a finding.
type lastFinding struct {
	seq  int64
	open bool
}

// finding notes whether a finding is open. Members can be in the file twice or in another order, so that an older record
// can follow a newer one.
func (b *rebuilding) finding(line []byte) {
	rec, err := Parse(line)
	if err != nil {
		return
	}
	finding, ok := rec.Body.(*Finding)
	if !ok {
		return
	}
	if last, known := b.open[finding.ID]; known && last.seq <= rec.Seq || !known && len(b.open) < maxOpen {
		b.open[finding.ID] = lastFinding{rec.Seq, finding.Until == 0}
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
