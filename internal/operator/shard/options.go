// SPDX-License-Identifier: Apache-2.0

package shard

import (
	"log/slog"
	"time"

	coordinationv1client "k8s.io/client-go/kubernetes/typed/coordination/v1"
)

// What keys are cut by.
const (
	ByKey       = "key"       // namespace/name
	ByNamespace = "namespace" // all keys of a namespace are in one shard; those without a namespace go by name
)

// The defaults are those of Kubernetes' own components.
const (
	DefaultLeaseDuration = 15 * time.Second
	DefaultRenewDeadline = 10 * time.Second
	DefaultRetryPeriod   = 2 * time.Second
)

// Options says which Leases to compete for, and how. Package config has checked what users set.
type Options struct {
	// Client should have no client-side rate limit (QPS -1): renewals that wait for it are late.
	Client    coordinationv1client.LeasesGetter
	Namespace string // of the Leases
	Name      string // all Leases begin with it
	Identity  string // of this replica, for people; New makes it unique, since a restarted pod has its name again
	Shards    int    // 1: leader election
	By        string // ByKey or ByNamespace
	// LeaseDuration is how long others wait for one that is silent; 0 is the default.
	LeaseDuration time.Duration

	Log *slog.Logger
	// Gained is called on a goroutine of its own after a shard became this replica's: its keys are to be enqueued, since
	// they were dropped so far. Run waits for it.
	Gained func(shard int)
}

// renewDeadline is how long this replica works on without a renewal.
func (o *Options) renewDeadline() time.Duration { return deadlineOf(o.LeaseDuration) }

// retryPeriod is that between two looks at the Leases.
func (o *Options) retryPeriod() time.Duration {
	return o.LeaseDuration / (DefaultLeaseDuration / time.Second) * (DefaultRetryPeriod / time.Second)
}

// deadlineOf is how long a Lease of a duration is relied on, in the proportion of the defaults.
func deadlineOf(duration time.Duration) time.Duration {
	return duration / (DefaultLeaseDuration / time.Second) * (DefaultRenewDeadline / time.Second)
}

// requestTimeout lets three requests in a row hang before a Lease is lost.
func (o *Options) requestTimeout() time.Duration { return o.renewDeadline() / 5 }
