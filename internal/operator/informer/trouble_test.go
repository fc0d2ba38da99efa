// SPDX-License-Identifier: Apache-2.0

package informer

import (
	"errors"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/stretchr/testify/assert"

	"github.com/crdctl/crdctl/internal/operator/operatortest"
)

func TestFeedWaitsForACRDAndRecovers(t *testing.T) {
	missing := apierrors.NewNotFound(cronTabs.Resource.GroupResource(), "")
	synctest.Test(t, func(t *testing.T) {
		f := startFeed(t, cronTabs, false, fails(missing))
		within(time.Minute)
		f.log.Expect(t, "customresourcedefinition crontabs.stable.example.com is not installed yet; waiting for it")
		select {
		case <-f.Synced():
			t.Error("synced without a CRD")
		default:
		}

		f.path.Answer(nil, operatortest.CronTab("a", "1", 1), operatortest.CronTab("b", "1", 1))
		within(time.Second)
		f.changed.Expect(t, "installed", "+a", "+b")

		within(20 * time.Second)
		f.path.Answer(missing)
		within(2 * time.Second)
		f.changed.Expect(t, "gone", "-a", "-b")
		assert.Zero(t, f.Size(), "objects are stored without a CRD")

		within(10 * time.Minute)
		f.path.Answer(nil, operatortest.CronTab("a", "1", 1))
		within(time.Second)
		f.changed.Expect(t, "installed again", "+a")
		f.stop()
		f.log.Expect(t,
			"customresourcedefinition crontabs.stable.example.com is not installed yet; waiting for it",
			"customresourcedefinition crontabs.stable.example.com is installed",
			"customresourcedefinition crontabs.stable.example.com was deleted; waiting for it",
			"customresourcedefinition crontabs.stable.example.com is installed",
		)
	})
}

func TestFeedKeepsItsObjectsThroughAnOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := startFeed(t, cronTabs, false, has(operatortest.CronTab("changes", "1", 1), operatortest.CronTab("goes", "1", 1), operatortest.CronTab("stays", "1", 1)))
		within(time.Minute)
		f.changed.Expect(t, "begun", "+changes", "+goes", "+stays")

		f.path.Answer(syscall.ECONNREFUSED) // which the reflector would keep to itself
		within(10 * time.Minute)
		f.changed.Expect(t, "down")
		assert.Equal(t, 3, f.Size())
		assert.True(t, f.server.Down())

		f.path.Answer(nil, operatortest.CronTab("changes", "2", 1), operatortest.CronTab("new", "3", 1), operatortest.CronTab("stays", "1", 1))
		within(time.Second)
		f.changed.Expect(t, "back", "+new", "-goes", "changes 1>2")
		assert.False(t, f.server.Down(), "the API server is back and the informer did not notice")
		f.stop()
		said := f.log.Said()
		if len(said) != 2 || f.log.Count("API server does not answer; retrying err=") != 1 || said[1] != "API server answers again" {
			t.Errorf("%q", said)
		}
	})
}

// Neither a busy server nor a starting one is obeyed when it says how long to wait: see promptTransport.
func TestFeedIsPromptWhenTheServerIsBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := startFeed(t, cronTabs, false, fails(apierrors.NewServiceUnavailable("starting")))
		within(time.Minute)
		f.path.Answer(nil, operatortest.CronTab("a", "1", 1))
		within(time.Second)
		f.changed.Expect(t, "back", "+a")
		f.stop()
		f.log.Expect(t, "API server does not answer; retrying err=starting", "API server answers again")
	})
}

func TestFeedSaysARefusalOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := startFeed(t, cronTabs, false, fails(apierrors.NewForbidden(cronTabs.Resource.GroupResource(), "", errors.New("no"))))
		within(time.Minute)
		f.stop()
		assert.Equal(t, 1, f.log.Count("List failed; retrying err="), "%q", f.log.Said())
		assert.Len(t, f.log.Said(), 1, "%q", f.log.Said())
	})
}

// It answers, with what a proxy or a broken API server sends: that is no outage.
func TestFeedSaysOnceThatItCannotReadAnAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := startFeed(t, cronTabs, false, has("<html>"))
		within(time.Minute)
		if said := f.log.Said(); len(said) != 1 || f.server.Down() ||
			f.log.Count("Invalid list from the API server; retrying err=cannot read what the API server sent: list crontabs.stable.example.com: ") != 1 {
			t.Errorf("down: %v, %q", f.server.Down(), said)
		}
		f.path.Answer(nil, operatortest.CronTab("a", "1", 1))
		within(time.Second)
		f.changed.Expect(t, "readable", "+a")
		f.stop()
	})
}
