// SPDX-License-Identifier: Apache-2.0

package shard

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// Labels of the Leases: one list finds all of them, and nothing else.
const (
	labelLoop   = "crdctl.dev/loop"        // the name of the loop, or its hash if that is too long
	labelMember = "crdctl.dev/loop-member" // on a replica's own Lease: how it cuts keys
	maxLabel    = 63
)

func (s *Shards) labels() map[string]string {
	name := s.o.Name
	if len(name) > maxLabel {
		name = short(name)
	}
	return map[string]string{labelLoop: name}
}

// read lists the Leases of this loop by name. With one shard there is only one, and the right to get that one is enough.
func (s *Shards) read() (map[string]*coordinationv1.Lease, error) {
	ctx, cancel := s.requestContext()
	defer cancel()
	found := map[string]*coordinationv1.Lease{}
	if s.o.Shards > 1 {
		list, err := s.client.List(ctx, metav1.ListOptions{LabelSelector: labels.SelectorFromSet(s.labels()).String()})
		if err != nil {
			return nil, fmt.Errorf("list the leases of %s/%s: %w", s.o.Namespace, s.o.Name, err)
		}
		for i := range list.Items {
			found[list.Items[i].Name] = &list.Items[i]
		}
	}
	if found[s.o.Name] != nil {
		return found, nil
	}
	// With several shards it may be another program's leader that holds it, and that knows no labels of ours.
	lease, err := s.client.Get(ctx, s.o.Name, metav1.GetOptions{})
	switch {
	case err == nil:
		found[lease.Name] = lease
	case !apierrors.IsNotFound(err):
		return nil, fmt.Errorf("get lease %s/%s: %w", s.o.Namespace, s.o.Name, err)
	}
	return found, nil
}

// take writes holder into a Lease as it was last seen, and makes it if there is none. The time is that before the request.
// That another replica was first is not an error: the next list will tell.
func (s *Shards) take(l *observed, holder string, extra map[string]string) (sent time.Time, taken bool, err error) {
	ctx, cancel := s.requestContext()
	defer cancel()
	lease := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: l.name, Namespace: s.o.Namespace}}
	if l.object != nil {
		lease = l.object.DeepCopy()
	}
	if lease.Labels == nil {
		lease.Labels = map[string]string{}
	}
	maps.Copy(lease.Labels, s.labels())
	maps.Copy(lease.Labels, extra)
	now := metav1.NowMicro()
	if l.holder() != holder {
		transitions := int32(0)
		if lease.Spec.LeaseTransitions != nil {
			transitions = *lease.Spec.LeaseTransitions + 1
		}
		lease.Spec.LeaseTransitions, lease.Spec.AcquireTime = &transitions, &now
	}
	seconds := int32((s.o.LeaseDuration + time.Second - 1) / time.Second)
	lease.Spec.HolderIdentity, lease.Spec.RenewTime, lease.Spec.LeaseDurationSeconds = &holder, &now, &seconds
	sent = time.Now()
	if l.object == nil {
		lease, err = s.client.Create(ctx, lease, metav1.CreateOptions{})
	} else {
		lease, err = s.client.Update(ctx, lease, metav1.UpdateOptions{})
	}
	if mayHaveHappened(err) {
		s.wrote.Store(true)
	}
	return s.answered(l, lease, sent, "take", err)
}

// release leaves a Lease without a holder, so that any replica can take it at once.
func (s *Shards) release(l *observed) (released bool, err error) {
	ctx, cancel := s.requestContext()
	defer cancel()
	lease := l.object.DeepCopy()
	lease.Spec.HolderIdentity, lease.Spec.RenewTime = nil, nil
	lease, err = s.client.Update(ctx, lease, metav1.UpdateOptions{})
	_, released, err = s.answered(l, lease, time.Time{}, "release", err)
	return released, err
}

// mayHaveHappened tells that a request can have done what it was to do: it was neither refused nor left unanswered by a server that was not reached.
func mayHaveHappened(err error) bool {
	var dial *net.OpError
	if errors.As(err, &dial) && dial.Op == "dial" {
		return false
	}
	var status apierrors.APIStatus
	return !errors.As(err, &status) || status.Status().Code >= http.StatusInternalServerError
}

func (s *Shards) answered(l *observed, lease *coordinationv1.Lease, sent time.Time, verb string, err error) (time.Time, bool, error) {
	if apierrors.IsConflict(err) || apierrors.IsAlreadyExists(err) || apierrors.IsNotFound(err) {
		return sent, false, nil
	}
	if err != nil {
		return sent, false, fmt.Errorf("%s lease %s/%s: %w", verb, s.o.Namespace, l.name, err)
	}
	l.see(lease)
	return sent, true, nil
}

// requestContext does not end with Run's context: what is held is renewed while it drains, and then released.
func (s *Shards) requestContext() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), s.o.requestTimeout())
}
