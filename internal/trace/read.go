// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
)

// maxMember is more than any member has. A file with a larger one was not written by crdctl.
// A line that does not end within it is damage, too.
const maxMember = 32 << 20

// maxLine is more than any record has. One that is longer is not decoded, which takes many times its length.
const maxLine = 16 << 20

// memberReader reads members of a file into memory that it uses again for the next. It is not safe for concurrent use.
type memberReader struct {
	f      *File
	at     int64 // of in, where a member has ended; -1 if that is not known
	in     counter
	zip    gzip.Reader
	out    bytes.Buffer
	budget int64 // bytes that search may still look at in vain
}

func (f *File) reader() *memberReader {
	return &memberReader{f: f, at: -1, in: counter{r: bufio.NewReaderSize(nil, 64<<10)}, budget: searchBudget}
}

// member returns the lines of the member at an offset, and the offset of the next. The lines are valid until the
// next call, and whole. An error of a member that is cut off comes with the lines that were read, that of a damaged one with none:
// what its lines say cannot be trusted.
func (r *memberReader) member(offset int64) (lines []byte, next int64, err error) {
	r.out.Reset()
	if err := r.seek(offset); err != nil {
		return nil, 0, err
	}
	switch n, err := r.out.ReadFrom(io.LimitReader(&r.zip, maxMember)); {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return wholeLines(r.out.Bytes()), 0, err
	case err != nil:
		return nil, 0, err
	case n == maxMember:
		return nil, 0, fmt.Errorf("more than %d bytes", maxMember)
	}
	r.at = offset + r.in.n
	return r.out.Bytes(), r.at, nil
}

// seek begins a member.
func (r *memberReader) seek(offset int64) error {
	if offset != r.at {
		r.in.r.Reset(io.NewSectionReader(r.f.file, offset, r.f.size-offset))
	}
	r.at, r.in.n = -1, 0
	if err := r.zip.Reset(&r.in); err != nil {
		return noEOF(err)
	}
	r.zip.Multistream(false)
	return nil
}

func wholeLines(b []byte) []byte { return b[:bytes.LastIndexByte(b, '\n')+1] }

func noEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// counter counts what is read. As an io.ByteReader, it is not read beyond the end of a member.
type counter struct {
	r *bufio.Reader
	n int64
}

func (c *counter) Read(b []byte) (int, error) {
	n, err := c.r.Read(b)
	c.n += int64(n)
	return n, err
}

func (c *counter) ReadByte() (byte, error) {
	b, err := c.r.ReadByte()
	if err == nil {
		c.n++
	}
	return b, err
}

// Records implements Source.
func (f *File) Records(ctx context.Context, after int64) iter.Seq2[Record, error] {
	first := 0 // member with records after
	for first+1 < len(f.index.Members) && f.index.Members[first+1].Seq <= after+1 {
		first++
	}
	return f.records(ctx, func(i int) bool { return i >= first }, func(h head) bool { return h.seq > after })
}

// Between yields the records of a time, those before it that Before returns, the header, and the definitions that these need.
func (f *File) Between(ctx context.Context, from, to int64) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		before, err := Before(from, func(kinds ...Kind) iter.Seq2[Record, error] {
			return f.records(ctx, func(i int) bool { return f.index.Members[i].From < from }, func(h head) bool { return h.t < from && slices.Contains(kinds, h.kind) })
		})
		if err != nil {
			yield(Record{}, err)
			return
		}
		part := f.records(ctx, func(i int) bool { return f.index.Members[i].From <= to }, func(h head) bool { return from <= h.t && h.t <= to || before[h.seq] })
		for rec, err := range part {
			if gap, ok := rec.Body.(*Gap); ok && (gap.To < from || gap.From > to) {
				continue // of what cannot be read of another time
			}
			if !yield(BeginsAt(from, rec), err) {
				return
			}
		}
	}
}

// records yields the header, and of members all that is wanted. Definitions up to the last of these are yielded, too.
// Members and lines that cannot be read are gaps.
func (f *File) records(ctx context.Context, inMember func(int) bool, want func(head) bool) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		if !yield(f.header, nil) {
			return
		}
		last := len(f.index.Members) - 1
		for last >= 0 && !inMember(last) {
			last--
		}
		p := pass{f: f, r: f.reader(), want: want, yield: yield}
		for i := 0; i <= last; i++ {
			if inMember(i) || f.index.Members[i].Defs > 0 {
				if !p.member(ctx, i) {
					return
				}
			}
		}
		p.flush(p.last.seq+2, p.last.t)
	}
}

