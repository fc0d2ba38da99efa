// SPDX-License-Identifier: Apache-2.0

package cache

import (
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"io"
)

// Hash makes a key of strings. Where one string ends and the next begins is part of it.
type Hash struct{ h hash.Hash }

// NewHash starts with what the key is of.
func NewHash(kind string) *Hash {
	h := &Hash{sha256.New()}
	h.Add(kind)
	return h
}

// Add adds strings.
func (h *Hash) Add(all ...string) {
	for _, s := range all {
		var n [8]byte
		binary.LittleEndian.PutUint64(n[:], uint64(len(s)))
		h.h.Write(n[:])
		_, _ = io.WriteString(h.h, s) // a hash does not fail
	}
}

// Key is that of all that was added.
func (h *Hash) Key() Key { return Key(h.h.Sum(nil)) }
