// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"
	"time"

	"github.com/crdctl/crdctl/internal/safefs"
)

// A recording's file is a sequence of gzip members of whole lines: the header and the Index are the only
// lines of their members, the first and the last. After it comes an empty member of fixed length, whose extra field has the offset of the index. What a
// process has flushed can be read when it was killed.
const (
	memberBytes = 1 << 20         // of lines; a longer line has a member of its own
	flushAfter  = time.Second / 2 // on a busy machine it takes longer, and a second is what may be lost
)

// fileWriter writes a recording's file. It belongs to one goroutine at a time.
type fileWriter struct {
	file   io.WriteCloser
	out    *bufio.Writer
	zip    *gzip.Writer
	offset int64 // of out
	lines  int   // bytes in the member that is open, 0 if none is
	last   Record
	index  Index

	late    *lateFile // nil for a file that is written from the start
	left    Gap       // what it did not take
	leftSeq int64     // of the newest of these
}

// createFile opens or creates the file of a recording, and locks it. What it has stays until the lateFile begins. It is
// replaced only if it is a recording.
func createFile(path string) (*fileWriter, *lateFile, error) {
	if err := isFile(path); err != nil {
		return nil, nil, err
	}
	_, err := os.Lstat(path)
	late := &lateFile{created: errors.Is(err, fs.ErrNotExist)}
	if late.file, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600); err != nil {
		return nil, nil, err
	}
	if err := errors.Join(isFree(late.file), isRecording(late.file)); err != nil {
		return nil, nil, errors.Join(err, late.file.Close())
	}
	w, err := newFileWriter(late)
	if err == nil {
		w.late = late
	}
	return w, late, err
}

// isFree locks a file, unless another process writes it. A file system without locks is as good as none.
func isFree(f *os.File) error {
	if errors.Is(safefs.TryLock(f, false), safefs.ErrLocked) {
		return fmt.Errorf("%s: another run writes it; choose another name", f.Name())
	}
	return nil
}

// lateFile keeps what is written to a file in memory until it begins: a run that does not start must not replace the
// recording of another.
type lateFile struct {
	file    *os.File
	created bool

	mu    sync.Mutex
	held  bytes.Buffer
	begun bool
}

// lateBytes bounds what is kept for a file that has not begun. What starts prints some lines; one that is never ready can
// print for hours.
const lateBytes = 4 << 20

// full reports whether it must not be written to until it begins.
func (f *lateFile) full() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return !f.begun && f.held.Len() >= lateBytes
}

// begin replaces what the file has. Others may not read it from then on.
func (f *lateFile) begin() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.begun {
		return nil
	}
	if err := f.file.Truncate(0); err != nil {
		return err
	}
	if err := f.file.Chmod(0o600); err != nil {
		return err
	}
	f.begun = true
	_, err := f.held.WriteTo(f.file)
	f.held = bytes.Buffer{}
	return err
}

func (f *lateFile) Write(b []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.begun {
		return f.held.Write(b)
	}
	return f.file.Write(b)
}

// Close leaves no empty file of a recording that did not begin.
func (f *lateFile) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	err := f.file.Close()
	if f.created && !f.begun {
		err = errors.Join(err, os.Remove(f.file.Name()))
	}
	return err
}

// newFileWriter writes to an empty file. It closes the file.
func newFileWriter(f io.WriteCloser) (w *fileWriter, err error) {
	w = &fileWriter{file: f, index: Index{Counts: map[Kind]int64{}}}
	w.out = bufio.NewWriterSize(f, 64<<10)
	if w.zip, err = gzip.NewWriterLevel(w, gzip.BestSpeed); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return w, nil
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
	if w.late != nil {
		if w.late.full() && rec.Body.Kind() != KindDef { // later records need definitions
			w.leave(rec)
			return nil
		}
		if err := w.addLeft(); err != nil {
			return err
		}
	}
	return w.addLine(rec, line)
}

// whyLeft is of the only gap whose records have numbers that no other record has.
const whyLeft = "more came before the control plane was ready than is kept until then"

// leave counts a record that is not written.
func (w *fileWriter) leave(rec *Record) {
	if w.left.Dropped == nil {
		w.left = Gap{From: rec.T, Dropped: map[Kind]int64{}, Why: whyLeft}
	}
	w.left.To = max(w.left.From, rec.T)
	w.left.Dropped[rec.Body.Kind()]++
	w.leftSeq = rec.Seq
}

// addLeft adds the gap of what was not written.
func (w *fileWriter) addLeft() error {
	if w.left.Dropped == nil || w.late.full() {
		return nil
	}
	left := w.left
	w.left = Gap{}
	gap := Record{Seq: w.leftSeq, T: left.To, Body: &left}
	line, err := gap.AppendJSON(nil)
	if err != nil {
		return w.failed(err)
	}
	return w.addLine(&gap, line)
}

func (w *fileWriter) addLine(rec *Record, line []byte) error {
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
	if _, err := w.zip.Write([]byte{'\n'}); err != nil {
		return w.failed(err)
	}
	if rec.Body.Kind() == KindHeader { // without it, nothing can be read: what damages others must not damage it
		return w.endMember()
	}
	return nil
}

// maxKinds bounds the kinds that are counted each by itself, also in a file that has invented more.
const maxKinds = 1000

// count adds a record to the index.
func (x *Index) count(m *Member, h head) {
	if m.Records == 0 {
		m.Seq, m.From, m.To = h.seq, h.t, h.t
	}
	m.Records++
	m.From, m.To = min(m.From, h.t), max(m.To, h.t)
	if _, known := kindNames[string(h.kind)]; !known && len(x.Counts) >= maxKinds {
		h.kind = KindAny
	}
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
	if w.late != nil {
		if err := w.addLeft(); err != nil {
			return err
		}
	}
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
