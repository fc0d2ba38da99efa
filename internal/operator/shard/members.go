// SPDX-License-Identifier: Apache-2.0

package shard

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// longGone is after how many times LeaseDuration the Lease of a replica that is silent is removed.
const longGone = 10

// cut is the value of labelMember: only replicas that cut keys alike share them.
func (s *Shards) cut() string { return fmt.Sprintf("%d-%s", s.o.Shards, s.o.By) }

func (s *Shards) seeMembers(found map[string]*coordinationv1.Lease) {
	maps.DeleteFunc(s.others, func(name string, _ *observed) bool { return found[name] == nil })
	for name, lease := range found {
		switch {
		case lease.Labels[labelMember] == "":
		case name == s.member.name:
			s.member.see(lease)
		default:
			if s.others[name] == nil {
				s.others[name] = &observed{name: name}
			}
			s.others[name].see(lease)
		}
	}
	if found[s.member.name] == nil {
		s.member.object = nil
	}
}

// members are the names of all Leases of replicas that are alive, this one included, in order.
func (s *Shards) members() []string {
	names := []string{s.member.name}
	for name, other := range s.others {
		if other.object.Labels[labelMember] == s.cut() && !other.silent(s.o.LeaseDuration) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// join makes and renews this replica's own Lease. Leader election needs none: it wants no more rights than its one Lease.
func (s *Shards) join() error {
	if s.o.Shards == 1 {
		return nil
	}
	_, _, err := s.take(s.member, s.identity, map[string]string{labelMember: s.cut()})
	return err
}

// leave removes it, so that the others' shares grow at once.
func (s *Shards) leave() error {
	if s.member.object == nil {
		return nil
	}
	err := s.remove(s.member)
	if err == nil {
		s.member.object = nil
	}
	return err
}

// prune removes the Leases of replicas that ended long ago without giving them up.
func (s *Shards) prune() error {
	var failed []error
	for _, other := range s.others {
		if other.silent(longGone * s.o.LeaseDuration) {
			failed = append(failed, s.remove(other))
		}
	}
	return errors.Join(failed...)
}

func (s *Shards) remove(l *observed) error {
	ctx, cancel := s.requestContext()
	defer cancel()
	version := &metav1.Preconditions{UID: &l.object.UID, ResourceVersion: &l.object.ResourceVersion}
	err := s.client.Delete(ctx, l.name, metav1.DeleteOptions{Preconditions: version})
	if err == nil || apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
		return nil
	}
	return fmt.Errorf("delete lease %s/%s: %w", s.o.Namespace, l.name, err)
}
