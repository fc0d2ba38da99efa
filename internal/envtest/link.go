// SPDX-License-Identifier: Apache-2.0

package envtest

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// copyLife is how long a copy of a program may go unused that was made because the program itself does not last.
const copyLife = 30 * 24 * time.Hour

func cacheDir() (string, error) {
	base, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("find the cache directory: %w; set HOME or XDG_CACHE_HOME", err)
	}
	return filepath.Join(base, "crdctl", "envtest"), nil
}

func key(path string) string {
	sum := sha256.Sum256([]byte(path))
	return hex.EncodeToString(sum[:6])
}

// program returns the path of this program, which links may lead to. One that "go run", "go tool" or a test has built is removed
// sooner or later, so it is copied.
func program() (string, error) {
	self, err := os.Executable()
	if err == nil {
		self, err = filepath.EvalSymlinks(self)
	}
	if err != nil {
		return "", fmt.Errorf("find this program: %w", err)
	}
	if !isTransient(self) {
		return self, nil
	}
	info, err := os.Stat(self)
	if err != nil {
		return "", err
	}
	cache, err := cacheDir()
	if err != nil {
		return "", err
	}
	all := filepath.Join(cache, "copies")
	to := filepath.Join(all, key(fmt.Sprint(self, info.Size(), info.ModTime().UnixNano())), executable("crdctl"))
	now := time.Now()
	if os.Chtimes(filepath.Dir(to), now, now) == nil && isCopy(to, self) {
		return to, nil
	}
	prune(all, now)
	if err := install(self, to, os.Link); err != nil {
		return "", fmt.Errorf("copy this program to the cache: %w; set XDG_CACHE_HOME or HOME to a directory of yours", err)
	}
	return to, nil
}

// isTransient reports whether a program is in a directory of temporary files or of the go command.
func isTransient(path string) bool {
	if strings.Contains(filepath.ToSlash(path), "/go-build") {
		return true
	}
	temp, err := filepath.EvalSymlinks(os.TempDir())
	return err == nil && strings.HasPrefix(path, temp+string(filepath.Separator))
}

func prune(all string, now time.Time) {
	entries, _ := os.ReadDir(all)
	for _, e := range entries {
		if info, err := e.Info(); err == nil && now.Sub(info.ModTime()) > copyLife {
			_ = os.RemoveAll(filepath.Join(all, e.Name()))
		}
	}
}

// fill makes the programs in dir. Links are replaced, since what they lead to may have moved; several processes may do so at once.
func fill(dir, self string) error {
	link := os.Symlink
	if runtime.GOOS == "windows" { // symbolic links need a privilege there
		link = os.Link
	}
	for _, name := range Programs {
		path := filepath.Join(dir, executable(name))
		if to, err := os.Readlink(path); err == nil && to == self || err != nil && isCopy(path, self) {
			continue
		}
		if err := install(self, path, link); err != nil {
			return fmt.Errorf("make %s: %w", path, err)
		}
	}
	return nil
}

// install makes path a link to self, or else a copy of it, in one step.
func install(self, path string, link func(old, now string) error) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	temp, err := os.MkdirTemp(filepath.Dir(path), ".new-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(temp) }()
	made := filepath.Join(temp, filepath.Base(path))
	if link(self, made) != nil {
		if err := copyFile(self, made); err != nil {
			return err
		}
	}
	err = os.Rename(made, path)
	if errors.Is(err, fs.ErrPermission) && isCopy(path, self) { // Windows does not replace a program that runs
		return nil
	}
	return err
}

// isCopy reports whether path is self by another name, or a copy with its size.
func isCopy(path, self string) bool {
	a, err1 := os.Lstat(path)
	b, err2 := os.Stat(self)
	return err1 == nil && err2 == nil && a.Mode().IsRegular() && (os.SameFile(a, b) || a.Size() == b.Size() && a.ModTime().Equal(b.ModTime()))
}

func copyFile(from, to string) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o755)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	if err = errors.Join(err, out.Close()); err != nil {
		return err
	}
	return os.Chtimes(to, info.ModTime(), info.ModTime())
}
