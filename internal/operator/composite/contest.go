package composite

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"

	"github.com/crdctl/crdctl/internal/operator/object"
)

// The bounds of a contest: how many times in a row a child is restored at once that another writer changes back or removes, and how often
// after that. Two controllers that want different content for the same child would otherwise write as fast as they can, for ever.
const (
	contestBurst = 10
	contestEvery = 30 * time.Second
	contestTold  = 10 * time.Minute // between two reports about one child
)

// contests are the children that other writers change back.
type contests struct {
	mu      sync.Mutex
	byChild map[uint64]*contest
	of      map[cache.ObjectName][]uint64 // by their parent
}

// contest is a bucket: a restored child takes one out of it, and each period puts one back.
type contest struct {
	spent float64
	at    time.Time
	told  time.Time
}

// drain has time pass.
func (c *contest) drain(now time.Time) {
	c.spent = max(0, c.spent-now.Sub(c.at).Seconds()/contestEvery.Seconds())
	c.at = now
}

// wait returns how long a child is left to the other writer; 0 for one that is not contested.
func (c *contests) wait(child uint64, now time.Time) time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	one := c.byChild[child]
	if one == nil {
		return 0
	}
	one.drain(now)
	if one.spent <= contestBurst-1 {
		return 0
	}
	return max(time.Duration((one.spent-(contestBurst-1))*float64(contestEvery)), time.Millisecond)
}

// note counts that a child was restored, and reports whether that is to be told.
func (c *contests) note(child uint64, now time.Time) (tell bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.byChild == nil {
		c.byChild = map[uint64]*contest{}
	}
	one := c.byChild[child]
	if one == nil {
		one = &contest{at: now}
		c.byChild[child] = one
	}
	one.drain(now)
	one.spent++
	if one.spent <= contestBurst-1 || !one.told.IsZero() && now.Sub(one.told) < contestTold {
		return false
	}
	one.told = now
	return true
}

// retain forgets the contests about what is no longer wanted of a parent.
func (c *contests) retain(m *applied, parent *object.Object, wanted []desired) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.byChild) == 0 {
		return
	}
	var now []uint64
	for i := range wanted {
		child := m.child(wanted[i].kind.Served, cache.ObjectName{Namespace: wanted[i].namespace, Name: wanted[i].name})
		if c.byChild[child] != nil {
			now = append(now, child)
		}
	}
	key := parent.Key()
	for _, child := range c.of[key] {
		if !slices.Contains(now, child) {
			delete(c.byChild, child)
		}
	}
	if c.of == nil {
		c.of = map[cache.ObjectName][]uint64{}
	}
	if c.of[key] = now; len(now) == 0 {
		delete(c.of, key)
	}
}

// forgetParent forgets the contests about the children of a parent that has gone.
func (c *contests) forgetParent(parent cache.ObjectName) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, child := range c.of[parent] {
		delete(c.byChild, child)
	}
	delete(c.of, parent)
}

// contestedError says that a child is left to another writer for a while.
type contestedError struct{ child string }

// Error implements error.
func (e *contestedError) Error() string {
	return e.child + " is changed back by another writer again and again; it is applied less often"
}

// restored reports whether an apply changed a child back to what the one before had made of it. What others change besides, such as an
// annotation that counts, is not contested: the apply found nothing to do then, though the child has a newer version than the cache.
func (r *reconciler) restored(known, now *object.Object, before uint64) bool {
	switch {
	case known == nil:
		return false
	case now.Generation() != 0 && now.Generation() != known.Generation():
		return true
	case now.Generation() == 0 && now.IsMetadataOnly():
		return true // only its version is known, and that is another one
	}
	return r.memory.content(now) == before
}

// reportContest tells of a contested child, with the other managers of its fields.
func (r *reconciler) reportContest(ctx context.Context, parent *object.Object, d *desired) {
	others := r.writer.otherManagers(ctx, d.kind.Served, cache.ObjectName{Namespace: d.namespace, Name: d.name})
	r.log.Warn("Child contested by another writer; backing off", "key", parent.Key().String(), "child", d.String(), "otherManagers", others, "every", contestEvery)
	message := fmt.Sprintf("%s is changed back by another writer; it is applied every %s only", d.String(), contestEvery)
	if len(others) > 0 {
		message += ". Other field managers: " + strings.Join(others, ", ")
	}
	r.handle.Record(r.handle.Kind.Reference(parent), corev1.EventTypeWarning, "ChildContested", message)
}

// otherManagers returns the field managers of an object besides this one, none if that cannot be found out: it is for people.
func (w *writer) otherManagers(ctx context.Context, kind Served, key cache.ObjectName) (others []string) {
	var found metav1.PartialObjectMetadata
	if err := w.client.Get().AbsPath(pathOf(kind, key)...).SetHeader("Accept", "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1").
		Timeout(requestTimeout).Do(ctx).Into(&found); err != nil {
		return nil
	}
	for _, m := range found.ManagedFields {
		if m.Manager != w.manager && m.Subresource == "" && !slices.Contains(others, m.Manager) {
			others = append(others, m.Manager)
		}
	}
	return others
}
