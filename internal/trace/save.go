// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"os"
	"reflect"
	"slices"
)

// SaveFile writes records of one recording to a file of their own, as they are, with the definitions that they need. records
// is read twice. The name of where they come from goes into the header, unless that has one. It returns what it wrote. A
// recording that has the path already is replaced when all is written, and stays if that fails.
func SaveFile(path, from string, records iter.Seq2[Record, error]) (_ Index, err error) {
	needed := references{seen: map[any]bool{}, resources: map[ObjectID]ResourceID{}}
	for rec, err := range records {
		if err != nil {
			return Index{}, err
		}
		needed.add(rec.Body)
	}
	if err := isFile(path); err != nil {
		return Index{}, err
	}
	if old, err := os.Open(path); err == nil {
		defer func() { _ = old.Close() }() // until then it is locked
		if err := errors.Join(isFree(old), isRecording(old)); err != nil {
			return Index{}, err
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return Index{}, err
	}
	f, err := newTemporary(path + ".tmp")
	if failed, ok := errors.AsType[*fs.PathError](err); ok { // which names the temporary file
		return Index{}, fmt.Errorf("%s: %w", path, failed.Err)
	} else if err != nil {
		return Index{}, err
	}
	kept := false
	defer func() {
		if !kept && isAt(f, f.Name()) {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	w, err := newFileWriter(f.File)
	if err != nil {
		return Index{}, err
	}
	if err := w.save(from, records, needed.has); err != nil {
		return Index{}, err
	}
	if !isAt(f, f.Name()) {
		return Index{}, fmt.Errorf("%s: another process writes it", f.Name())
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return Index{}, err
	}
	kept = true
	return w.index, nil
}

// temporary is a file that is not complete, and which file it is.
type temporary struct {
	*os.File
	is os.FileInfo
}

// newTemporary creates a file. One that has its name, and is empty or compressed, was left by a process that was killed.
func newTemporary(path string) (temporary, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) && isLeft(path) {
		if err := os.Remove(path); err != nil {
			return temporary{}, err
		}
		f, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	}
	if err != nil {
		return temporary{}, err
	}
	is, err := f.Stat()
	if err != nil {
		return temporary{}, errors.Join(err, f.Close(), os.Remove(path))
	}
	return temporary{f, is}, nil
}

func isLeft(path string) bool {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }()
	begin := make([]byte, 2)
	n, _ := f.Read(begin) // what cannot be read is not removed
	return info.Size() == 0 || isGzip(begin[:n])
}

// isAt reports whether a file has a path still: another process may have made its own there.
func isAt(f temporary, path string) bool {
	is, err := os.Lstat(path)
	return err == nil && os.SameFile(f.is, is)
}

func (w *fileWriter) save(from string, records iter.Seq2[Record, error], needed func(*Def) bool) error {
	open := map[string]bool{}
	for rec, err := range records {
		if err != nil {
			return w.failed(err)
		}
		line, err := rec.AppendJSON(nil)
		if err != nil {
			return w.failed(err)
		}
		switch b := rec.Body.(type) {
		case *Header:
			if line, err = cutHeader(b, line, from); err != nil {
				return w.failed(err)
			}
		case *Def:
			if !needed(b) {
				continue
			}
		case *Finding:
			if b.Until == 0 {
				open[b.ID] = true
			} else {
				delete(open, b.ID)
			}
		}
		if err := w.add(&rec, line); err != nil {
			return err
		}
	}
	return w.close(slices.Sorted(maps.Keys(open)))
}

// cutHeader is the line of a header with the name of the recording that it is cut from, where the part begins, and whether the recording is
// incomplete. Fields that are not known stay.
func cutHeader(h *Header, line []byte, from string) ([]byte, error) {
	var has Header
	if err := json.Unmarshal(line, &has); err != nil {
		return nil, fmt.Errorf("decode the header: %w", err)
	}
	if has.CutFrom == "" {
		name, err := json.Marshal(from)
		if err != nil {
			return nil, fmt.Errorf("encode the header: %w", err)
		}
		line = slices.Concat(bytes.TrimSuffix(line, []byte("}")), []byte(`,"cutFrom":`), name, []byte("}"))
	}
	if h.Begin != has.Begin {
		line = bytes.Replace(line, fmt.Appendf(nil, `,"begin":%d`, has.Begin), nil, 1) // of a part that this one is a part of
		line = fmt.Appendf(bytes.TrimSuffix(line, []byte("}")), `,"begin":%d}`, h.Begin)
	}
	if h.Incomplete && !has.Incomplete {
		line = slices.Concat(bytes.TrimSuffix(line, []byte("}")), []byte(`,"incomplete":true}`))
	}
	return line, nil
}

// references are the definitions that records need.
type references struct {
	seen      map[any]bool // by ActorID, ResourceID and ObjectID
	resources map[ObjectID]ResourceID
	unknown   bool // some records may need any of them
}

func (r *references) add(b Body) {
	switch b := b.(type) {
	case *Unknown:
		r.unknown = true
	case *Def:
		if b.Object != nil {
			r.resources[b.Object.ID] = b.Object.Resource
		}
	default:
		r.walk(reflect.ValueOf(b))
	}
}

func (r *references) walk(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			r.walk(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			r.walk(v.Field(i))
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() != reflect.Uint8 {
			for i := range v.Len() {
				r.walk(v.Index(i))
			}
		}
	case reflect.Int32:
		id := v.Interface()
		r.seen[id] = true
		if object, ok := id.(ObjectID); ok {
			r.seen[r.resources[object]] = true
		}
	}
}

func (r *references) has(d *Def) bool {
	switch {
	case r.unknown:
	case d.Actor != nil:
		return r.seen[d.Actor.ID]
	case d.Resource != nil:
		return r.seen[d.Resource.ID]
	case d.Object != nil:
		return r.seen[d.Object.ID]
	}
	return true
}
