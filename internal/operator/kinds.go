// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiextclient "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset/typed/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/crd/builtin"
	"github.com/crdctl/crdctl/internal/operator/composite"
	"github.com/crdctl/crdctl/internal/operator/controller"
)

// retryPeriod is how often a missing kind is asked for again.
const retryPeriod = 500 * time.Millisecond

// requestTimeout ends a request that is not answered.
const requestTimeout = 30 * time.Second

var errNoCRD = errors.New("no CustomResourceDefinition to work on; name a manifest with -f, or one that the cluster has with --crd")

// kinds are those to work on.
func (c *instance) kinds(ctx context.Context) ([]controller.Kind, error) {
	crds := c.CRDs
	if len(c.CRDNames) > 0 {
		var err error
		if crds, err = c.readCRDs(ctx); err != nil {
			return nil, err
		}
	}
	if len(crds) == 0 {
		return nil, errNoCRD
	}
	c.CRDs = crds
	return controller.KindsOf(crds...)
}

// readCRDs reads the CRDs by name, and waits for those that are not there.
func (c *instance) readCRDs(ctx context.Context) ([]*apiextv1.CustomResourceDefinition, error) {
	client, err := c.definitions()
	if err != nil {
		return nil, err
	}
	var crds []*apiextv1.CustomResourceDefinition
	for _, name := range c.CRDNames {
		var crd *apiextv1.CustomResourceDefinition
		if err := c.waitFor(ctx, "customresourcedefinition "+name, func() (err error) {
			crd, err = readCRD(ctx, client, name)
			return err
		}); err != nil {
			return nil, err
		}
		crds = append(crds, crd)
	}
	return crds, nil
}

func (c *instance) definitions() (apiextclient.CustomResourceDefinitionInterface, error) {
	client, err := apiextclient.NewForConfig(c.Config)
	if err != nil {
		return nil, fmt.Errorf("make a client for %s: %w", c.Config.Host, err)
	}
	return client.CustomResourceDefinitions(), nil
}

func readCRD(ctx context.Context, client apiextclient.CustomResourceDefinitionInterface, name string) (*apiextv1.CustomResourceDefinition, error) {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	return client.Get(ctx, name, metav1.GetOptions{})
}

// waitNotice is how often a wait is logged again.
const waitNotice = 30 * time.Second

// neverError is an error that waiting does not end.
type neverError struct{ error }

// Unwrap returns the error.
func (e neverError) Unwrap() error { return e.error }

// waitFor asks until there is an answer, or one that will not change. It logs what it waits for each time that the reason is another one,
// and every half minute.
func (c *instance) waitFor(ctx context.Context, what string, ask func() error) error {
	said, began := "", time.Now()
	told := began
	for {
		err := ask()
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if errors.As(err, new(neverError)) {
			return err
		}
		if c.patience > 0 && time.Since(began) >= c.patience {
			return fmt.Errorf("timed out after %s waiting for %s: %w", c.patience, what, err)
		}
		if err.Error() != said || time.Since(told) >= waitNotice {
			said, told = err.Error(), time.Now()
			c.Log.Info("Waiting for "+what, "err", err, "waited", time.Since(began).Round(time.Second))
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(retryPeriod):
		}
	}
}

// served finds the kinds of children, and waits for those whose CRD comes later.
func (c *instance) served(ctx context.Context, kinds []string) ([]composite.Served, error) {
	var all []composite.Served
	for _, text := range kinds {
		kind, err := config.ParseObjectKind(text)
		if err != nil {
			return nil, err
		}
		var found composite.Served
		if err := c.waitFor(ctx, "the API server to serve "+kind.String(), func() (err error) {
			found, err = c.catalogue.Kind(ctx, kind.APIVersion(), kind.Kind)
			return ofBuiltinGroup(kind, err)
		}); err != nil {
			return nil, err
		}
		all = append(all, found)
	}
	return all, nil
}

// ofBuiltinGroup makes final that a kind is not served whose group is one of Kubernetes itself: no CRD can add a kind there.
func ofBuiltinGroup(kind config.ObjectKind, err error) error {
	if !errors.As(err, new(*composite.NotServedError)) || len(scheme.Scheme.PrioritizedVersionsForGroup(kind.Group)) == 0 {
		return err
	}
	hint := "this API server has another version or has the kind disabled; remove the kind here, or enable it there"
	if _, ok := builtin.Find(kind.GroupVersionKind()); !ok {
		hint = unknownHint(kind)
	}
	return neverError{fmt.Errorf("--owns (loop.owns) %s: %w; %s", kind.String(), err, hint)}
}

// unknownHint is what to write instead of a kind that Kubernetes does not have.
func unknownHint(kind config.ObjectKind) string {
	return cmp.Or(builtin.Hint(kind.GroupVersionKind()), "name one such as apps/v1/Deployment or v1/ConfigMap")
}

// knownKinds refuses kinds of the groups of Kubernetes that its API has in no version. Whether a control plane of crdctl's own serves
// the others, and those of CRDs, is for that to tell.
func knownKinds(kinds []string) error {
	for _, text := range kinds {
		kind, err := config.ParseObjectKind(text)
		if err != nil {
			return err
		}
		if len(scheme.Scheme.PrioritizedVersionsForGroup(kind.Group)) > 0 && !scheme.Scheme.Recognizes(kind.GroupVersionKind()) {
			return fmt.Errorf("--owns (loop.owns) %s: unknown kind %s in %s; %s", kind, kind.Kind, kind.APIVersion(), unknownHint(kind))
		}
	}
	return nil
}
