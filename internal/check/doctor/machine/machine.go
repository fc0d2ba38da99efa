// SPDX-License-Identifier: Apache-2.0

// Package machine reads what of this machine can make a controller, or crdctl, fail: the go command, kubectl, disks, caches, limits and ports.
//
// It judges nothing and changes nothing. Of other programs it runs "go env" and "kubectl version --client".
package machine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/crdctl/crdctl/internal/controlplane/state"
)

// Machine is what was read. The JSON names are those of examples on pages of rules.
type Machine struct {
	Go      Go       `json:"go"`
	Kubectl []Tool   `json:"kubectl,omitempty"` // in the order of PATH
	Disks   []Disk   `json:"disks,omitempty"`
	Caches  []Cache  `json:"caches,omitempty"`
	Inotify *Inotify `json:"inotify,omitempty"` // nil where the system has none
	Taken   []int    `json:"taken,omitempty"`   // of Ports, those on which something listens
	// Stale is the state directory of a run that ended without removing it.
	Stale string `json:"stale,omitempty"`
}

// Go is the go command in PATH.
type Go struct {
	Version   string `json:"version,omitempty"`   // as in 1.26.0; empty if there is no go command
	Toolchain string `json:"toolchain,omitempty"` // GOTOOLCHAIN
	Cache     string `json:"cache,omitempty"`     // GOCACHE
	Modules   string `json:"modules,omitempty"`   // GOMODCACHE
	Problem   string `json:"problem,omitempty"`
}

// Tool is a program in PATH.
type Tool struct {
	Path    string `json:"path"`
	Version string `json:"version,omitempty"` // as in v1.36.0
	Problem string `json:"problem,omitempty"`
}

// Disk is the room for files in a directory.
type Disk struct {
	Dir  string `json:"dir"`
	Free uint64 `json:"free"` // bytes
}

// Cache is a directory with results that can be made again.
type Cache struct {
	Name string `json:"name"` // what keeps it
	Dir  string `json:"dir"`
	Size int64  `json:"size"`           // bytes
	More bool   `json:"more,omitempty"` // it has more: it was not read to its end
}

// Inotify are the limits of Linux for those who watch files.
type Inotify struct {
	Watches   int `json:"watches"`   // fs.inotify.max_user_watches
	Instances int `json:"instances"` // fs.inotify.max_user_instances
}

// Ports are those that a controller-runtime program listens on by default: metrics, probes and webhooks.
var Ports = []int{8080, 8081, 9443}

// Read reads the machine, for the project in a directory.
func Read(ctx context.Context, root string) Machine {
	var m Machine
	var all sync.WaitGroup
	all.Go(func() { m.Go = goCommand(ctx) })
	all.Go(func() { m.Kubectl = kubectls(ctx) })
	all.Go(func() { m.Taken = taken(ctx) })
	m.Inotify = inotify()
	if there(filepath.Join(root, state.Name, state.RecordName)) {
		if running, err := state.Running(root); err == nil && !running {
			m.Stale = state.Name
		}
	}
	all.Wait()
	user, err := os.UserCacheDir()
	if err == nil {
		m.Caches = append(m.Caches, Cache{Name: "crdctl", Dir: filepath.Join(user, "crdctl")})
	}
	for _, c := range []Cache{{Name: "go build", Dir: m.Go.Cache}, {Name: "go modules", Dir: m.Go.Modules}} {
		if filepath.IsAbs(c.Dir) { // GOCACHE may be off
			m.Caches = append(m.Caches, c)
		}
	}
	sizes(ctx, m.Caches)
	m.Disks = disks(root, os.TempDir(), user, m.Go.Cache, m.Go.Modules)
	return m
}

func there(file string) bool {
	_, err := os.Lstat(file)
	return err == nil
}

// forSizes is how long the sizes of caches are summed: those of Go have a million files.
const forSizes = 500 * time.Millisecond

// sizes sums the files of caches, as far as there is time.
func sizes(ctx context.Context, caches []Cache) {
	ctx, cancel := context.WithTimeout(ctx, forSizes)
	defer cancel()
	var all sync.WaitGroup
	for i := range caches {
		all.Go(func() { caches[i].sum(ctx) })
	}
	all.Wait()
}

// sum adds up the files of a cache, until the context ends. What cannot be read counts as nothing.
func (c *Cache) sum(ctx context.Context) {
	_ = filepath.WalkDir(c.Dir, func(_ string, d fs.DirEntry, err error) error {
		if c.More = ctx.Err() != nil; c.More {
			return fs.SkipAll
		}
		if err != nil {
			return nil //nolint:nilerr // what is gone, or may not be read, does not count
		}
		if info, err := d.Info(); err == nil && info.Mode().IsRegular() {
			c.Size += info.Size()
		}
		return nil
	})
}

// disks are the disks of some directories, each once. Their room does not identify them: other programs write meanwhile.
func disks(dirs ...string) (all []Disk) {
	seen := map[string]bool{}
	for _, dir := range dirs {
		for dir != "" && !there(dir) && filepath.Dir(dir) != dir {
			dir = filepath.Dir(dir)
		}
		if dir == "" {
			continue
		}
		if free, disk, err := freeIn(dir); err == nil && !seen[disk] {
			seen[disk] = true
			all = append(all, Disk{dir, free})
		}
	}
	return all
}

// taken are the ports on which nothing more can listen.
func taken(ctx context.Context) (all []int) {
	for _, port := range Ports {
		l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", fmt.Sprintf(":%d", port))
		if err == nil {
			_ = l.Close()
		} else if isTaken(err) {
			all = append(all, port)
		}
	}
	return all
}

func isTaken(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && strings.Contains(op.Error(), "in use")
}
