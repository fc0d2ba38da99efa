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
	"github.com/crdctl/crdctl/internal/fswatch"
	"github.com/crdctl/crdctl/internal/ui"
)

// clusterSide is what the run has on the API server: the project's CRDs, manifests and samples, and the controller's
// identity.
type clusterSide struct {
	Options
	target *target
	say    reporter

	hooks     *webhooks // nil in a cluster that is not crdctl's own
	applier   *applier  // likewise
	installed []manifest.CRD
	applied   []manifest.Object // of the manifests
	manifests string            // what they were when all of them had been applied
	who       *identity         // nil for the administrator
	broken    map[string]bool   // what could not be installed or applied when it was last tried
}

func newClusterSide(o Options, t *target, dir string, say reporter) (*clusterSide, error) {
	c := &clusterSide{Options: o, target: t, say: say, broken: map[string]bool{}}
	if !t.ours {
		return c, nil
	}
	var err error
	if c.hooks, err = newWebhooks(dir, o.Project.Controller.WebhookPort); err != nil {
		return nil, err
	}
	c.applier, err = newApplier(t.config, c.hooks.adapt, say)
	return c, err
}

// env are the variables that tell the controller of what is here.
func (c *clusterSide) env() []string {
	if c.hooks == nil {
		return nil
	}
	return c.hooks.env()
}

// begin installs and applies what the controller needs, and gives it its identity.
func (c *clusterSide) begin(ctx context.Context) error {
	if err := c.removeWebhooks(ctx); err != nil { // of a run that was killed
		return err
	}
	if err := c.tried("the CRDs", c.install(ctx)); err != nil {
		return err
	}
	var broken error
	if len(c.Project.Controller.Manifests) > 0 {
		if c.applier == nil {
			c.say("the manifests of the controller are left to you: this cluster is not crdctl's own")
		} else if broken = c.tried(c.manifestPaths(), c.applyManifests(ctx, true)); broken != nil && (c.Once || c.Account != nil) {
			return broken // the account may be in what could not be applied
		} else if broken != nil {
			c.say("%v", broken)
		}
	}
	if c.Account == nil {
		return nil
	}
	var err error
	if c.who, err = newIdentity(ctx, c.target.config, *c.Account, c.Project.Controller.Manifests); err != nil {
		return brokenError{err} // the manifests are all there: it is the settings or the flags that must change
	}
	return nil
}

// update does what a change asks for. Only CRDs that are not installed keep a controller from being started.
func (c *clusterSide) update(ctx context.Context, change fswatch.Change) (blocking, other error) {
	// Also when sources changed: generate may have written manifests.
	if err := c.tried("the CRDs", c.install(ctx)); err != nil || c.applier == nil {
		return err, nil
	}
	var problems []error
	if changed := change.Below(c.Project.Controller.Manifests...); changed || len(c.Project.Controller.Manifests) > 0 {
		problems = append(problems, c.tried(c.manifestPaths(), c.applyManifests(ctx, changed)))
	}
	if change.Below(c.Project.Controller.Samples...) {
		problems = append(problems, c.tried(strings.Join(c.Project.Controller.Samples, ", "), c.applySamples(ctx)))
	}
	return nil, errors.Join(problems...)
}

// tried remembers whether something could be done, and says that it can be done again: a fix may leave nothing to apply.
func (c *clusterSide) tried(what string, err error) error {
	if c.broken[what] && err == nil {
		c.say("%s: all right again", what)
	}
	c.broken[what] = err != nil
	return err
}

func (c *clusterSide) manifestPaths() string {
	return strings.Join(c.Project.Controller.Manifests, ", ")
}

