package tree

import (
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
	"strconv"
	"strings"

	"github.com/crdctl/crdctl/internal/scratch"
)

const (
	// journalName is the file of a stage that says what its files are. It is there before the first file of the user's is.
	journalName = "journal"
	// undoName is there when what was done is being taken back.
	undoName = "undo"
	// journalLimit is more than any project needs.
	journalLimit = 64 << 20
)

// change is what a journal says of a change: what was there and what comes, by hash, empty where there is no file.
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

// journal writes down what the stage is for. It gets its name when all of it is written.
func (s *stage) journal() error {
	data, err := json.Marshal(s.changes)
	if err != nil {
		return err
	}
	f, err := s.disk.Create(path.Join(s.name, journalName+".part"), 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	return s.disk.Rename(path.Join(s.name, journalName+".part"), path.Join(s.name, journalName))
}

// undoing writes down that what was done is being taken back. A disk that cannot do that is no reason not to try.
func (s *stage) undoing() {
	if f, err := s.disk.Create(path.Join(s.name, undoName), 0o600); err == nil {
		_ = f.Close()
	}
}

// Recover puts back the files of the user's that killed runs took away in root, and removes what else these left. It returns
// one line for each file that it put somewhere.
func Recover(root string) (restored []string, err error) {
	dir, err := os.OpenRoot(root)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, dir.Close()) }()
	return recoverOn(root, rootDisk{dir})
}

func recoverOn(root string, d disk) (restored []string, err error) {
	err = scratch.SweepAfter(root, stagePrefix, func(dir string) error {
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
	data, err := s.read(journalName)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil // the run did not get to the user's files
	}
	if err != nil {
		return nil, err
	}
	if json.Unmarshal(data, &s.changes) != nil {
		return nil, nil // a power failure got at it, and so at all files of that moment
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
			return restored, fmt.Errorf("put back %s, which a killed run took away: %w", s.changes[i].Path, err)
		}
		if put {
			restored = append(restored, s.changes[i].Path+": put back; a run of crdctl that was killed had taken it away")
		}
	}
	for _, name := range s.saved {
		restored = append(restored, name+": what a run of crdctl that was killed had taken away; there is another file in its place")
	}
	if s.holding {
		return restored, errors.New("files of yours are in it; move them to their place by hand")
	}
	return restored, nil
}

// recoverFile puts one file back, if it is the user's.
func (s *stage) recoverFile(i int, name string, undoing bool) (put bool, err error) {
	c := s.changes[i]
	if !writable(c.Path) {
		return false, nil
	}
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
	saved := len(s.saved)
	if err := makeFolder(s.disk, &undo{stage: s}, path.Dir(c.Path)); err != nil {
		return false, err
	}
	err = s.back(i, name, func(name string) (bool, error) {
		now, err := s.hashOf(name)
		return now == c.New, err
	})
	return len(s.saved) == saved, err
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
	h := sha256.New()
	_, err = io.Copy(h, f)
	return hex.EncodeToString(h.Sum(nil)), errors.Join(err, f.Close())
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

// writable reports whether a journal may have a file put at a path. A stage can come with a repository, as any directory can,
// and must not reach what cannot: the project's folder is left to its root, and git's own to git.
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
