// SPDX-License-Identifier: Apache-2.0

package composite

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/time/rate"
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

// contest is about one such child: it is restored as often as the limiter lets it.
type contest struct {
	*rate.Limiter
	told time.Time
}

// wait returns how long a child is left to the other writer; 0 for one that is not contested.
func (m *applied) wait(child uint64, now time.Time) time.Duration {
	m.mu.Lock()
	defer m.mu.Unlock()
	one := m.contests[child]
	if one == nil || one.TokensAt(now) >= 1 {
		return 0
	}
	return max(time.Duration((1-one.TokensAt(now))*float64(contestEvery)), time.Millisecond)
}

// noteRestored counts that a child was restored, and reports whether that is to be told.
func (m *applied) noteRestored(child uint64, now time.Time) (tell bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	one := m.contests[child]
	if one == nil {
		one = &contest{Limiter: rate.NewLimiter(rate.Every(contestEvery), contestBurst)}
		m.contests[child] = one
	}
	if one.AllowN(now, 1); one.TokensAt(now) >= 1 || !one.told.IsZero() && now.Sub(one.told) < contestTold {
		return false
	}
	one.told = now
	return true
}

// contestedError says that a child is left to another writer for a while.
type contestedError struct{ child string }

func (e *contestedError) Error() string {
	return e.child + " is repeatedly reverted by another writer; it is applied less often"
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
	others := r.writer.otherManagers(ctx, d.kind.Served, d.key)
	r.log.Warn("Child contested by another writer; backing off", "key", parent.Key().String(), "child", d.String(), "otherManagers", others, "every", contestEvery)
	message := fmt.Sprintf("%s is reverted by another writer; it is applied only every %s", d.String(), contestEvery)
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