// install installs the CRDs if they are others than those that are installed, and says before what that would break.
func (c *clusterSide) install(ctx context.Context) error {
	if c.SkipCRDs {
		return nil
	}
	crds, err := crdsOf(c.Options, c.hooks)
	if err != nil {
		return err
	}
	c.sayGone(ctx, crds)
	if len(crds) == 0 {
		return nil
	}
	if apiequality.Semantic.DeepEqual(manifest.Definitions(crds), manifest.Definitions(c.installed)) {
		// They may have been deleted by hand.
		if all, err := c.target.installed(ctx, crds); err != nil || all {
			return err
		}
	}
	if err := c.target.preflight(ctx, crds, c.say); err != nil {
		return err
	}
	stop := ui.Repeat(ui.WaitEvery/3, ui.WaitEvery, func(passed time.Duration) {
		c.say("waiting for the API server to establish %s (%s)", names(crds), passed)
	})
	err = c.target.install(ctx, manifest.Definitions(crds)...)
	if stop(); err != nil {
		return err
	}
	c.installed = crds
	c.say("installed %s", names(crds))
	return nil
}

// sayGone says of CRDs that were installed, and that the project has no more, that they stay: with them their objects would go.
func (c *clusterSide) sayGone(ctx context.Context, crds []manifest.CRD) {
	for _, gone := range c.installed {
		if slices.ContainsFunc(crds, func(crd manifest.CRD) bool { return crd.Name == gone.Name }) {
			continue
		}
		c.installed = slices.DeleteFunc(slices.Clone(c.installed), func(crd manifest.CRD) bool { return crd.Name == gone.Name })
		if there, err := c.target.installed(ctx, []manifest.CRD{gone}); err == nil && !there {
			continue // deleted by hand
		}
		count := "its objects"
		if objects, err := c.target.stored(ctx, gone.CustomResourceDefinition); err == nil {
			count = plural(len(objects), "object")
		}
		kubectl, until := "crdctl kubectl", " until the run ends"
		if c.target.kept {
			until = ""
		}
		if !c.target.ours {
			kubectl = "kubectl"
		}
		c.say("%s is not in the project any more; it stays with %s%s; \"%s delete crd %s\" removes it", gone.Name, count, until, kubectl, gone.Name)
	}
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// applyManifests applies the manifests; unless they changed, only if they are others than those that were applied last:
// generate may have written the role.
func (c *clusterSide) applyManifests(ctx context.Context, changed bool) error {
	objects, err := read(c.Root, c.Project.Controller.Manifests)
	content, encodeErr := json.Marshal(objects)
	if err = errors.Join(err, encodeErr); err == nil && !changed && string(content) == c.manifests {
		return nil
	}
	c.manifests = ""
	before := c.applied
	if err := errors.Join(err, c.applier.apply(ctx, objects, false)); err != nil {
		// Not all of what the manifests have is known, so nothing can be said to have left them.
		objects = slices.DeleteFunc(objects, func(o manifest.Object) bool { return !c.applier.applied(o) })
		c.applied = append(objects, slices.DeleteFunc(slices.Clone(before), func(o manifest.Object) bool { return has(objects, o) })...)
		return err
	}
	left, err := c.applier.prune(ctx, before, objects)
	c.applied = append(objects, left...)
	if err == nil {
		c.manifests = string(content)
	}
	return err
}

// removeWebhooks takes the webhook configurations of runs away: behind them nobody listens, and the API server would refuse
// what they are about.
func (c *clusterSide) removeWebhooks(ctx context.Context) error {
	if !c.target.ours || !c.target.kept {
		return nil
	}
	client, err := kubernetes.NewForConfig(c.target.config)
	if err != nil {
		return fmt.Errorf("make a client for webhooks: %w", err)
	}
	if err := controlplane.RemoveRunWebhooks(ctx, client); err != nil {
		return fmt.Errorf("remove the webhooks of the run: %w", err)
	}
	return nil
}

// news says what the API server has refused the controller since it was last asked.
func (c *clusterSide) news(ctx context.Context) {
	if c.who != nil {
		c.who.news(ctx, c.say)
	}
}

// end reports on the controller's permissions, and takes away what would not work without it.
func (c *clusterSide) end(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, stopTimeout)
	defer cancel()
	select {
	case <-c.target.ended:
		return nil // there is nobody to ask
	default:
	}
	var problems []error
	if c.who != nil {
		problems = append(problems, c.who.report(ctx, c.Project.RBAC.Dir != "", c.say))
	}
	return errors.Join(append(problems, c.removeWebhooks(ctx))...)
}
