// SPDX-License-Identifier: Apache-2.0

package informer

import (
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/crdctl/crdctl/internal/operator/operatortest"
)

func TestFeedListsAndWatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := startFeed(t, cronTabs, false, has(operatortest.CronTab("a", "1", 1), operatortest.CronTab("b", "2", 1)))
		<-f.Synced()
		f.changed.Expect(t, "listed", "+a", "+b")
		f.path.Send("MODIFIED", operatortest.CronTab("a", "101", 5))
		f.path.Send("ADDED", operatortest.CronTab("c", "102", 1))
		f.path.Send("DELETED", operatortest.CronTab("b", "103", 1))
		f.path.Send("DELETED", operatortest.CronTab("never-known", "104", 1))
		f.path.Send("MODIFIED", operatortest.CronTab("a", "101", 5)) // the same version once more is no news
		f.path.Send("BOOKMARK", `{"metadata":{"resourceVersion":"200"}}`)
		synctest.Wait()
		f.changed.Expect(t, "watched", "+c", "-b", "a 1>101")
		if a := f.Get(key("a")); f.Size() != 2 || len(f.Keys()) != 2 || len(f.All()) != 2 || a.Spec() != `{"cronSpec":"* * * * */5","replicas":5}` || f.Get(key("b")) != nil {
			t.Errorf("%d objects, %v", f.Size(), a)
		}
		f.stop()
		f.log.Expect(t)
	})
}

func TestACutWatchGoesOnWhereItWas(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := startFeed(t, cronTabs, false, has(operatortest.CronTab("a", "1", 1)))
		f.changed.Expect(t, "listed", "+a")
		f.path.Send("MODIFIED", operatortest.CronTab("a", "150", 2))
		within(time.Minute)
		f.path.Cut()
		within(time.Minute)
		f.path.Send("MODIFIED", operatortest.CronTab("a", "160", 3))
		synctest.Wait()
		f.changed.Expect(t, "watched on", "a 150>160", "a 1>150")
		f.path.Send("BOOKMARK", `{"metadata":{"resourceVersion":"300"}}`)
		within(time.Minute)
		f.path.Cut()
		within(time.Minute)
		f.stop()
		var from []string
		for _, r := range f.path.Requests() {
			if r.Watch() {
				from = append(from, r.Query.Get("resourceVersion"))
			} else {
				from = append(from, "list")
			}
		}
		if len(from) != 4 || from[0] != "list" || from[1] != "100" || from[2] != "150" || from[3] != "300" {
			t.Errorf("requests: %q", from)
		}
		f.log.Expect(t)
	})
}

// An answer that is no watch at all ends like one that was cut, and does not stop the feed.
func TestAWatchOfRubbishGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := startFeed(t, cronTabs, false, has(operatortest.CronTab("a", "1", 1)))
		within(time.Minute)
		f.path.Send("ADDED", "<html>")
		within(time.Minute)
		f.path.Send("MODIFIED", operatortest.CronTab("a", "150", 2))
		synctest.Wait()
		f.changed.Expect(t, "watched on", "+a", "a 1>150")
		f.stop()
	})
}

func TestFeedListsAgainWhenItFellBehind(t *testing.T) {
	expired := apierrors.NewResourceExpired("too old resource version")
	for name, fall := range map[string]func(*testFeed){
		"the request is refused": func(f *testFeed) {
			f.path.Answer(expired)
			within(10 * time.Millisecond)
			f.path.Answer(nil, operatortest.CronTab("changed", "2", 1), operatortest.CronTab("new", "3", 1), operatortest.CronTab("same", "1", 1))
		},
		"an event of the watch": func(f *testFeed) {
			f.path.Send("ERROR", operatortest.Status(expired))
			f.path.Answer(nil, operatortest.CronTab("changed", "2", 1), operatortest.CronTab("new", "3", 1), operatortest.CronTab("same", "1", 1))
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := startFeed(t, cronTabs, false, has(operatortest.CronTab("changed", "1", 1), operatortest.CronTab("gone", "1", 1), operatortest.CronTab("same", "1", 1)))
				within(time.Minute)
				f.changed.Expect(t, "listed", "+changed", "+gone", "+same")
				fall(f)
				within(2 * time.Second)
				f.changed.Expect(t, "listed again", "+new", "-gone", "changed 1>2")
				f.stop()
				f.log.Expect(t)
			})
		})
	}
}
