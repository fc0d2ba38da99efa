// SPDX-License-Identifier: Apache-2.0

package tree

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/crdctl/crdctl/internal/safefs"
	"github.com/crdctl/crdctl/internal/tempdir"
)

const (
	// planName is what the journal is called until all new content is in the stage.
	planName = "journal.part"
	// journalName is the file of a stage that says what its files are. It is there before the first file of the user's is.
	journalName = "journal"
	// undoName is there when what was done is being taken back.
	undoName = "undo"
	// journalLimit is more than any project needs.
	journalLimit = 64 << 20
)

// change is what a journal says of a change: what was there and what comes, by hash, empty where no file exists.
type change struct {
	Path string `json:"path"`
	Old  string `json:"old,omitempty"`
	New  string `json:"new,omitempty"`
}

func entryOf(c Change) change {
	e := change{Path: c.Path}
	if c.Op != Create {
		e.Old = hash(c.Old)
	}
	if c.Op != Delete {
		e.New = hash(c.New)
	}
	return e
}

func hash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// plan writes down what the stage is for, before anything else is in it. The first line is a seal: a repository can contain a
// stage, and Recover must not act on that one. Without a key (there is no HOME) there is no seal, and Recover leaves the stage
// of a killed run alone.
func (s *stage) plan() error {
	data, err := json.Marshal(s.changes)
	if err != nil {
		return err
	}
	seal, _ := safefs.Seal(s.sealed(data)) // see above
	f, err := s.disk.Create(path.Join(s.name, planName), 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(append([]byte(seal+"\n"), data...))
	return errors.Join(err, f.Close())
}

// sealed is what the seal of a journal is for: it is right in no other stage, and for nothing else that crdctl seals.
func (s *stage) sealed(journal []byte) []byte {
	return append([]byte("stage "+s.name+"\n"), journal...)
}

// begin makes the plan the journal.
func (s *stage) begin() error {
	return s.disk.Rename(path.Join(s.name, planName), path.Join(s.name, journalName))
}

// undoing writes down that what was done is being taken back. It is tried also where the disk cannot do that.
func (s *stage) undoing() {
	if f, err := s.disk.Create(path.Join(s.name, undoName), 0o600); err == nil {
		_ = f.Close()
	}
}

// errForeign is the error of a stage without a right seal. It may be that of a run without a key, and have files of the user's.
var errForeign = errors.New("crdctl cannot verify that it created this directory here; move files that you need out of it, and remove it")

// Recover puts back the files of the user's that killed runs took away in root, and removes what else these left. It returns
// one line for each file that it put somewhere. A stage that crdctl did not make here for this user is left as it is, with an
// error.
func Recover(root string) (restored []string, err error) {
	dir, err := os.OpenRoot(root)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, dir.Close()) }()
	return recoverOn(root, rootDisk{dir})
}

func recoverOn(root string, d disk) (restored []string, err error) {
	err = tempdir.SweepAfter(root, stagePrefix, func(dir string) error {
		s := &stage{disk: d, name: filepath.Base(dir)}
		put, err := s.recover(dir)
		restored = append(restored, put...)
		return err
	})
	return restored, err
}

// recover looks at each file of a stage that a killed run left. Most are new content that was not needed any more, or old
// content that was replaced. The rest is the user's.
func (s *stage) recover(dir string) (restored []string, err error) {
	begun, err := s.readJournal()
	if errors.Is(err, errForeign) && isBare(dir) {
		return nil, nil
	}
	if err != nil || !begun {
		return nil, err
	}
	_, err = s.disk.Lstat(path.Join(s.name, undoName))
	undoing := err == nil
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	files := map[string]int{}
	for _, e := range entries {
		number, n, ok := strings.Cut(e.Name(), ".")
		i, err := strconv.Atoi(number)
		if !ok || err != nil || i < 0 || i >= len(s.changes) {
			continue
		}
		files[e.Name()] = i
		if n, err := strconv.Atoi(n); err == nil {
			s.n = max(s.n, n)
		}
	}
	for name, i := range files {
		put, err := s.recoverFile(i, path.Join(s.name, name), undoing)
		if err != nil {
			return restored, fmt.Errorf("restore %s, which a killed run had removed: %w", s.changes[i].Path, err)
		}
		if put {
			restored = append(restored, s.changes[i].Path+": restored; a killed run of crdctl had removed it")
		}
	}
	for _, name := range s.saved {
		restored = append(restored, name+": the copy that a killed run of crdctl had removed; another file is at the original path now")
	}
	if s.holding {
		return restored, errors.New("it has files of yours; move them back manually")
	}
	return restored, nil
}

