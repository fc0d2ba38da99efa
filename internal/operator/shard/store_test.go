// SPDX-License-Identifier: Apache-2.0

package shard

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strconv"
	"sync"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	coordinationv1client "k8s.io/client-go/kubernetes/typed/coordination/v1"
)

var leases = coordinationv1.Resource("leases")

// store has the Leases, with an API server's optimistic concurrency, which client-go's fake clientset has not.
type store struct {
	mu      sync.Mutex
	version int
	leases  map[string]*coordinationv1.Lease
	writes  int
}

func newStore() *store { return &store{leases: map[string]*coordinationv1.Lease{}} }

func (s *store) write(lease *coordinationv1.Lease, create bool) (*coordinationv1.Lease, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	had := s.leases[lease.Name]
	switch {
	case create && had != nil:
		return nil, apierrors.NewAlreadyExists(leases, lease.Name)
	case !create && had == nil:
		return nil, apierrors.NewNotFound(leases, lease.Name)
	case !create && (lease.ResourceVersion == "" || lease.ResourceVersion != had.ResourceVersion || lease.UID != had.UID):
		return nil, apierrors.NewConflict(leases, lease.Name, errors.New("changed"))
	}
	s.version++
	s.writes++
	lease = lease.DeepCopy()
	lease.ResourceVersion = strconv.Itoa(s.version)
	if create {
		lease.UID = types.UID("uid-" + lease.ResourceVersion)
	}
	s.leases[lease.Name] = lease
	return lease.DeepCopy(), nil
}

func (s *store) delete(name string, p *metav1.Preconditions) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	had := s.leases[name]
	if had == nil {
		return apierrors.NewNotFound(leases, name)
	}
	if p != nil && (p.UID != nil && *p.UID != had.UID || p.ResourceVersion != nil && *p.ResourceVersion != had.ResourceVersion) {
		return apierrors.NewConflict(leases, name, errors.New("changed"))
	}
	delete(s.leases, name)
	return nil
}

func (s *store) names() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.leases))
}

// client is one replica's way to the store. Its hook may delay, refuse, or lose the answer of each request.
type client struct {
	coordinationv1client.LeaseInterface // nil: what is not used fails loudly
	*store
	hook   func(context.Context) (before, after time.Duration, refused error)
	resume func() // returns when the process runs
}

func (c *client) Leases(string) coordinationv1client.LeaseInterface { return c }

// ask carries a request out as a server far away would: one that the client no longer waits for still happens.
func ask[T any](ctx context.Context, c *client, do func() (T, error)) (result T, err error) {
	if c.hook == nil {
		return do()
	}
	before, after, refused := c.hook(ctx)
	if refused != nil {
		return result, refused
	}
	type answer struct {
		result T
		err    error
	}
	answers := make(chan answer, 1)
	go func() {
		time.Sleep(before)
		r, err := do()
		time.Sleep(after)
		answers <- answer{r, err}
	}()
	defer c.resume()
	select {
	case <-ctx.Done():
		return result, ctx.Err()
	case a := <-answers:
		return a.result, a.err
	}
}

func (c *client) Create(ctx context.Context, l *coordinationv1.Lease, _ metav1.CreateOptions) (*coordinationv1.Lease, error) {
	return ask(ctx, c, func() (*coordinationv1.Lease, error) { return c.write(l, true) })
}

func (c *client) Update(ctx context.Context, l *coordinationv1.Lease, _ metav1.UpdateOptions) (*coordinationv1.Lease, error) {
	return ask(ctx, c, func() (*coordinationv1.Lease, error) { return c.write(l, false) })
}

func (c *client) Delete(ctx context.Context, name string, o metav1.DeleteOptions) error {
	_, err := ask(ctx, c, func() (struct{}, error) { return struct{}{}, c.delete(name, o.Preconditions) })
	return err
}

func (c *client) Get(ctx context.Context, name string, _ metav1.GetOptions) (*coordinationv1.Lease, error) {
	return ask(ctx, c, func() (*coordinationv1.Lease, error) {
		c.mu.Lock()
		defer c.mu.Unlock()
		if lease := c.leases[name]; lease != nil {
			return lease.DeepCopy(), nil
		}
		return nil, apierrors.NewNotFound(leases, name)
	})
}

func (c *client) List(ctx context.Context, o metav1.ListOptions) (*coordinationv1.LeaseList, error) {
	return ask(ctx, c, func() (*coordinationv1.LeaseList, error) {
		selector, err := labels.Parse(o.LabelSelector)
		if err != nil {
			return nil, err
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		list := &coordinationv1.LeaseList{}
		for _, lease := range c.leases {
			if selector.Matches(labels.Set(lease.Labels)) {
				list.Items = append(list.Items, *lease.DeepCopy())
			}
		}
		return list, nil
	})
}
