// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/client-go/tools/cache"

	"github.com/stretchr/testify/assert"

	"github.com/crdctl/crdctl/internal/operator/informer"
	"github.com/crdctl/crdctl/internal/operator/object"
	"github.com/crdctl/crdctl/internal/operator/operatortest"
	"github.com/crdctl/crdctl/internal/operator/pipeline"
)

func TestFollowedKindsAreSharedAndWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		told, done := &operatortest.Names{}, &operatortest.Names{}
		feeds := map[*informer.Informer]bool{}
		r := start(t, func(h Handle) (Reconciler, error) {
			children := pods
			children.Owned = func(object.Owner) bool { return true }
			for _, f := range h.Follow(children, func(_, after *object.Object) {
				told.Add(h.Kind.Kind + " " + after.Name())
				h.Enqueue(cache.ObjectName{Namespace: after.Namespace(), Name: after.OwnerName()}, pipeline.Child, after)
			}) {
				feeds[f] = true
			}
			return by(func(r Request) error { done.Add(r.Kind.Kind + " " + r.Key.Name); return nil })(h)
		}, func(o *Options) {
			second := cronTab
			second.Resource.Resource, second.Kind = "seconds", "Second"
			o.Kinds = append(o.Kinds, second)
		}, one("a")...)
		r.api.At("/apis/stable.example.com/v1beta1/seconds")
		within(time.Minute)
		done.Expect(t, "pods are not known yet")
		r.expectReady(t, "pods are not known yet")
		child := strings.Replace(operatortest.CronTab("p1", "1", 1, operatortest.OwnedBy("a")), "uid-p1", "uid-p", 1)
		stranger := strings.Replace(operatortest.CronTab("p2", "1", 1, operatortest.OwnedBy("a")), `"kind":"CronTab","name":"a"`, `"kind":"Other","name":"a"`, 1)
		otherGroup := strings.Replace(operatortest.CronTab("p3", "1", 1, operatortest.OwnedBy("a")), `[{"apiVersion":"stable.example.com/v1beta1"`, `[{"apiVersion":"unstable.example.com/v1beta1"`, 1)
		oldVersion := strings.Replace(operatortest.CronTab("p4", "1", 1, operatortest.OwnedBy("b")), `[{"apiVersion":"stable.example.com/v1beta1"`, `[{"apiVersion":"stable.example.com/v1alpha1"`, 1)
		r.api.At(podsPath).Answer(nil, child, stranger, otherGroup, oldVersion)
		within(time.Minute)
		told.Expect(t, "pods are known", "CronTab p1", "CronTab p4", "Second p1", "Second p4")
		done.Expect(t, "pods are known", "CronTab a", "CronTab b", "Second a", "Second b")
		assert.Len(t, feeds, 1)
		assert.Equal(t, 2, r.state.Sizes()["pods"])
		var f *informer.Informer
		for f = range feeds {
			if owned := f.OwnedBy("uid-a"); len(owned) != 1 || owned[0].Name() != "p1" {
				t.Errorf("%v", owned)
			}
		}
		r.end(t)
		lists := 0
		for _, request := range r.api.At(podsPath).Requests() {
			if !request.Watch() && request.Query.Get("resourceVersion") == "0" {
				lists++
			}
		}
		assert.Equal(t, 1, len(r.api.At(podsPath).Requests())-lists, "watches of one source")
	})
}

func TestWhatIsFollowedLaterIsNotWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		done := &operatortest.Names{}
		r := start(t, func(h Handle) (Reconciler, error) {
			return by(func(r Request) error {
				h.Follow(pods, func(_, _ *object.Object) {})
				done.Add(r.Key.Name)
				return nil
			})(h)
		}, nil, one("a")...)
		within(time.Minute)
		done.Expect(t, "pods are not known", "a")
		_, followed := r.state.Sizes()["pods"]
		if err := r.state.Ready(); err != nil || !followed {
			t.Errorf("followed %v: %v", followed, err)
		}
		r.end(t)
	})
}
