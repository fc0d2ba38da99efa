// SPDX-License-Identifier: Apache-2.0

package pipeline

import (
	"sync"
	"time"

	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"

	"github.com/crdctl/crdctl/internal/operator/object"
	"github.com/crdctl/crdctl/internal/trace"
)

// proof is why the causes of a reconcile are certain.
const proof = "queued by this process, and taken by the reconcile's get"

// mostCauses bounds the causes of one reconcile that are listed.
const mostCauses = 32

type (
	key     = cache.ObjectName
	queue   = workqueue.TypedRateLimitingInterface[key]
	limiter = workqueue.TypedRateLimiter[key]
	config  = workqueue.TypedRateLimitingQueueConfig[key]
)

// Queue knows for each key of a work queue what it was added for since a worker got it last: the set of causes of the next reconcile.
//
// A work queue merges adds of one key, so the set is right only if each add is put before or after the get as the work queue itself has
// it. Get runs without a lock of this package, since it waits: the work queue calls Pop under its own lock. An add and a done exclude one
// another. So an add that is under way while its key is popped comes after the pop: were it before, the work queue would have called Push
// or Touch for it, or the key would have been with a worker, whose done waits for the add to end.
type Queue struct {
	workqueue.TypedInterface[key] // the work queue itself, without timers
	trace                         *Trace
	controller                    string
	limiter                       limiter
	timed                         queue // the work queue with timers: those who use it call this package back

	order sync.Mutex // held by an add or a done

	mu     sync.Mutex  // held for the moment that the fields below take
	adding *key        // whose add is under way and was not seen by the work queue
	cause  trace.Cause // of that add
	merged bool        // it met with one that was there
	sets   map[key]*set
	got    map[key]*set
	timers map[key]timer
}

// set are the causes of a reconcile.
type set struct {
	first int64 // when the first one came
	all   []trace.Cause
	more  int
}

// timer is the next one of a key: the work queue has one at a time.
type timer struct {
	at    time.Time
	cause trace.Cause
}

// Queue makes a work queue; the second result is nil where nothing is recorded.
func (t *Trace) Queue(controller string, limiter limiter, c config) (queue, *Queue) {
	if t == nil {
		return workqueue.NewTypedRateLimitingQueueWithConfig(limiter, c), nil
	}
	q := &Queue{trace: t, controller: controller, limiter: limiter, sets: map[key]*set{}, got: map[key]*set{}, timers: map[key]timer{}}
	q.TypedInterface = workqueue.NewTypedWithConfig(workqueue.TypedQueueConfig[key]{
		Name: c.Name, MetricsProvider: c.MetricsProvider, Queue: &popped{Queue: workqueue.DefaultQueue[key](), of: q},
	})
	c.DelayingQueue = workqueue.NewTypedDelayingQueueWithConfig(workqueue.TypedDelayingQueueConfig[key]{
		Name: c.Name, MetricsProvider: c.MetricsProvider, Queue: q,
	})
	q.timed = workqueue.NewTypedRateLimitingQueueWithConfig(limiter, c)
	return q.timed, q
}

// popped is the order of the work queue's keys. The work queue calls it under its lock.
type popped struct {
	workqueue.Queue[key]
	of *Queue
}

func (p *popped) Push(k key) {
	p.of.landed(k)
	p.Queue.Push(k)
}

func (p *popped) Touch(k key) {
	p.of.landed(k)
	p.Queue.Touch(k)
}

func (p *popped) Pop() key {
	k := p.Queue.Pop()
	p.of.mu.Lock()
	defer p.of.mu.Unlock()
	p.of.got[k] = p.of.sets[k]
	delete(p.of.sets, k)
	return k
}

// landed has the add that is under way count, if it is one of this key.
func (q *Queue) landed(k key) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.adding != nil && *q.adding == k {
		q.count(k)
	}
}

// count puts the cause of the add that is under way into the set. The lock is held.
func (q *Queue) count(k key) {
	q.adding = nil
	s := q.sets[k]
	q.merged = s != nil
	if s == nil {
		s = &set{first: q.cause.At}
		q.sets[k] = s
	}
	if len(s.all) == mostCauses {
		s.more++
		return
	}
	s.all = append(s.all, q.cause)
}

