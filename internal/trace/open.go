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
	cutOff error
}

var _ Source = (*File)(nil)

// OpenFile opens a recording. Of a file that was not closed, the index is made of what can be read.
func OpenFile(path string) (*File, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	f := &File{file: file}
	if err := f.open(); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), file.Close())
	}
	return f, nil
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
	if !f.readIndex() {
		f.rebuild()
	}
	return nil
}

var errNoRecording = errors.New(`not a recording of crdctl; "crdctl run --record FILE" makes one`)

func (f *File) readHeader() error {
	lines, _, err := f.member(0)
	if line, _, ok := bytes.Cut(lines, []byte("\n")); ok {
		if rec, err := Parse(slices.Clone(line)); err == nil && rec.Body.Kind() == KindHeader {
			f.header = rec
		}
	}
	switch _, ok := f.header.Body.(*Header); {
	case ok:
		return nil
	case f.header.Body != nil:
		return fmt.Errorf("header cannot be read: %w", f.header.Body.(*Unknown).Err)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("cut off at byte %d, before the end of its header: nothing can be read", f.size)
	}
	return errNoRecording
}

// readIndex reports whether the file has an index.
func (f *File) readIndex() bool {
	end := make([]byte, trailerBytes)
	if _, err := f.file.ReadAt(end, max(0, f.size-int64(trailerBytes))); err != nil {
		return false
	}
	at, ok := indexOffset(end)
	if !ok || at >= f.size {
		return false
	}
	line, _, err := f.member(at)
	if err != nil {
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
	f.index = *index
	return true
}

// rebuild makes the index of a file that has none.
func (f *File) rebuild() {
	f.index.Counts = map[Kind]int64{}
	open := map[string]bool{}
	for at := int64(0); at < f.size; {
		lines, next, err := f.member(at)
		m := Member{Offset: at}
		for line := range bytes.Lines(lines) {
			rec, bad := parseHead(line[:len(line)-1])
			if bad != nil {
				err = bad
				break
			}
			if rec.kind != KindIndex {
				f.index.count(&m, rec)
			}
			if rec.kind == KindFinding {
				if rec, err := Parse(line); err == nil {
					if finding, ok := rec.Body.(*Finding); ok {
						open[finding.ID] = finding.Until == 0
					}
				}
			}
		}
		if m.Records > 0 {
			f.index.Members = append(f.index.Members, m)
		}
		if err != nil {
			f.cutOff = fmt.Errorf("%s: not closed: cut off in what begins at byte %d of %d (%w); what is before can be read", f.file.Name(), at, f.size, err)
			break
		}
		at = next
	}
	if f.cutOff == nil {
		f.cutOff = fmt.Errorf("%s: not closed: it has no index, which was made of its %d bytes", f.file.Name(), f.size)
	}
	for id, is := range open {
		if is {
			f.index.Open = append(f.index.Open, id)
		}
	}
	slices.Sort(f.index.Open)
}

// Close closes the file. No method may be called afterwards.
func (f *File) Close() error { return f.file.Close() }

// Header returns the header of the recording. Its format may be newer than Format: what is not known is Unknown then.
func (f *File) Header() Header { return *f.header.Body.(*Header) }

// Index returns the members of the file, what they count, and which findings are open. It must not be changed.
func (f *File) Index() Index { return f.index }

// CutOff returns why the file has less than what was recorded, for people; nil if it was closed.
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
