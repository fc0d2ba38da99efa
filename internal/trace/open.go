// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
)

// File is a recording's file. It is a Source that ends. Its methods are safe for concurrent use.
type File struct {
	file   *os.File
	size   int64
	header Record
	index  Index
	data   int64 // where its members end: at its index, or the size
	cutOff error

	// partial is the last of the members if that is not complete, as a process leaves it that was killed, or that still writes; or -1.
	partial int
}

var _ Source = (*File)(nil)

// OpenFile opens a recording. Of a file that was not closed, the index is made of what can be read.
func OpenFile(path string) (*File, error) {
	if err := isFile(path); err != nil {
		return nil, fmt.Errorf("%w; copy what it has to one", err)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	f := &File{file: file, partial: -1}
	if err := f.open(); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), file.Close())
	}
	return f, nil
}

// isFile fails for pipes and devices, of which to open some would wait. That of others fails by itself.
func isFile(path string) error {
	if is, err := os.Stat(path); err == nil && !is.Mode().IsRegular() && !is.IsDir() {
		return fmt.Errorf("%s: not a regular file", path)
	}
	return nil
}

func (f *File) open() error {
	info, err := f.file.Stat()
	if err != nil {
		return err
	}
	f.size = info.Size()
	switch magic := make([]byte, 2); {
	case info.IsDir():
		return errors.New("a directory, not a recording")
	case f.size == 0:
		return errors.New("empty, not a recording")
	default:
		if _, err := f.file.ReadAt(magic, 0); err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if !isGzip(magic) {
			return errNoRecording
		}
	}
	if err := f.readHeader(); err != nil {
		return err
	}
	indexed := f.readIndex()
	moved := indexed && f.isMoved()
	if indexed && !moved {
		if f.index.Counts[KindHeader] > 1 {
			return errors.New("another recording begins within this one; open each by itself")
		}
		if f.Header().Incomplete {
			f.cutOff = fmt.Errorf("%s: cut from an incomplete recording (its run went on, or was killed)", f.file.Name())
		}
		return nil
	}
	written := f.index.Members
	f.index, f.data = Index{}, 0
	if err := f.rebuild(); err != nil || !moved {
		return err
	}
	f.sort(written)
	f.cutOff = fmt.Errorf("%s: its parts are in another order than they were written: %s can be read", f.file.Name(), f.readable())
	return nil
}

var errNoRecording = errors.New(`not a recording of crdctl; "crdctl run --record FILE" makes one`)

func (f *File) readHeader() error {
	lines, _, err := f.reader().member(0)
	if line, _, _ := bytes.Cut(lines, []byte("\n")); len(line) > 0 {
		if rec, err := Parse(slices.Clone(line)); err == nil && rec.Body.Kind() == KindHeader {
			f.header = rec
		}
	}
	switch h, ok := f.header.Body.(*Header); {
	case ok && h.Format < 1:
		return fmt.Errorf("header cannot be read: format %d; no crdctl writes it", h.Format)
	case ok:
		return nil
	case f.header.Body != nil:
		return fmt.Errorf("header cannot be read: %w", f.header.Body.(*Unknown).Err)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("cut off at byte %d, before the end of its header: nothing can be read", f.size)
	case err != nil:
		return fmt.Errorf("damaged at its begin (%w): its header cannot be read; copy the file again", err)
	}
	return errNoRecording
}

// readIndex reports whether the file has an index, right before its end.
func (f *File) readIndex() bool {
	at, ok := f.trailer()
	if !ok {
		return false
	}
	line, next, err := f.reader().member(at)
	if err != nil || next != f.size-int64(trailerBytes) {
		return false
	}
	rec, err := Parse(line)
	if err != nil {
		return false
	}
	index, ok := rec.Body.(*Index)
	if !ok || len(index.Members) == 0 || index.Members[0].Offset != 0 {
		return false
	}
	for i, m := range index.Members {
		if m.Offset >= at || i > 0 && m.Offset <= index.Members[i-1].Offset {
			return false
		}
	}
	f.index, f.data = *index, at
	return true
}

// isMoved reports whether members are in other places than the index has. What of them cannot be read is damaged, and not moved.
func (f *File) isMoved() bool {
	r, begin := f.reader(), make([]byte, 64)
	for _, m := range f.index.Members {
		if r.seek(m.Offset) != nil {
			continue
		}
		n, _ := io.ReadFull(&r.zip, begin) // a short member has less
		number, _ := bytes.CutPrefix(begin[:n], []byte(`{"seq":`))
		if seq, _, ok := cutNumber(number, ","); ok && seq != m.Seq {
			return true
		}
		r.at = -1
	}
	return false
}

// sort puts the members into the order in which they were written, unless some are not among these. The numbers of records do not
// suffice for that in a part of a recording, which has left out some.
func (f *File) sort(written []Member) {
	place := map[int64]int{}
	for i, m := range written {
		place[m.Seq] = i
	}
	for _, m := range f.index.Members {
		if _, ok := place[m.Seq]; !ok {
			return
		}
	}
	slices.SortStableFunc(f.index.Members, func(a, b Member) int { return place[a.Seq] - place[b.Seq] })
}

// trailer returns the offset of the index that the last bytes of the file have.
func (f *File) trailer() (at int64, ok bool) {
	end := make([]byte, trailerBytes)
	if _, err := f.file.ReadAt(end, max(0, f.size-int64(trailerBytes))); err != nil {
		return 0, false
	}
	at, ok = indexOffset(end)
	return at, ok && at < f.size
}

// Close closes the file. No method may be called afterwards.
func (f *File) Close() error { return f.file.Close() }

// Header returns the header of the recording. Its format may be newer than Format: what is not known is Unknown then.
func (f *File) Header() Header { return *f.header.Body.(*Header) }

// Index returns the members of the file, what they count, and which findings are open. It must not be changed.
func (f *File) Index() Index { return f.index }

// CutOff returns why the file can have less than what was recorded, for people; nil if it, and what it was cut from, was closed.
func (f *File) CutOff() error { return f.cutOff }

// Live implements Source.
func (f *File) Live() bool { return false }

// Is reports whether the file has this path, too.
func (f *File) Is(path string) (bool, error) {
	here, err := f.file.Stat()
	if err != nil {
		return false, err
	}
	there, err := os.Stat(path)
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	return err == nil && os.SameFile(here, there), err
}
