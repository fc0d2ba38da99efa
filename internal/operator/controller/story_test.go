// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/crdctl/crdctl/internal/operator/operatortest"
	"github.com/crdctl/crdctl/internal/operator/pipeline"
)

func TestStoryOfAnObject(t *testing.T) {
	const deletion = `"finalizers":["example.com/keep"],"deletionTimestamp":"2026-11-21T00:00:00Z"`
	synctest.Test(t, func(t *testing.T) {
		r := start(t, nil, nil)
		for _, step := range [][2]string{
			{"ADDED", operatortest.CronTab(demo.Name, "1", 2)},
			{"MODIFIED", operatortest.CronTab(demo.Name, "2", 5)},
			{"MODIFIED", operatortest.CronTab(demo.Name, "3", 5)},
			{"MODIFIED", operatortest.CronTab(demo.Name, "4", 5, deletion)},
			{"DELETED", operatortest.CronTab(demo.Name, "5", 5, deletion)},
			{"ADDED", strings.Replace(operatortest.CronTab(demo.Name, "6", 5), "uid-", "another-", 1)},
			{"ADDED", strings.Replace(operatortest.CronTab(demo.Name, "7", 5), "uid-", "a-third-", 1)}, // its deletion went unseen
		} {
			r.path.Send(step[0], step[1])
			within(time.Second)
		}
		r.end(t)
		const kind, about = " kind=CronTab", " kind=CronTab key=default/crontab-demo"
		const done = "Successfully synced" + about
		const two, five = ` spec={"cronSpec":"* * * * */5","replicas":2}`, ` spec={"cronSpec":"* * * * */5","replicas":5}`
		r.log.Expect(t,
			"Event handlers set up"+kind, "Starting control loop"+kind, "Waiting for caches to sync"+kind, "Caches synced"+kind+" objects=0", "Started workers"+kind+" count=2",
			"Object added"+about+" resourceVersion=1"+two, done,
			"Spec changed"+about+" resourceVersion=2"+five, done,
			"Object changed"+about+" resourceVersion=3", done,
			"Deletion requested"+about+" resourceVersion=4 finalizers=[example.com/keep]", done,
			"Key is gone from the cache"+about, "Deletion handled"+about, done,
			"Object added"+about+" resourceVersion=6"+five, done,
			"Object added"+about+" resourceVersion=7"+five, done,
			"Shutting down workers"+kind, "Control loop stopped"+kind,
		)
		assert.Equal(t, 6, r.synced(), "events")
	})
}

// What was told is not told again when its key is queued again: its content is not even in memory any more.
func TestTheLogReconcilerGivesMemoryBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, nil, nil, one("a")...)
		within(time.Second)
		l := r.state.(*loop)
		if o := l.controllers[0].feeds[0].Get(keyOf("a")); o == nil || !o.IsMetadataOnly() {
			t.Errorf("%+v", o)
		}
		r.state.EnqueueAll(pipeline.Hook, nil)
		within(time.Second)
		r.end(t)
		if r.log.Count("Object ") != 1 || r.synced() != 1 || r.log.Count("Reconcile failed") != 0 {
			t.Errorf("%d events, log %q", r.synced(), r.log.Said())
		}
	})
}
