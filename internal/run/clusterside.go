package run

import (
	"context"
	"errors"

	apiequality "k8s.io/apimachinery/pkg/api/equality"

	"github.com/crdctl/crdctl/internal/manifest"
	"github.com/crdctl/crdctl/internal/watch"
)

// clusterSide is what the run has on the API server: the project's CRDs, manifests and samples, and the controller's
// identity.
type clusterSide struct {
	Options
	target *target
	say    sayer

	hooks     *webhooks // nil in a cluster that is not crdctl's own
	applier   *applier  // likewise
	installed []manifest.CRD
	applied   []manifest.Object // of the manifests
	who       *identity         // nil for the administrator
}

func newClusterSide(o Options, t *target, dir string, say sayer) (*clusterSide, error) {
	c := &clusterSide{Options: o, target: t, say: say}
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
	if err := c.install(ctx); err != nil {
		return err
	}
	if len(c.Project.Controller.Manifests) > 0 {
		if c.applier == nil {
			c.say("the manifests of the controller are left to you: this cluster is not crdctl's own")
		} else if err := c.applyManifests(ctx); err != nil {
			return err
		}
	}
	if c.Account == nil {
		return nil
	}
	var err error
	c.who, err = newIdentity(ctx, c.target.config, *c.Account, c.Project.Controller.Manifests)
	return err
}

// update does what a change asks for.
func (c *clusterSide) update(ctx context.Context, change watch.Change) error {
	// Also when sources changed: generate may have written manifests.
	if err := c.install(ctx); err != nil {
		return err
	}
	if c.applier == nil {
		return nil
	}
	var problems []error
	if change.Below(c.Project.Controller.Manifests...) || len(change.Sources) > 0 && c.Project.RBAC.Dir != "" {
		problems = append(problems, c.applyManifests(ctx))
	}
	if change.Below(c.Project.Controller.Samples...) {
		samples, err := read(c.Root, c.Project.Controller.Samples)
		problems = append(problems, err, c.applier.apply(ctx, samples))
	}
	return errors.Join(problems...)
}

// install installs the CRDs if they are others than those that are installed, and says before what that would break.
func (c *clusterSide) install(ctx context.Context) error {
	if c.SkipCRDs {
		return nil
	}
	crds, err := crdsOf(c.Options, c.hooks)
	if err != nil || len(crds) == 0 || apiequality.Semantic.DeepEqual(manifest.Definitions(crds), manifest.Definitions(c.installed)) {
		return err
	}
	if err := c.target.preflight(ctx, crds, c.say); err != nil {
		return err
	}
	if err := c.target.install(ctx, manifest.Definitions(crds)...); err != nil {
		return err
	}
	c.installed = crds
	c.say("installed %s", names(crds))
	return nil
}

func (c *clusterSide) applyManifests(ctx context.Context) error {
	objects, err := read(c.Root, c.Project.Controller.Manifests)
	if err != nil {
		return err
	}
	c.applied = objects
	return c.applier.apply(ctx, objects)
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
	if c.applier != nil && c.target.kept {
		problems = append(problems, c.applier.removeWebhooks(ctx, c.applied))
	}
	return errors.Join(problems...)
}
