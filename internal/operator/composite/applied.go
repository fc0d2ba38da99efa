// SPDX-License-Identifier: Apache-2.0

package composite

import (
	"hash/maphash"
	"slices"
	"strconv"
	"sync"

	"k8s.io/client-go/tools/cache"

	"github.com/crdctl/crdctl/internal/operator/object"
)

// applied is what was written last, as sums: what is as it was left needs no second request. It is empty after a start,
// and then everything is applied once; the API server writes nothing where nothing differs.
type applied struct {
	seed maphash.Seed
	mu   sync.Mutex
	// sums are by the sum of what they are about: names would take more memory than all else.
	sums map[uint64]pair
	// of are the children's, by their parent's: they are forgotten together.
	of map[uint64][]uint64
	// contests are about children that other writers change back.
	contests map[uint64]*contest
}

// pair is what was asked for, and what came of it.
type pair struct{ asked, became uint64 }

func newApplied() *applied {
	return &applied{seed: maphash.MakeSeed(), sums: map[uint64]pair{}, of: map[uint64][]uint64{}, contests: map[uint64]*contest{}}
}

func (m *applied) sum(parts ...string) uint64 {
	var h maphash.Hash
	h.SetSeed(m.seed)
	for _, p := range parts {
		_, _ = h.WriteString(p) // cannot fail
		_ = h.WriteByte(0)
	}
	return h.Sum64()
}

func (m *applied) child(kind Served, key cache.ObjectName) uint64 {
	return m.sum("child", kind.Resource.String(), key.Namespace, key.Name)
}

// content is the sum of all of a child that this controller may have a say in: not its status, nor its version.
func (m *applied) content(o *object.Object) uint64 {
	if o.IsMetadataOnly() {
		// Only the metadata are known. The generation counts changes of the rest, where a kind has one.
		if o.Generation() == 0 {
			return m.sum(string(o.UID()), o.ResourceVersion())
		}
		return m.sum(string(o.UID()), strconv.FormatInt(o.Generation(), 10))
	}
	return m.sum(string(o.UID()), o.Substance())
}

// last returns what came of the last apply of a child, whether that had the same body, and whether there was none.
func (m *applied) last(kind Served, key cache.ObjectName, body []byte) (became uint64, same, none bool) {
	m.mu.Lock()
	last, ok := m.sums[m.child(kind, key)]
	m.mu.Unlock()
	return last.became, ok && last.asked == maphash.Bytes(m.seed, body), !ok
}

func (m *applied) applied(parent cache.ObjectName, kind Served, key cache.ObjectName, body []byte, now *object.Object) {
	child, owner, p := m.child(kind, key), m.sum("parent", parent.Namespace, parent.Name), pair{maphash.Bytes(m.seed, body), m.content(now)}
	m.put(owner, child, p)
}

func (m *applied) put(owner, about uint64, p pair) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !slices.Contains(m.of[owner], about) {
		m.of[owner] = append(m.of[owner], about)
	}
	m.sums[about] = p
}

// retain forgets what is about children that are no longer wanted: a parent may have ever new ones.
func (m *applied) retain(parent *object.Object, wanted []desired) {
	owner, keep := m.sum("parent", parent.Namespace(), parent.Name()), map[uint64]bool{m.status(parent): true}
	for i := range wanted {
		keep[m.child(wanted[i].kind.Served, wanted[i].key)] = true
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.of[owner] = slices.DeleteFunc(m.of[owner], func(each uint64) bool {
		if !keep[each] {
			m.forget(each)
		}
		return !keep[each]
	})
	if len(m.of[owner]) == 0 {
		delete(m.of, owner)
	}
}

func (m *applied) status(parent *object.Object) uint64 { return m.sum("status", string(parent.UID())) }

func (m *applied) isWritten(parent *object.Object, asked []byte, now string) bool {
	m.mu.Lock()
	last, ok := m.sums[m.status(parent)]
	m.mu.Unlock()
	return ok && last.asked == maphash.Bytes(m.seed, asked) && last.became == m.sum(now)
}

func (m *applied) written(parent *object.Object, asked []byte, became string) {
	status, owner := m.status(parent), m.sum("parent", parent.Namespace(), parent.Name())
	m.put(owner, status, pair{maphash.Bytes(m.seed, asked), m.sum(became)})
}

// forgetParent forgets all about a parent that is gone, and its children.
func (m *applied) forgetParent(parent cache.ObjectName) {
	owner := m.sum("parent", parent.Namespace, parent.Name)
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, each := range m.of[owner] {
		m.forget(each)
	}
	delete(m.of, owner)
}

// forget needs the lock.
func (m *applied) forget(about uint64) {
	delete(m.sums, about)
	delete(m.contests, about)
}
