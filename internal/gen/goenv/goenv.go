// SPDX-License-Identifier: Apache-2.0

// Package goenv remembers what the go command says of its settings in a directory, and of packages that never change: a child process
// takes longer than all else that a run does in which nothing changed.
//
// An answer holds while everything is the same that the go command makes it of: the environment, the files of settings, the go.mod and
// go.work of the directory, and the go command itself. Where that leaves its work to another toolchain, nothing is remembered. The
// package starts no process, and decides nothing about the settings.
package goenv

import (
	"path/filepath"
	"sync"

	"github.com/crdctl/crdctl/internal/gen/cache"
)

// Memory is a [load.Memory] that keeps answers in a store.
type Memory struct {
	store   *cache.Store
	root    string
	running sync.Map // a *sync.Mutex by key: both families of generators ask the same at the same time

	mu      sync.Mutex
	headers map[string]*headers // by build
}

// New returns a memory for the project in root. The store may be nil: then nothing is remembered.
func New(store *cache.Store, root string) *Memory {
	return &Memory{store: store, root: root, headers: map[string]*headers{}}
}

// Vars are the variables of the go command in a directory, with an environment; ask asks for them.
func (m *Memory) Vars(dir string, environ []string, ask func() (map[string]string, error)) (vars map[string]string, err error) {
	key, goroot, ok := keyOf(dir, environ)
	if !ok || m.store == nil {
		return ask()
	}
	one, _ := m.running.LoadOrStore(key, &sync.Mutex{})
	lock := one.(*sync.Mutex)
	lock.Lock()
	defer lock.Unlock()
	if m.store.Get(key, &vars) {
		return vars, nil
	}
	vars, err = ask()
	if err == nil && sameDir(vars["GOROOT"], goroot) {
		if again, _, ok := keyOf(dir, environ); ok && again == key {
			_ = m.store.Put(key, vars) // what cannot be kept is asked for again
		}
	}
	return vars, err
}

// Holds runs a check of the go command in a directory, unless it has passed before with the same content in files.
func (m *Memory) Holds(dir string, environ, files []string, check func() error) error {
	base, goroot, ok := keyOf(dir, environ)
	if !ok || m.store == nil {
		return check()
	}
	key := withFiles(base, files)
	var passed bool
	if m.store.Get(key, &passed) && passed {
		return nil
	}
	if err := check(); err != nil {
		return err
	}
	var vars map[string]string
	if m.store.Get(base, &vars) && sameDir(vars["GOROOT"], goroot) && withFiles(base, files) == key {
		_ = m.store.Put(key, true) // what cannot be kept is checked again
	}
	return nil
}

func sameDir(a, b string) bool {
	real, err := filepath.EvalSymlinks(a)
	return err == nil && real == b
}
