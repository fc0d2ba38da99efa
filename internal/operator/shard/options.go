package shard

import (
	"errors"
	"fmt"
	"log/slog"
	"time"

	"k8s.io/apimachinery/pkg/util/validation"
	coordinationv1client "k8s.io/client-go/kubernetes/typed/coordination/v1"

	"github.com/crdctl/crdctl/internal/config"
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

// Options says which Leases to compete for, and how.
type Options struct {
	// Client should have no client-side rate limit (QPS -1): renewals that wait for it are late.
	Client    coordinationv1client.LeasesGetter
	Namespace string // of the Leases
	Name      string // all Leases begin with it
	Identity  string // of this replica, for people; New makes it unique, since a restarted pod has its name again
	Shards    int    // below 1 means 1: leader election
	By        string // ByKey (also "") or ByNamespace

	LeaseDuration time.Duration // how long others wait for one that is silent
	RenewDeadline time.Duration // how long this one works on without a renewal; 0: what goes with LeaseDuration
	RetryPeriod   time.Duration // between two looks at the Leases; 0: likewise

	Log *slog.Logger
	// Gained is called on a goroutine of its own after a shard became this replica's: its keys are to be enqueued, since
	// they were dropped so far. Run waits for it.
	Gained func(shard int)
}

func (o *Options) complete() error {
	if o.Shards < 1 {
		o.Shards = 1
	}
	if o.By == "" {
		o.By = ByKey
	}
	if o.LeaseDuration == 0 {
		o.LeaseDuration = DefaultLeaseDuration
	}
	if o.RenewDeadline == 0 {
		o.RenewDeadline = deadlineOf(o.LeaseDuration)
	}
	if o.RetryPeriod == 0 {
		o.RetryPeriod = o.LeaseDuration / (DefaultLeaseDuration / time.Second) * (DefaultRetryPeriod / time.Second)
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Gained == nil {
		o.Gained = func(int) {}
	}
	return o.check()
}

// deadlineOf is how long a Lease of a duration is relied on, in the proportion of the defaults.
func deadlineOf(duration time.Duration) time.Duration {
	return duration / (DefaultLeaseDuration / time.Second) * (DefaultRenewDeadline / time.Second)
}

// check names all that is wrong at once.
func (o *Options) check() error {
	var wrong []error
	bad := func(format string, a ...any) { wrong = append(wrong, fmt.Errorf("shards: "+format, a...)) }
	if o.Client == nil || o.Identity == "" {
		bad("a client and an identity are needed; give both")
	}
	if o.Namespace == "" {
		bad("the namespace of the leases is not known; give one")
	}
	// A member's Lease has the longest name: 25 characters more.
	if len(o.Name) > 220 || len(validation.IsDNS1123Subdomain(o.Name)) > 0 {
		bad("%q cannot be the name of a lease; use at most 220 lower-case letters, digits, hyphens and dots", o.Name)
	}
	if o.Shards > config.MaxLoopShards {
		bad("%d shards are too many; use at most %d", o.Shards, config.MaxLoopShards)
	}
	if o.By != ByKey && o.By != ByNamespace {
		bad("keys cannot be cut by %q; use %q or %q", o.By, ByKey, ByNamespace)
	}
	if o.LeaseDuration < time.Second || o.LeaseDuration-o.RenewDeadline < o.LeaseDuration/5 {
		bad("a lease of %v with a renew deadline of %v leaves no time to end what was begun; keep a fifth of the lease between them, and the lease at 1s or more",
			o.LeaseDuration, o.RenewDeadline)
	}
	if o.RetryPeriod <= 0 || o.RetryPeriod > o.RenewDeadline/3 {
		bad("a retry period of %v leaves no second try within the renew deadline of %v; use a third of it or less", o.RetryPeriod, o.RenewDeadline)
	}
	return errors.Join(wrong...)
}

// requestTimeout lets three requests in a row hang before a Lease is lost.
func (o *Options) requestTimeout() time.Duration { return o.RenewDeadline / 5 }