// readJournal reads what a stage is for, if it has the right seal. It reports whether the run got to the user's files.
func (s *stage) readJournal() (begun bool, err error) {
	data, err := s.read(journalName)
	begun = !errors.Is(err, fs.ErrNotExist)
	if !begun {
		data, err = s.read(planName)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	seal, journal, _ := bytes.Cut(data, []byte("\n"))
	if !safefs.Sealed(s.sealed(journal), string(seal)) {
		return false, errForeign
	}
	return begun, json.Unmarshal(journal, &s.changes)
}

// isBare reports whether a stage has no file but those that are there before the seal is: the run was killed at its birth.
func isBare(dir string) bool {
	entries, err := os.ReadDir(dir)
	return err == nil && !slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
		return !e.Type().IsRegular() || e.Name() != tempdir.LockName && e.Name() != planName
	})
}

// recoverFile puts one file back, if it is the user's.
func (s *stage) recoverFile(i int, name string, undoing bool) (put bool, err error) {
	c := s.changes[i]
	have, err := s.hashOf(name)
	if err != nil || have == c.New && c.New != "" {
		return false, err
	}
	if now, err := s.disk.Lstat(c.Path); err == nil {
		if mine, err := s.disk.Lstat(name); err == nil && os.SameFile(now, mine) {
			return false, nil // back in its place already, by a hard link
		}
		if have == c.Old {
			return false, nil // it was replaced, as it was to be
		}
	} else if have == c.Old && c.New == "" && !undoing {
		return false, nil // it was removed, as it was to be
	}
	if err := s.reachable(c.Path); err != nil {
		return false, err
	}
	saved := len(s.saved)
	if err := s.makeDir(path.Dir(c.Path)); err != nil {
		return false, err
	}
	err = s.back(i, name)
	return len(s.saved) == saved, err
}

// reachable refuses paths at which Recover puts no file, seal or not: the user may have replaced a directory with a link since.
func (s *stage) reachable(name string) error {
	if !writable(name) {
		return errors.New("crdctl puts no file there")
	}
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		info, err := s.disk.Lstat(dir)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		if !info.IsDir() {
			return fmt.Errorf("%s is not a directory, or is a link to one", dir)
		}
	}
	return nil
}

// hashOf is the hash of a regular file; other kinds of files have none.
func (s *stage) hashOf(name string) (string, error) {
	info, err := s.disk.Lstat(name)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() {
		return "not a regular file", nil
	}
	f, err := s.disk.Open(name)
	if err != nil {
		return "", err
	}
	have, err := hashAll(f)
	return have, errors.Join(err, f.Close())
}

func hashAll(r io.Reader) (string, error) {
	h := sha256.New()
	_, err := io.Copy(h, r)
	return hex.EncodeToString(h.Sum(nil)), err
}

func (s *stage) read(name string) ([]byte, error) {
	name = path.Join(s.name, name)
	if info, err := s.disk.Lstat(name); err != nil {
		return nil, err
	} else if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", name)
	}
	f, err := s.disk.Open(name)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(f, journalLimit))
	return data, errors.Join(err, f.Close())
}

// writable reports whether a journal may have a file put at a path, also if its seal is right: what is outside of the project
// is left to the root, and git's own to git.
func writable(name string) bool {
	if !fs.ValidPath(name) || name == "." || !filepath.IsLocal(filepath.FromSlash(name)) {
		return false
	}
	for part := range strings.SplitSeq(strings.ToLower(name), "/") {
		if strings.HasPrefix(part, ".git") && !strings.HasPrefix(part, ".gitattributes") && !strings.HasPrefix(part, ".gitignore") && part != ".github" || strings.HasPrefix(part, "git~") {
			return false
		}
	}
	return true
}
