// SPDX-License-Identifier: Apache-2.0

package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/client-go/kubernetes"

	"github.com/crdctl/crdctl/internal/controlplane"
	"github.com/crdctl/crdctl/internal/crd/manifest"
	"github.com/crdctl/crdctl/internal/text"
)

func (i *installer) manifestPaths() string {
	return strings.Join(i.Project.Controller.Manifests, ", ")
}

// install installs the CRDs that are others than those that are installed, and says before what that would break.
func (i *installer) install(ctx context.Context) error {
	if i.SkipCRDs {
		return nil
	}
	crds, err := i.crds()
	if err != nil {
		return err
	}
	i.sayGone(ctx, crds)
	if len(crds) == 0 {
		return nil
	}
	var changed, same []manifest.CRD
	for _, crd := range crds {
		if slices.ContainsFunc(i.installed, func(old manifest.CRD) bool {
			return apiequality.Semantic.DeepEqual(crd.CustomResourceDefinition, old.CustomResourceDefinition)
		}) {
			same = append(same, crd)
		} else {
			changed = append(changed, crd)
		}
	}
	if all, err := i.target.Installed(ctx, same); err != nil {
		return err
	} else if !all { // deleted by hand
		changed = crds
	}
	if len(changed) > 0 {
		if err := i.target.InstallCRDs(ctx, changed, i.reporter); err != nil {
			return err
		}
	}
	i.installed = crds
	return nil
}

// sayGone says of CRDs that were installed, and that the project has no more, that they stay: with them their objects would go.
func (i *installer) sayGone(ctx context.Context, crds []manifest.CRD) {
	for _, gone := range i.installed {
		if slices.ContainsFunc(crds, func(crd manifest.CRD) bool { return crd.Name == gone.Name }) {
			continue
		}
		i.installed = slices.DeleteFunc(slices.Clone(i.installed), func(crd manifest.CRD) bool { return crd.Name == gone.Name })
		if there, err := i.target.Installed(ctx, []manifest.CRD{gone}); err == nil && !there {
			continue // deleted by hand
		}
		count := "its objects"
		if n, err := i.target.Count(ctx, gone.CustomResourceDefinition); err == nil {
			count = text.Count(n, "object", "objects")
		}
		kubectl, until := "crdctl kubectl", " until the run ends"
		if i.target.Kept {
			until = ""
		}
		if !i.target.Ours {
			kubectl = "kubectl"
		}
		i.reporter.Note("%s is no longer in the project; it stays installed with %s%s; \"%s delete crd %s\" removes it", gone.Name, count, until, kubectl, gone.Name)
	}
}

// rewriteTime is how long a file may be missing while it is replaced. Its objects stay until then.
const rewriteTime = 500 * time.Millisecond

// applyManifests applies the manifests; unless they changed, only if they are others than those that were applied last:
// generate may have written the role.
func (i *installer) applyManifests(ctx context.Context, changed bool) error {
	objects, err := i.objects()
	if err == nil && lacksSome(objects, i.applied) { // git and editors remove a file before they write it again
		select {
		case <-time.After(rewriteTime):
		case <-ctx.Done():
			return ctx.Err()
		}
		objects, err = i.objects()
	}
	content, encodeErr := json.Marshal(objects)
	if err = errors.Join(err, encodeErr); err == nil && !changed && string(content) == i.manifests {
		return nil
	}
	i.manifests = ""
	before := i.applied
	if err := errors.Join(err, i.applier.apply(ctx, objects, false)); err != nil {
		// Not all of what the manifests have is known, so nothing can be said to have left them.
		objects = slices.DeleteFunc(objects, func(o manifest.Object) bool { return !i.applier.applied(o) })
		i.applied = append(objects, slices.DeleteFunc(slices.Clone(before), func(o manifest.Object) bool { return has(objects, o) })...)
		return err
	}
	left, err := i.applier.prune(ctx, before, objects)
	i.applied = append(objects, left...)
	i.tellRights(ctx)
	if err == nil {
		i.manifests = string(content)
	}
	return err
}

// removeWebhooks takes the webhook configurations of runs away: no server listens behind them, and the API server would refuse
// what they are about.
func (i *installer) removeWebhooks(ctx context.Context) error {
	if !i.target.Ours || !i.target.Kept {
		return nil
	}
	client, err := kubernetes.NewForConfig(i.target.Config)
	if err != nil {
		return fmt.Errorf("make a client for webhooks: %w", err)
	}
	if err := controlplane.RemoveRunWebhooks(ctx, client); err != nil {
		return fmt.Errorf("remove the webhooks of the run: %w", err)
	}
	return nil
}
