// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiextclient "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset/typed/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/crdctl/crdctl/internal/operator/controller"
)

const (
	// glance is how often the CRDs are read, which may be changed while their objects go on being served.
	glance = 30 * time.Second
	// promptGlance is how often while a kind is not served: its CRD may come back as another one.
	promptGlance = time.Second
)

// redefined ends a loop whose kinds are not any more what they were.
type redefined struct {
	crds []*apiextv1.CustomResourceDefinition
}

func (*redefined) Error() string { return "the CRDs changed" }

// Unwrap has the loop begin again.
func (*redefined) Unwrap() error { return errAgain }

// followCRDs has the loop begin again when the API server has a CRD in another form than the loop runs with. One that does not exist,
// or serves no version, is waited for: the loop has no objects of it meanwhile.
func (c *instance) followCRDs(
	ctx context.Context, client apiextclient.CustomResourceDefinitionInterface, absent func() bool, again context.CancelCauseFunc,
) {
	d := &definitions{instance: c, client: client, seen: map[string]string{}, said: map[string]string{}}
	tick := time.NewTicker(promptGlance)
	defer tick.Stop()
	for last := (time.Time{}); ; {
		if absent() || time.Since(last) >= glance {
			last = time.Now()
			if crds, changed := d.look(ctx); changed {
				again(&redefined{crds})
				return
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// definitions are the CRDs as they were last read, by name.
type definitions struct {
	*instance
	client apiextclient.CustomResourceDefinitionInterface
	seen   map[string]string // their versions
	said   map[string]string // why they could not be read
}

// look reads all CRDs, and returns them as they are now, those that changed in a way that matters among them.
func (d *definitions) look(ctx context.Context) (crds []*apiextv1.CustomResourceDefinition, changed bool) {
	crds = slices.Clone(d.CRDs)
	for i, before := range crds {
		crd, err := readCRD(ctx, d.client, before.Name)
		if ctx.Err() != nil {
			return nil, false
		}
		if err != nil {
			d.note(before.Name, err)
			continue
		}
		if d.seen[crd.Name] == crd.ResourceVersion {
			continue
		}
		d.seen[crd.Name] = crd.ResourceVersion
		delete(d.said, crd.Name)
		now, err := controller.KindsOf(crd)
		if err != nil {
			continue
		}
		if was, err := controller.KindsOf(before); err == nil && was[0] == now[0] {
			continue
		}
		d.Log.Info("CustomResourceDefinition " + crd.Name + " changed: now " + form(now[0]) + "; restarting")
		crds[i], changed = crd, true
	}
	return crds, changed
}

// note tells once why changes are not noticed. An API server that does not answer is the feeds' to tell of.
func (d *definitions) note(name string, err error) {
	if !apierrors.IsForbidden(err) && !apierrors.IsUnauthorized(err) || d.said[name] == err.Error() {
		return
	}
	d.said[name] = err.Error()
	d.Log.Warn(fmt.Sprintf("CustomResourceDefinition %s may not be read, so changes to it go unnoticed; grant get on it, or restart after changes", name), "err", err)
}

// form is what the loop knows of a kind.
func form(k controller.Kind) string {
	parts := []string{k.Kind + " " + k.Resource.Version, "cluster-scoped", "no status subresource"}
	if k.Namespaced {
		parts[1] = "namespaced"
	}
	if k.StatusSubresource {
		parts[2] = "status subresource"
	}
	if k.ObservedGeneration {
		parts = append(parts, "status.observedGeneration")
	}
	return strings.Join(parts, ", ")
}
