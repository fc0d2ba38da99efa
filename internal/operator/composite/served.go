// SPDX-License-Identifier: Apache-2.0

package composite

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"

	"github.com/crdctl/crdctl/internal/operator/object"
)

// Served is a kind that an API server serves.
type Served struct {
	Resource   schema.GroupVersionResource
	Kind       string
	Namespaced bool
}

// apiVersion is as in an object.
func (s Served) apiVersion() string { return s.Resource.GroupVersion().String() }

// NotServedError is the error of a kind or resource that the API server does not know, or not yet.
type NotServedError struct {
	APIVersion, Name string
}

func (e *NotServedError) Error() string {
	return fmt.Sprintf("the API server does not serve %s in %s", e.Name, e.APIVersion)
}

// Catalogue asks an API server what it serves, and remembers what it found; it asks again for what was missing.
type Catalogue struct {
	client rest.Interface
	mu     sync.Mutex
	groups map[string][]Served
}

// NewCatalogue asks with a client that makes requests by absolute path.
func NewCatalogue(client rest.Interface) *Catalogue {
	return &Catalogue{client: client, groups: map[string][]Served{}}
}

// Kind finds a kind by its name in the singular, Resource one by its name in the plural.
func (c *Catalogue) Kind(ctx context.Context, apiVersion, kind string) (Served, error) {
	return c.find(ctx, apiVersion, kind, func(s Served) bool { return s.Kind == kind })
}

// Resource finds a kind by its name in the plural.
func (c *Catalogue) Resource(ctx context.Context, apiVersion, resource string) (Served, error) {
	return c.find(ctx, apiVersion, resource, func(s Served) bool { return s.Resource.Resource == resource })
}

func (c *Catalogue) find(ctx context.Context, apiVersion, name string, is func(Served) bool) (Served, error) {
	c.mu.Lock()
	known := c.groups[apiVersion]
	c.mu.Unlock()
	if i := slices.IndexFunc(known, is); i >= 0 {
		return known[i], nil
	}
	served, err := c.ask(ctx, apiVersion)
	if err != nil && !apierrors.IsNotFound(err) {
		return Served{}, fmt.Errorf("ask the API server for the kinds of %s: %w", apiVersion, err)
	}
	c.mu.Lock()
	c.groups[apiVersion] = served
	c.mu.Unlock()
	if i := slices.IndexFunc(served, is); i >= 0 {
		return served[i], nil
	}
	return Served{}, &NotServedError{APIVersion: apiVersion, Name: name}
}

func (c *Catalogue) ask(ctx context.Context, apiVersion string) ([]Served, error) {
	group, err := schema.ParseGroupVersion(apiVersion)
	if err != nil {
		return nil, err
	}
	var list metav1.APIResourceList
	if err := c.client.Get().AbsPath(object.Path(group.WithResource(""), "")...).Timeout(requestTimeout).Do(ctx).Into(&list); err != nil {
		return nil, err
	}
	var all []Served
	for _, r := range list.APIResources {
		if !strings.Contains(r.Name, "/") {
			all = append(all, Served{Resource: group.WithResource(r.Name), Kind: r.Kind, Namespaced: r.Namespaced})
		}
	}
	return all, nil
}
