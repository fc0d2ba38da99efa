// SPDX-License-Identifier: Apache-2.0

// Package cache keeps what generations made, in the user's cache directory, under hashes of all that they were made of.
//
// An entry is used only if it is whole: its checksum is checked at every read, and an entry that is cut short, changed
// or foreign counts as none. Entries are written to another name and renamed, so that any number of processes may share the
// directory. It knows nothing of generators: what goes into a key is for its callers to know.
package cache

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/gob"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/crdctl/crdctl/internal/safefs"
)

// MaxBytes is how large the directory may grow before the entries that were not used for longest go.
const MaxBytes = 256 << 20

// Key names an entry.
type Key [sha256.Size]byte

// Store is a directory of entries.
type Store struct {
	// open opens the directory, which need not exist unless it is to be created.
	open    func(create bool) (*safefs.Dir, error)
	max     int64
	written atomic.Int64 // since the directory was trimmed
}

// Open uses the directory of the user. Without one, nothing is kept, which is not an error.
func Open() *Store {
	return &Store{open: func(create bool) (*safefs.Dir, error) { return safefs.Cache(create, "results") }, max: MaxBytes}
}

// At uses a directory, which may not exist yet.
func At(dir string, maxBytes int64) *Store {
	return &Store{open: func(create bool) (*safefs.Dir, error) { return safefs.Below(dir, create) }, max: maxBytes}
}

func (k Key) file() string { return hex.EncodeToString(k[:]) }

// Get reads an entry into v, a pointer, and reports whether there was a whole one.
func (s *Store) Get(k Key, v any) bool {
	if s == nil {
		return false
	}
	dir, err := s.open(false)
	if err != nil {
		return false
	}
	defer func() { _ = dir.Close() }()
	data, err := dir.Read(k.file(), MaxBytes)
	if err != nil || len(data) < 2*sha256.Size {
		return false
	}
	// The sum covers the key: an entry under another's name does not pass for it.
	sum, stored, body := data[:sha256.Size], data[sha256.Size:2*sha256.Size], data[2*sha256.Size:]
	if want := sha256.Sum256(data[sha256.Size:]); !bytes.Equal(sum, want[:]) || !bytes.Equal(stored, k[:]) {
		return false
	}
	if gob.NewDecoder(bytes.NewReader(body)).Decode(v) != nil {
		return false
	}
	dir.Touch(k.file())
	return true
}

// Put keeps an entry. Trouble is an error for those who want to know; the generation is none the worse for it.
func (s *Store) Put(k Key, v any) error {
	if s == nil {
		return nil
	}
	dir, err := s.open(true)
	if err != nil {
		return err
	}
	defer func() { _ = dir.Close() }()
	f, temp, err := dir.CreateTemp(tempPrefix)
	if err != nil {
		return err
	}
	// Straight into the file, and the sum last: a result may be many megabytes, and need not be in memory twice.
	sum := sha256.New()
	_, err = f.Seek(sha256.Size, io.SeekStart)
	to := bufio.NewWriterSize(io.MultiWriter(sum, f), 1<<16)
	if err == nil {
		_, err = to.Write(k[:])
	}
	if err == nil {
		err = errors.Join(gob.NewEncoder(to).Encode(v), to.Flush())
	}
	if err == nil {
		_, err = f.WriteAt(sum.Sum(nil), 0)
	}
	size, _ := f.Seek(0, io.SeekCurrent) // 0 is as good for a file that has none
	if err = errors.Join(err, f.Close()); err == nil {
		err = dir.Rename(temp, k.file())
	}
	if err != nil {
		_ = dir.Remove(temp)
		return fmt.Errorf("keep the result in %s: %w", dir.Path(), err)
	}
	if due, err := s.trimDue(dir, size); err != nil || !due {
		return err
	}
	return s.trim(dir)
}

const (
	tempPrefix = ".new-"
	trimmed    = ".trimmed" // its time is that of the last trim
)

// trimDue reports whether to trim the directory after another so many bytes: once in a minute, and sooner where this process wrote much.
// To look through thousands of entries takes longer than to write one.
func (s *Store) trimDue(dir *safefs.Dir, size int64) (bool, error) {
	info, err := dir.Lstat(trimmed)
	if s.written.Add(size) < s.max/16 && err == nil && time.Since(info.ModTime()).Abs() < time.Minute {
		return false, nil
	}
	s.written.Store(0)
	f, err := dir.OpenFile(trimmed, os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return false, err
	}
	dir.Touch(trimmed)
	return true, f.Close()
}

// trim removes the entries that were not used for longest, until the rest fits, and what killed processes left.
func (s *Store) trim(dir *safefs.Dir) error {
	entries, err := dir.Entries()
	if err != nil {
		return err
	}
	var files []os.FileInfo
	var total int64
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() {
			continue // removed by another process
		}
		if info.Name() == trimmed {
			continue
		}
		if strings.HasPrefix(info.Name(), tempPrefix) {
			if time.Since(info.ModTime()) > time.Hour {
				_ = dir.Remove(info.Name())
			}
			continue
		}
		files = append(files, info)
		total += info.Size()
	}
	slices.SortFunc(files, func(a, b os.FileInfo) int { return a.ModTime().Compare(b.ModTime()) })
	for _, f := range files {
		if total <= s.max {
			break
		}
		if dir.Remove(f.Name()) == nil {
			total -= f.Size()
		}
	}
	return nil
}
