// SPDX-License-Identifier: Apache-2.0

package shard

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/util/uuid"
	coordinationv1client "k8s.io/client-go/kubernetes/typed/coordination/v1"
)

// ErrLost is the cause of the end of a context that Begin returned, when its shard could not be kept.
var ErrLost = errors.New("the lease of this key's shard could not be renewed in time")

// Shards is this replica's part of the keys.
type Shards struct {
	o        Options
	identity string
	client   coordinationv1client.LeaseInterface
	member   *observed            // this replica's own Lease
	others   map[string]*observed // the other replicas' Leases, by name
	over     context.Context      // has ended: what Begin returns when it refuses
	wake     chan struct{}        // something was drained
	calls    sync.WaitGroup       // of Gained
	wall     func() time.Time     // the clock that people set
	wrote    atomic.Bool          // a Lease may have been written
	paused   func()               // tests only: stands for a process that is stopped; nil otherwise

	mu     sync.Mutex
	shards []*shard
	layout *shardConfig // nil with one shard
	good   time.Time
	bad    error
}

// shard is one shard and its Lease.
type shard struct {
	observed
	index int

	// guarded by Shards.mu
	until    time.Time // relied on until then, if there is a term
	term     *lease    // nil: not held
	draining bool
	begun    int // and not done, those of earlier terms included
}

// New does not touch the Leases before Run.
func New(o Options) *Shards {
	o.LeaseDuration, o.Log = cmp.Or(o.LeaseDuration, DefaultLeaseDuration), cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	s := &Shards{o: o, client: o.Client.Leases(o.Namespace), others: map[string]*observed{}, wake: make(chan struct{}, 1), wall: wallClock,
		identity: o.Identity + "_" + string(uuid.NewUUID()), bad: errors.New("not known yet")}
	s.member = &observed{name: o.Name + "-member-" + short(s.identity)}
	over, cancel := context.WithCancelCause(context.Background())
	cancel(ErrLost)
	s.over = over
	if o.Shards == 1 {
		s.shards = []*shard{{observed: observed{name: o.Name}}}
		return s
	}
	s.layout = &shardConfig{observed: observed{name: o.Name}, holder: fmt.Sprintf("%d shards by %s", o.Shards, o.By)}
	for i := range o.Shards {
		s.shards = append(s.shards, &shard{index: i, observed: observed{name: fmt.Sprintf("%s-shard-%d", o.Name, i)}})
	}
	return s
}

// Begin reports whether this replica may work on a key, now. If so, the context ends at once when it no longer may, and done
// must be called when the work has ended: the shard is not given to others before. Otherwise the key is to be dropped: who
// holds its shard has it too, and Gained tells when that changes. The context does not end with Run's: at the end what was
// begun is waited for.
func (s *Shards) Begin(namespace, name string) (ctx context.Context, done func(), ok bool) {
	sh := s.shards[s.Of(namespace, name)]
	s.mu.Lock()
	defer s.mu.Unlock()
	s.expire(sh)
	if sh.term == nil || sh.draining {
		return s.over, func() {}, false
	}
	sh.begun++
	return sh.term, sync.OnceFunc(func() { s.done(sh) }), true
}

func (s *Shards) done(sh *shard) {
	s.mu.Lock()
	defer s.mu.Unlock()
	sh.begun--
	if sh.begun == 0 && (sh.draining || sh.term == nil) {
		s.wakeUp()
	}
}

func (s *Shards) wakeUp() {
	select {
	case s.wake <- struct{}{}:
	default: // it will look anyway
	}
}

// Held are the shards that may be relied on at this moment, those that drain included.
func (s *Shards) Held() []int {
	s.mu.Lock()
	defer s.mu.Unlock()
	var held []int
	for i, sh := range s.shards {
		s.expire(sh)
		if sh.term != nil {
			held = append(held, i)
		}
	}
	return held
}

// Leases says of the Lease of each shard, by name, whether it is held: what client-go's leader election has as a metric.
func (s *Shards) Leases() map[string]bool {
	held := make(map[string]bool, len(s.shards))
	for _, sh := range s.shards {
		held[sh.name] = false
	}
	for _, i := range s.Held() {
		held[s.shards[i].name] = true
	}
	return held
}

// Ready is nil while the Leases can be read and written, also for a replica that holds none: it is ready to take over.
func (s *Shards) Ready() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.bad == nil || !s.good.IsZero() && time.Since(s.good) < s.o.renewDeadline() {
		return nil
	}
	return fmt.Errorf("the leases of %s/%s: %w", s.o.Namespace, s.o.Name, s.bad)
}
