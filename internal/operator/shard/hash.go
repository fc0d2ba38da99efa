// SPDX-License-Identifier: Apache-2.0

package shard

import (
	"strconv"

	"github.com/cespare/xxhash/v2"
)

// Of is the shard of a key: xxHash64, modulo the number of shards, of "namespace/name" or, when keys are cut by namespace, of
// the namespace. A key without a namespace goes by its name in both cases. Replicas of different versions of crdctl must
// agree on it, so it never changes without another name of the layout. (FNV-1a, which the standard library has, is not good
// here: its lowest bit is the parity of the bytes, so two shards may get all and nothing.)
func (s *Shards) Of(namespace, name string) int {
	if s.o.Shards == 1 {
		return 0
	}
	var hash xxhash.Digest // on the stack: this is asked for each event
	hash.Reset()
	switch {
	case namespace == "":
		_, _ = hash.WriteString(name) // it never fails
	case s.o.By == ByNamespace:
		_, _ = hash.WriteString(namespace)
	default:
		_, _ = hash.WriteString(namespace)
		_, _ = hash.WriteString("/")
		_, _ = hash.WriteString(name)
	}
	return int(hash.Sum64() % uint64(s.o.Shards))
}

// short is a name for something longer, for what must fit into a label or a name.
func short(s string) string { return strconv.FormatUint(xxhash.Sum64String(s), 16) }
