// SPDX-License-Identifier: Apache-2.0

package pipeline

import (
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/client-go/util/workqueue"

	"github.com/stretchr/testify/assert"

	"github.com/crdctl/crdctl/internal/operator/object"
	"github.com/crdctl/crdctl/internal/operator/operatortest"
	"github.com/crdctl/crdctl/internal/trace"
)

func newQueue(t *Trace) (queue, *Queue) {
	return t.Queue("foos.example.com", workqueue.NewTypedItemExponentialFailureRateLimiter[key](time.Second, time.Minute), config{})
}

var demo = key{Namespace: "default", Name: "demo"}

func version(t testing.TB, rv int) *object.Object {
	o, err := object.Decode([]byte(`{"metadata":{"name":"demo","namespace":"default","uid":"u","resourceVersion":"`+strconv.Itoa(rv)+`"}}`),
		&object.Form{APIVersion: "example.com/v1", Kind: "Foo"})
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// reconcile gets a key, and returns what its reconcile began with.
func reconcile(q queue, recorded *Queue, records *operatortest.Records) *trace.Reconcile {
	k, _ := q.Get()
	recorded.Begin(k, nil).End(OK, 0, nil)
	q.Done(k)
	all := operatortest.RecordsOf[*trace.Reconcile](records)
	return all[len(all)-2]
}

func reasons(r *trace.Reconcile) (all []string) {
	for _, c := range r.Causes {
		reason := c.Why
		if c.RV != 0 {
			reason += " " + strconv.FormatUint(c.RV, 10)
		}
		all = append(all, reason)
	}
	return all
}

// What is added while a key is with a worker is of the next reconcile, and what a timer adds is of the one after it fired.
func TestCausesAreThoseSinceTheLastGet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		records := operatortest.NewRecords()
		q, recorded := newQueue(New(records, ""))
		defer q.ShutDown()
		recorded.AddFor(demo, Own, version(t, 1))
		time.Sleep(time.Second)
		recorded.AddFor(demo, Child, version(t, 2))
		recorded.AddAfter(demo, Resync, time.Minute)
		k, _ := q.Get()
		recorded.AddFor(demo, Hook, nil)
		recorded.AddFor(demo, Own, version(t, 3))
		recorded.Begin(k, version(t, 2)).End(OK, 0, nil)
		q.Done(k)
		begun := operatortest.RecordsOf[*trace.Reconcile](records)[0]
		assert.Equal(t, []string{"own 1", "child 2"}, reasons(begun))
		assert.Equal(t, time.Second, time.Duration(begun.Waited))
		assert.Equal(t, trace.Certain, begun.Causes[0].Certainty)
		assert.Equal(t, []string{"hook", "own 3"}, reasons(reconcile(q, recorded, records)))
		time.Sleep(2 * time.Minute)
		assert.Equal(t, []string{"resync"}, reasons(reconcile(q, recorded, records)))

		recorded.AddRateLimited(demo)
		recorded.AddAfter(demo, Timer, time.Hour) // the queue has one timer for a key
		time.Sleep(time.Minute)
		assert.Equal(t, []string{"retry"}, reasons(reconcile(q, recorded, records)))
		queued := operatortest.RecordsOf[*trace.Queue](records)
		assert.Equal(t, []string{"add own", "add child merged", "after resync 1m0s", "add hook", "add own merged", "add resync", "rateLimited retry 1s", "after timer 1h0m0s", "add retry"}, texts(queued))
		time.Sleep(2 * time.Hour)
		synctest.Wait()
		assert.Zero(t, q.Len(), "the later timer fired")
	})
}

func texts(all []*trace.Queue) (texts []string) {
	for _, r := range all {
		text := r.Op + " " + r.Why
		if r.Merged {
			text += " merged"
		}
		if r.Delay != 0 {
			text += " " + time.Duration(r.Delay).String()
		}
		texts = append(texts, text)
	}
	return texts
}

// Each get has a cause, and each cause is in one set: whatever comes at the same time.
func TestEachCauseLeadsToOneReconcile(t *testing.T) {
	records := operatortest.NewRecords()
	q, recorded := newQueue(New(records, ""))
	const writers, adds = 4, 2000
	var writing, working sync.WaitGroup
	for w := range writers {
		writing.Go(func() {
			for i := range adds {
				recorded.AddFor(demo, Own, version(t, 1+w*adds+i))
			}
		})
	}
	for range 2 {
		working.Go(func() {
			for {
				k, shutdown := q.Get()
				if shutdown {
					return
				}
				recorded.Begin(k, nil)
				q.Done(k)
			}
		})
	}
	writing.Wait()
	q.ShutDown() // what is in the queue is still got
	working.Wait()
	listed, total := map[uint64]int{}, 0
	for _, r := range operatortest.RecordsOf[*trace.Reconcile](records) {
		assert.NotEmpty(t, r.Causes, "a reconcile without a cause")
		total += len(r.Causes) + r.More
		for _, c := range r.Causes {
			listed[c.RV]++
		}
	}
	assert.Equal(t, writers*adds, total, "causes")
	for rv, n := range listed {
		assert.Equal(t, 1, n, "causes of version %d", rv)
	}
}

// Without a sink there is nothing to pay.
func TestNothingIsAllocatedWithoutASink(t *testing.T) {
	none := New(nil, trace.BodiesAll)
	q, recorded := newQueue(none)
	defer q.ShutDown()
	o, ctx := version(t, 1), t.Context()
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		none.Skip(o, "same version")
		r := recorded.Begin(demo, o)
		r = From(With(ctx, r))
		r.Decided("Deployment", demo, o, "none", "same as last applied")
		r.DecidedSelf("status", "none", "same as it is")
		r.Call("sync").End(nil, nil, nil)
		r.End(OK, 0, nil)
		recorded.Drop(demo, "it is another replica's")
	}))
}