// add queues a key, with its cause.
func (q *Queue) add(k key, cause trace.Cause) {
	cause.At, cause.Certainty, cause.Proof = q.trace.sink.Now(), trace.Certain, proof
	q.order.Lock()
	q.mu.Lock()
	q.adding, q.cause = &k, cause
	q.mu.Unlock()
	q.TypedInterface.Add(k)
	q.mu.Lock()
	if q.adding != nil {
		q.count(k) // the key is with a worker
	}
	merged := q.merged
	q.mu.Unlock()
	q.order.Unlock()
	q.trace.sink.Add(&trace.Queue{
		Controller: q.controller, Key: text(k), Op: "add", Why: cause.Why, Object: cause.Object, RV: cause.RV, Merged: merged, Depth: q.Len(),
	})
}

// AddFor queues a key because of the version of an object, which may be nil.
func (q *Queue) AddFor(k key, why string, o *object.Object) {
	cause := trace.Cause{Why: why}
	cause.Object, cause.RV = q.trace.object(o)
	q.add(k, cause)
}

// Add is what the work queue's timers call.
func (q *Queue) Add(k key) {
	cause := trace.Cause{Why: Timer}
	q.mu.Lock()
	if due, ok := q.timers[k]; ok && !due.at.After(time.Now()) {
		cause = due.cause
		delete(q.timers, k)
	}
	q.mu.Unlock()
	q.add(k, cause)
}

// AddAfter queues a key after a time.
func (q *Queue) AddAfter(k key, why string, after time.Duration) { q.later(k, "after", why, after) }

// AddRateLimited queues a key after its back-off.
func (q *Queue) AddRateLimited(k key) { q.later(k, "rateLimited", Retry, q.limiter.When(k)) }

func (q *Queue) later(k key, op, why string, after time.Duration) {
	at := time.Now().Add(after)
	q.mu.Lock()
	if earlier, ok := q.timers[k]; !ok || at.Before(earlier.at) {
		q.timers[k] = timer{at: at, cause: trace.Cause{Why: why}}
	}
	q.mu.Unlock()
	q.trace.sink.Add(&trace.Queue{
		Controller: q.controller, Key: text(k), Op: op, Why: why, Delay: int64(after), Tries: q.limiter.NumRequeues(k),
	})
	q.timed.AddAfter(k, after)
}

// Done is what the worker calls that has the key.
func (q *Queue) Done(k key) {
	q.order.Lock()
	defer q.order.Unlock()
	q.TypedInterface.Done(k)
}

// Begin records that a worker begins to reconcile the key that it got, with its object, if there is one.
func (q *Queue) Begin(k key, o *object.Object) *Reconcile {
	if q == nil {
		return nil
	}
	s := q.take(k)
	r := &Reconcile{trace: q.trace, controller: q.controller, id: q.trace.id(), key: text(k), began: q.trace.sink.Now()}
	r.object, _ = q.trace.object(o)
	if r.object == 0 && len(s.all) > 0 && s.all[0].Why == Own {
		r.object = s.all[0].Object // it is gone, and the queue knows which one it was
	}
	begin := r.record("begin")
	begin.Causes, begin.More, begin.Depth = s.all, s.more, q.Len()
	if s.first != 0 {
		begin.Waited = r.began - s.first
	}
	q.trace.sink.AddAt(r.began, begin)
	return r
}

// Drop records that a worker got a key that is not reconciled, and why.
func (q *Queue) Drop(k key, why string) {
	if q == nil {
		return
	}
	q.take(k)
	q.trace.sink.Add(&trace.Queue{Controller: q.controller, Key: text(k), Op: "forget", Why: why})
}

func (q *Queue) take(k key) *set {
	q.mu.Lock()
	defer q.mu.Unlock()
	s := q.got[k]
	delete(q.got, k)
	if s == nil {
		s = &set{}
	}
	return s
}
