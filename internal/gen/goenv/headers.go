// SPDX-License-Identifier: Apache-2.0

package goenv

import (
	"errors"

	"github.com/crdctl/crdctl/internal/gen/cache"
	"github.com/crdctl/crdctl/internal/gen/load"
)

// headers are those of the packages that the project in root imports, for one build.
type headers struct {
	known map[string]*load.Header // by directory
	news  bool
}

// Header is that of the package in a directory that never changes, in a build; read reads it.
func (m *Memory) Header(build, dir string, read func() (*load.Header, error)) (*load.Header, error) {
	if m.store == nil {
		return read()
	}
	if h := m.of(build, dir); h != nil {
		return h, nil
	}
	h, err := read()
	if err == nil {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.headers[build].known[dir], m.headers[build].news = h, true
	}
	return h, err
}

func (m *Memory) of(build, dir string) *load.Header {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.headers[build] == nil {
		all := &headers{}
		if !m.store.Get(m.headersKey(build), &all.known) || all.known == nil {
			all.known = map[string]*load.Header{}
		}
		m.headers[build] = all
	}
	return m.headers[build].known[dir]
}

func (m *Memory) headersKey(build string) cache.Key {
	h := cache.NewHash("headers of whole packages")
	h.Add(m.root, build)
	return h.Key()
}

// Save keeps the headers that are new.
func (m *Memory) Save() (err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for build, all := range m.headers {
		if all.news {
			err = errors.Join(err, m.store.Put(m.headersKey(build), all.known))
			all.news = false
		}
	}
	return err
}