// pass is one way through a file.
type pass struct {
	f     *File
	r     *memberReader
	want  func(head) bool
	yield func(Record, error) bool

	header bool // was read
	last   head // that was read, but for definitions, which may have any Seq
	bad    int64
	why    error // of the first of bad
}

// member yields what is wanted of a member, and reports whether more is.
func (p *pass) member(ctx context.Context, i int) bool {
	lines, err := p.lines(i)
	bad := p.bad
	for line := range bytes.Lines(lines) {
		if i == p.f.partial && p.bad > bad {
			break // it has no sum: nothing holds after it
		}
		if !p.line(bytes.TrimSuffix(line, []byte("\n")), p.f.index.Members[i].Offset) || ctx.Err() != nil {
			return false
		}
	}
	return err == nil || p.flush(0, p.last.t) && p.yield(p.f.lost(i, err), nil)
}

// lines returns the lines of a member. An error means that there are more, which cannot be read.
func (p *pass) lines(i int) ([]byte, error) {
	members := p.f.index.Members
	if err := members[i].missing; err != nil {
		return nil, err
	}
	lines, next, err := p.r.member(members[i].Offset)
	end := p.f.data
	if i < len(members)-1 {
		end = members[i+1].Offset
	}
	switch {
	case err != nil && i == p.f.partial && errors.Is(err, io.ErrUnexpectedEOF):
		return lines, nil
	case err != nil:
		return nil, err
	case p.f.data > 0 && next != end:
		return lines, fmt.Errorf("the index has nothing of what is from byte %d to %d", next, end)
	}
	return lines, nil
}

// line yields a line if it is wanted, and reports whether more is. What is not a record, or not the next, is counted.
func (p *pass) line(line []byte, offset int64) bool {
	h, err := parseHead(line)
	switch {
	case len(bytes.TrimSpace(line)) == 0:
		return true
	case err != nil:
	case h.kind == KindIndex:
		return true
	case h.kind == KindHeader && p.header:
		return p.yield(Record{}, fmt.Errorf("after byte %d: %w", offset, errAnother)) && false
	case h.kind == KindHeader:
		p.header = true
		return true
	case h.kind != KindDef && h.seq <= p.last.seq:
		return p.leave(fmt.Errorf("records are not in order: after byte %d: record %d comes after record %d", offset, h.seq, p.last.seq))
	case h.kind != KindDef && !p.want(h):
		p.last = h
		return true
	}
	var rec Record
	switch {
	case err != nil:
	case len(line) > maxLine:
		rec = Record{Seq: h.seq, T: h.t, Raw: slices.Clone(line), Body: &Unknown{K: h.kind, Err: fmt.Errorf("after byte %d: a record of %d bytes", offset, len(line))}}
	default:
		rec, err = Parse(slices.Clone(line))
	}
	if err != nil {
		return p.leave(fmt.Errorf("a line is not a record: after byte %d: %w", offset, err))
	}
	if h.kind == KindDef {
		return p.yield(rec, nil)
	}
	if !p.flush(h.seq, h.t) {
		return false
	}
	p.last = h
	return p.yield(rec, nil)
}

// leave counts a line that is left out.
func (p *pass) leave(why error) bool {
	if p.bad++; p.bad == 1 {
		p.why = why
	}
	return true
}

// flush yields the gap of the lines that were left out, before a record. It has a Seq if there is one between.
func (p *pass) flush(seq, t int64) bool {
	if p.bad == 0 {
		return true
	}
	gap := Record{T: p.last.t, Body: &Gap{
		From: p.last.t, To: max(p.last.t, t), Dropped: map[Kind]int64{KindAny: p.bad}, Damaged: true, Why: p.why.Error(),
	}}
	if seq > p.last.seq+1 {
		gap.Seq = p.last.seq + 1
		p.last.seq = gap.Seq
	}
	p.bad = 0
	return p.yield(gap, nil)
}

// lost is the gap of a member that cannot be read.
func (f *File) lost(member int, err error) Record {
	m := f.index.Members[member]
	return Record{Seq: m.Seq + m.Records - 1, T: m.To, Body: &Gap{
		From: m.From, To: m.To, Dropped: map[Kind]int64{KindAny: max(1, m.Records)}, Damaged: true,
		Why: fmt.Sprintf("the file is damaged after byte %d: %v", m.Offset, err),
	}}
}
