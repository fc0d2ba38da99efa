// SPDX-License-Identifier: Apache-2.0

package shard

import (
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
)

// observed is a Lease as this replica last saw it. Only the goroutine of Run, and what it waits for, touches it.
type observed struct {
	name   string
	object *coordinationv1.Lease // nil: there is none
	since  time.Time             // when this version was first seen here, after it was read: the later, the safer
}

// see notes what was read or written, and reports whether it is another version than before.
func (l *observed) see(object *coordinationv1.Lease) (changed bool) {
	if object != nil && l.object != nil && object.UID == l.object.UID && object.ResourceVersion == l.object.ResourceVersion {
		return false
	}
	l.object, l.since = object, time.Now()
	return true
}

func (l *observed) holder() string {
	if l.object == nil || l.object.Spec.HolderIdentity == nil {
		return ""
	}
	return *l.object.Spec.HolderIdentity
}

// silent is how long the Lease must not change until its holder counts as gone: what this replica was told, or what the
// holder wrote down, if that is longer. Its timestamps are for people only.
func (l *observed) silent(atLeast time.Duration) bool {
	return time.Since(l.since) >= max(atLeast, l.said())
}

// said is the duration that the holder wrote down; 0 for none.
func (l *observed) said() time.Duration {
	if l.object == nil || l.object.Spec.LeaseDurationSeconds == nil {
		return 0
	}
	return time.Duration(*l.object.Spec.LeaseDurationSeconds) * time.Second
}

// free reports whether the Lease may be taken by who.
func (l *observed) free(who string, atLeast time.Duration) bool {
	holder := l.holder()
	return holder == "" || holder == who || l.silent(atLeast)
}
