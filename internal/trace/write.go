// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"bufio"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"time"
)

// A recording's file is a sequence of gzip members of whole lines: the header is the first line, the Index the only line
// of its member. After it comes an empty member of fixed length, whose extra field has the offset of the index. What a
// process has flushed can be read when it was killed.
const (
	memberBytes = 1 << 20 // of lines; a longer line has a member of its own
	flushAfter  = time.Second
)

// fileWriter writes a recording's file. It belongs to one goroutine at a time.
type fileWriter struct {
	file   *os.File
	out    *bufio.Writer
	zip    *gzip.Writer
	offset int64 // of out
	lines  int   // bytes in the member that is open, 0 if none is
	last   Record
	index  Index
}

// createFile creates or replaces the file. It replaces a recording only.
func createFile(path string) (*fileWriter, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := replaceable(f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return newFileWriter(f)
}

// newFileWriter writes to an empty file. It closes the file.
func newFileWriter(f *os.File) (w *fileWriter, err error) {
	w = &fileWriter{file: f, index: Index{Counts: map[Kind]int64{}}}
	w.out = bufio.NewWriterSize(f, 64<<10)
	if w.zip, err = gzip.NewWriterLevel(w, gzip.BestSpeed); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return w, nil
}

// replaceable truncates the file, unless it holds something other than a recording, such as an archive.
// Others may not read it from then on.
func replaceable(f *os.File) error {
	if err := isRecording(f); err != nil {
		return err
	}
	if err := f.Truncate(0); err != nil {
		return err
	}
	return f.Chmod(0o600)
}

// isRecording fails for a file that holds something other than a recording.
func isRecording(f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if info.Size() > 0 {
		old := File{file: f, size: info.Size()}
		if err := old.readHeader(); err != nil {
			return fmt.Errorf("%s: exists and is not a recording; choose another name", f.Name())
		}
	}
	return nil
}

func isGzip(b []byte) bool { return len(b) >= 2 && b[0] == 0x1f && b[1] == 0x8b }

// Write takes the compressed bytes.
func (w *fileWriter) Write(b []byte) (int, error) {
	n, err := w.out.Write(b)
	w.offset += int64(n)
	return n, err
}

func (w *fileWriter) add(rec *Record, line []byte) error {
	if w.lines > 0 && w.lines+len(line) > memberBytes {
		if err := w.endMember(); err != nil {
			return err
		}
	}
	if w.lines == 0 {
		w.zip.Reset(w)
		w.index.Members = append(w.index.Members, Member{Offset: w.offset})
	}
	w.index.count(&w.index.Members[len(w.index.Members)-1], head{rec.Seq, rec.T, rec.Body.Kind()})
	w.last = *rec
	w.lines += len(line) + 1
	if _, err := w.zip.Write(line); err != nil {
		return w.failed(err)
	}
	_, err := w.zip.Write([]byte{'\n'})
	return w.failed(err)
}

// count adds a record to the index.
func (x *Index) count(m *Member, h head) {
	if m.Records == 0 {
		m.Seq, m.From, m.To = h.seq, h.t, h.t
	}
	m.Records++
	m.From, m.To = min(m.From, h.t), max(m.To, h.t)
	x.Counts[h.kind]++
	if h.kind == KindDef {
		m.Defs++
	}
}

func (w *fileWriter) endMember() error {
	w.lines = 0
	return w.failed(w.zip.Close())
}

// flush writes all that was added to the file.
func (w *fileWriter) flush() error {
	if w.lines > 0 {
		if err := w.zip.Flush(); err != nil {
			return w.failed(err)
		}
	}
	return w.failed(w.out.Flush())
}

// close ends the file with the index.
func (w *fileWriter) close(open []string) error {
	if w.lines > 0 {
		if err := w.endMember(); err != nil {
			return err
		}
	}
	at := w.offset
	w.index.Open = open
	line, err := (&Record{Seq: w.last.Seq + 1, T: w.last.T, Body: &w.index}).AppendJSON(nil)
	if err != nil {
		return w.failed(err)
	}
	w.zip.Reset(w)
	_, err = w.zip.Write(append(line, '\n'))
	if err = errors.Join(err, w.zip.Close()); err != nil {
		return w.failed(err)
	}
	if _, err := w.Write(trailer(at)); err != nil {
		return w.failed(err)
	}
	if err := w.flush(); err != nil {
		return err
	}
	return w.failed(w.file.Close())
}

// failed closes the file when it cannot be written any more.
func (w *fileWriter) failed(err error) error {
	if err == nil {
		return nil
	}
	return errors.Join(fmt.Errorf("write the recording: %w", err), w.file.Close())
}

// trailer is an empty gzip member with the offset of the index in its extra field. Its length is the same for each.
func trailer(index int64) []byte {
	b := []byte{
		0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 0xff, // deflate, with an extra field, of no time and no system
		12, 0, 'c', 'd', 8, 0, // the extra field's length, and one subfield with 8 bytes
	}
	b = binary.LittleEndian.AppendUint64(b, uint64(index))
	return append(b, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0) // an empty block, sum and length 0
}

var trailerBytes = len(trailer(0))

// indexOffset returns what trailer was made of.
func indexOffset(b []byte) (int64, bool) {
	if len(b) != trailerBytes {
		return 0, false
	}
	const at = 16
	offset := binary.LittleEndian.Uint64(b[at:])
	if offset > 1<<62 || string(trailer(int64(offset))) != string(b) {
		return 0, false
	}
	return int64(offset), true
}
