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

// member returns the whole lines of the member at an offset, and the offset of the next. An error of a member that is
// cut off comes with the lines that are there, that of a damaged one with none: what its lines say cannot be trusted.
func (f *File) member(offset int64) (lines []byte, next int64, err error) {
	in := &counter{r: bufio.NewReaderSize(io.NewSectionReader(f.file, offset, f.size-offset), 64<<10)}
	z, err := gzip.NewReader(in)
	if err != nil {
		return nil, 0, noEOF(err)
	}
	z.Multistream(false)
	b := bytes.NewBuffer(make([]byte, 0, memberBytes+bytes.MinRead))
	switch n, err := b.ReadFrom(io.LimitReader(z, maxMember)); {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return wholeLines(b.Bytes()), 0, err
	case err != nil:
		return nil, 0, err
	case n == maxMember:
		return nil, 0, fmt.Errorf("more than %d bytes", maxMember)
	}
	return wholeLines(b.Bytes()), offset + in.n, nil
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

// Between yields the records of a time, with the header and the definitions that they need.
func (f *File) Between(ctx context.Context, from, to int64) iter.Seq2[Record, error] {
	return f.records(ctx,
		func(i int) bool { return f.index.Members[i].To >= from && f.index.Members[i].From <= to },
		func(h head) bool { return from <= h.t && h.t <= to })
}

// records yields the header, and of members all that is wanted. Definitions up to the last of these are yielded, too. A
// member that is damaged is a gap.
func (f *File) records(ctx context.Context, inMember func(int) bool, want func(head) bool) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		if !yield(f.header, nil) {
			return
		}
		last := len(f.index.Members) - 1
		for last >= 0 && !inMember(last) {
			last--
		}
		for i := 0; i <= last; i++ {
			m := f.index.Members[i]
			if !inMember(i) && m.Defs == 0 {
				continue
			}
			lines, _, err := f.member(m.Offset)
			for line := range bytes.Lines(lines) {
				line = bytes.TrimSuffix(line, []byte("\n"))
				h, err := parseHead(line)
				if err == nil && (h.kind == KindHeader || h.kind == KindIndex || h.kind != KindDef && !want(h)) {
					continue
				}
				var rec Record
				if err == nil && len(line) > maxLine {
					rec = Record{Seq: h.seq, T: h.t, Raw: slices.Clone(line), Body: &Unknown{K: h.kind, Err: fmt.Errorf("%s: behind byte %d: a record of %d bytes", f.file.Name(), m.Offset, len(line))}}
				} else {
					rec, err = Parse(slices.Clone(line))
				}
				if err != nil {
					err = fmt.Errorf("%s: behind byte %d: %w", f.file.Name(), m.Offset, err)
				}
				if !yield(rec, err) || err != nil || ctx.Err() != nil {
					return
				}
			}
			if err != nil && f.cutOff == nil && !yield(f.lost(i, err), nil) || ctx.Err() != nil {
				return
			}
		}
	}
}

// lost is the gap of a member that cannot be read.
func (f *File) lost(member int, err error) Record {
	m := f.index.Members[member]
	return Record{Seq: m.Seq + m.Records - 1, T: m.To, Body: &Gap{
		From: m.From, To: m.To, Dropped: map[Kind]int64{KindAny: m.Records},
		Why: fmt.Sprintf("%s is damaged behind byte %d: %v", f.file.Name(), m.Offset, err),
	}}
}
