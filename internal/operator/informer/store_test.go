// SPDX-License-Identifier: Apache-2.0

package informer

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"unsafe"

	"k8s.io/apimachinery/pkg/types"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/operator/object"
	"github.com/crdctl/crdctl/internal/operator/operatortest"
)

func decode(t *testing.T, text string) *object.Object {
	t.Helper()
	o, err := object.Decode([]byte(text), &object.Form{APIVersion: "stable.example.com/v1beta1", Kind: "CronTab"})
	require.NoError(t, err)
	return o
}

func names(objects []*object.Object) string {
	var list []string
	for _, o := range objects {
		list = append(list, o.Name())
	}
	slices.Sort(list)
	return strings.Join(list, " ")
}

func TestOwnedByFollowsAdoption(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := startFeed(t, cronTabs, true, has(operatortest.CronTab("a", "1", 1, operatortest.OwnedBy("x")), operatortest.CronTab("b", "1", 1), operatortest.CronTab("c", "1", 1, operatortest.OwnedBy("x"))))
		expect := func(when, x, y string) {
			t.Helper()
			synctest.Wait()
			if gotX, gotY := names(f.OwnedBy("uid-x")), names(f.OwnedBy("uid-y")); gotX != x || gotY != y {
				t.Errorf("%s: x owns %q, y owns %q; want %q and %q", when, gotX, gotY, x, y)
			}
		}
		expect("listed", "a c", "")
		f.path.Send("MODIFIED", operatortest.CronTab("b", "101", 1, operatortest.OwnedBy("x")))
		expect("b is adopted", "a b c", "")
		f.path.Send("MODIFIED", operatortest.CronTab("a", "102", 1))
		expect("a is let go", "b c", "")
		f.path.Send("MODIFIED", operatortest.CronTab("a", "103", 1, operatortest.OwnedBy("y")))
		expect("a is y's", "b c", "a")
		f.path.Send("MODIFIED", operatortest.CronTab("b", "104", 1, operatortest.OwnedBy("y")))
		expect("b changes hands", "c", "a b")
		f.path.Send("MODIFIED", operatortest.CronTab("c", "105", 2, operatortest.OwnedBy("x")))
		expect("c changes otherwise", "c", "a b")
		f.Evict(f.Get(key("c")))
		expect("c is settled", "c", "a b")
		f.path.Send("DELETED", operatortest.CronTab("a", "106", 1, operatortest.OwnedBy("y")))
		f.path.Send("DELETED", operatortest.CronTab("c", "107", 1, operatortest.OwnedBy("x")))
		expect("a and c are deleted", "", "b")
		f.path.Send("DELETED", operatortest.CronTab("b", "108", 1, operatortest.OwnedBy("y")))
		expect("b is deleted", "", "")
		assert.Empty(t, f.store.owned, "the index keeps")
		f.stop()
	})
}

// Objects whose owner was not asked for are neither kept nor told of, and leave when they change hands.
func TestOwnedLeavesOthersOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source := cronTabs
		source.Owned = func(o object.Owner) bool { return o.Name == "x" }
		f := startFeed(t, source, true, has(operatortest.CronTab("a", "1", 1, operatortest.OwnedBy("x")), operatortest.CronTab("b", "1", 1), operatortest.CronTab("c", "1", 1, operatortest.OwnedBy("y"))))
		f.path.Send("ADDED", operatortest.CronTab("d", "101", 1, operatortest.OwnedBy("y")))
		f.path.Send("MODIFIED", operatortest.CronTab("b", "102", 1, operatortest.OwnedBy("x")))
		f.path.Send("MODIFIED", operatortest.CronTab("a", "103", 1))
		synctest.Wait()
		f.changed.Expect(t, "watched", "+a", "+b", "-a")
		assert.Equal(t, 1, f.Size(), "objects")
		f.stop()
	})
}

func TestHandleTellsWhatIsKnown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := startFeed(t, cronTabs, false, has(operatortest.CronTab("a", "1", 1), operatortest.CronTab("b", "1", 1)))
		f.changed.Expect(t, "the first handler", "+a", "+b")
		late := &operatortest.Names{}
		f.Handle(func(before, after *object.Object) { late.Add(change(before, after)) })
		late.Expect(t, "the second handler", "+a", "+b")
		f.path.Send("DELETED", operatortest.CronTab("a", "101", 1))
		synctest.Wait()
		f.changed.Expect(t, "the first handler", "-a")
		late.Expect(t, "the second handler", "-a")
		f.stop()
	})
}

func TestSettleGivesBackTheContentOfTheCurrentState(t *testing.T) {
	f := New(nil, cronTabs, false, nil, nil)
	first, second := decode(t, operatortest.CronTab("a", "1", 1)), decode(t, operatortest.CronTab("a", "2", 1))
	f.store.put(first)
	f.Evict(first)
	settled := f.Get(key("a"))
	require.True(t, settled.IsMetadataOnly(), "%+v", settled)
	require.True(t, settled.SameVersion(first), "%+v", settled)
	if f.Evict(settled); f.Get(key("a")) != settled {
		t.Error("what is bare was settled again")
	}
	f.store.put(second)
	if f.Evict(first); f.Get(key("a")) != second {
		t.Error("an old state was settled instead of a new one")
	}
	f.store.drop(key("a"))
	if f.Evict(second); f.Size() != 0 {
		t.Error("what is gone came back")
	}
}

// Whichever wins, the newest state is there in the end, and whole unless it was it that was settled.
func TestSettleAndChangesAtOnce(t *testing.T) {
	f := New(nil, cronTabs, true, nil, nil)
	const objects, versions = 20, 50
	states := map[string][]*object.Object{}
	for i := range objects {
		name := fmt.Sprint("o", i)
		for v := range versions {
			states[name] = append(states[name], decode(t, operatortest.CronTab(name, fmt.Sprint(v), 1, operatortest.OwnedBy("x"))))
		}
		f.store.put(states[name][0])
	}
	var all sync.WaitGroup
	for _, of := range states {
		all.Go(func() {
			for _, o := range of[1:] {
				f.store.put(o)
			}
		})
		all.Go(func() {
			for _, o := range of[:versions-1] { // never the last
				f.Evict(o)
			}
		})
	}
	all.Go(func() {
		for range versions {
			for _, o := range append(f.All(), f.OwnedBy("uid-x")...) {
				_ = f.Get(o.Key())
			}
		}
	})
	all.Wait()
	for name, of := range states {
		assert.Same(t, of[versions-1], f.Get(key(name)), name)
	}
	assert.Len(t, f.OwnedBy("uid-x"), objects, "are owned")
}

// The key of an index must not keep the text of an object that is gone.
func TestTheIndexKeepsNoObjectThatIsGone(t *testing.T) {
	s := newStore(true)
	var last *object.Object
	for i := range 3 {
		last = decode(t, operatortest.CronTab(fmt.Sprint("o", i), "1", 1, operatortest.OwnedBy("x")))
		s.put(last)
	}
	s.drop(last.Key())
	for uid := range s.owned {
		assert.True(t, slices.ContainsFunc(s.owned[uid], func(o *object.Object) bool { return data(o.Owner()) == data(uid) }), "%s is a part of an object that is gone", uid)
	}
}

func data(uid types.UID) *byte { return unsafe.StringData(string(uid)) }
