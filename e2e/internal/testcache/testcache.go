// SPDX-License-Identifier: Apache-2.0

// Package testcache keeps what tests build and what stays the same until its inputs change: upstream's programs, and what
// they write for a fixture. It is for tests alone, and decides nothing about what belongs to a key.
package testcache

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// idle is how long an entry may go unused before another one of its name replaces it.
const idle = 30 * 24 * time.Hour

// Root makes the directory of the user's cache that all of it is in.
func Root() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	root := filepath.Join(cache, "crdctl-test")
	return root, os.MkdirAll(root, 0o700)
}

// Dir returns the directory that fill filled for a name and a key, now or in an earlier run. A fill that fails leaves nothing.
func Dir(name string, key []string, fill func(dir string) error) (string, error) {
	root, err := Root()
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%q", key))
	dir := filepath.Join(root, name+"-"+hex.EncodeToString(sum[:12]))
	now := time.Now()
	if os.Chtimes(dir, now, now) == nil {
		return dir, nil
	}
	old, _ := filepath.Glob(filepath.Join(root, name+"-*"))
	for _, entry := range old {
		if info, err := os.Stat(entry); err == nil && now.Sub(info.ModTime()) > idle {
			_ = os.RemoveAll(entry)
		}
	}
	building, err := os.MkdirTemp(root, name+"-building-")
	if err != nil {
		return "", err
	}
	if err := fill(building); err != nil {
		return "", errors.Join(err, os.RemoveAll(building))
	}
	if err := os.Rename(building, dir); err != nil {
		if _, statErr := os.Stat(dir); statErr != nil {
			return "", errors.Join(err, os.RemoveAll(building))
		}
		return dir, os.RemoveAll(building) // another process was faster
	}
	return dir, nil
}

// Bytes returns what compute returned for a name and a key, now or in an earlier run.
func Bytes(name string, key []string, compute func() ([]byte, error)) ([]byte, error) {
	dir, err := Dir(name, key, func(dir string) error {
		data, err := compute()
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(dir, "data"), data, 0o600)
	})
	if err != nil {
		return nil, err
	}
	return os.ReadFile(filepath.Join(dir, "data"))
}
