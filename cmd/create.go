// SPDX-License-Identifier: Apache-2.0

//go:build !crdctl_loop

package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/crdctl/crdctl/internal/scaffold"
	"github.com/crdctl/crdctl/internal/scaffold/change"
	"github.com/crdctl/crdctl/internal/text"
	"github.com/crdctl/crdctl/internal/tree"
	"github.com/crdctl/crdctl/internal/ui"
	"github.com/crdctl/crdctl/templates"
)

type createOptions struct {
	*options
	changeOptions
	api     scaffold.APIOptions
	fromCRD string
}

func newCreate(s ui.Streams, shared *options) *cobra.Command {
	return newGroup("create", "Add an API or a webhook to the project", newCreateAPI(s, shared), newCreateWebhook(s, shared))
}

func newCreateAPI(s ui.Streams, shared *options) *cobra.Command {
	o := createOptions{options: shared}
	c := &cobra.Command{
		Use:   "api",
		Short: "Add a kind with its controller, or a version of a kind",
		Long: `Create api adds the types and a sample, for a new kind also a controller with tests, and generates the code. Code that lists all
kinds is in files that crdctl owns. If a line in one of your files must change, it is shown; lines that you edited are never
changed.`,
		Example: `  crdctl create api --group stable.example.com --version v1beta1 --kind Report --field total:int64
  crdctl create api --group stable.example.com --version v1 --kind CronTab --field cronSpec:string:required`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error { return runCreateAPI(c, s, o) },
	}
	apiFlags(c, &o.api, "that of the group, or "+firstVersion)
	shared.completeAPI(c)
	fromCRDFlag(c, &o.fromCRD)
	c.Flags().BoolVar(&o.api.NoController, "no-controller", false, "omit the controller of a new kind")
	c.Flags().BoolVar(&o.api.Storage, "storage", false, "store objects in this version of the kind (default: the first version)")
	c.Flags().StringVar(&o.api.Conversion, "conversion", "", "`strategy` of conversion between versions: none or webhook (default: unchanged)")
	o.register(c.Flags())
	return c
}

func runCreateAPI(c *cobra.Command, s ui.Streams, o createOptions) error {
	if err := o.notOfKubebuilder("create", o.api); err != nil {
		return err
	}
	w, err := o.scaffolded(s, &o.changeOptions)
	if err != nil {
		return err
	}
	added, err := o.add(c, s, w)
	if err != nil {
		return err
	}
	if err := w.apply(c.Context(), s, &o.changeOptions, "add", added, false); err != nil {
		return err
	}
	sayProtected(s, added[0])
	return nil
}

// add adds the APIs that the flags ask for to the project that is to be.
func (o *createOptions) add(c *cobra.Command, s ui.Streams, w *scaffolded) (added []*scaffold.API, err error) {
	if o.fromCRD != "" {
		w.types, added, err = imported(c, s, o.fromCRD, w.place.Root(), w.after, o.api)
		return added, err
	}
	if o.api.Group == "" || o.api.Kind == "" {
		return nil, errNoKind
	}
	o.api.Version = cmp.Or(o.api.Version, w.latest(o.api.Group))
	api, err := w.after.Add(o.api)
	if errors.Is(err, scaffold.ErrExists) { // the usage is right
		return nil, err
	}
	if err != nil {
		return nil, ui.UsageError(err)
	}
	saySamePlural(s, o.api, api)
	return []*scaffold.API{api}, nil
}

// scaffolded is a project that a command changes the scaffold of.
type scaffolded struct {
	began         time.Time
	place         change.Location
	before, after *scaffold.Project
	templates     int               // that it was made from
	types         map[string][]byte // of the APIs that come from a CRD, by path
}

// scaffolded finds the project and what it was made from. Both sides of the change are that, to begin with.
func (o *options) scaffolded(s ui.Streams, c *changeOptions) (*scaffolded, error) {
	began := time.Now()
	if err := c.checkOutput(); err != nil {
		return nil, err
	}
	root, _, err := o.project() // which has the words for what is wrong with it
	if err != nil {
		return nil, err
	}
	place, err := change.FindLocation(root, false)
	if err != nil {
		return nil, err
	}
	if place.Path == "" {
		return nil, fmt.Errorf("no go.mod in %s or any parent directory; create one with \"go mod init\"", root)
	}
	place.Exists, place.Work = true, ""
	if !c.dryRun {
		recovered(s, place.Base())
	}
	settings, err := place.Settings()
	if err != nil {
		return nil, err
	}
	w := &scaffolded{began: began, place: place}
	if w.before, err = scaffold.FromRecord(settings, place.Path, place.Dir); err != nil {
		return nil, err
	}
	w.templates = settings.Scaffold.Templates
	w.after, err = scaffold.FromRecord(settings, place.Path, place.Dir)
	return w, err
}

// scaffoldOf reads the scaffold for a change of the API that the flags name.
func (o *options) scaffoldOf(s ui.Streams, c *changeOptions, verb string, api scaffold.APIOptions) (*scaffolded, error) {
	if err := o.notOfKubebuilder(verb, api); err != nil {
		return nil, err
	}
	if api.Group == "" || api.Kind == "" {
		return nil, errNoKind
	}
	return o.scaffolded(s, c)
}

// latest is the version that a new kind of a group gets where none is given: that of the group's last one.
func (w *scaffolded) latest(group string) string {
	version := firstVersion
	for _, a := range w.before.APIs {
		if a.Group == group {
			version = a.Version
		}
	}
	return version
}

// apply writes what it means to add or delete APIs, or lists it, and reports what was done.
func (w *scaffolded) apply(ctx context.Context, s ui.Streams, o *changeOptions, verb string, apis []*scaffold.API, force bool) error {
	shown, done := s.Report().Work(ctx, "changing the project")
	changes, plan, err := w.changes(shown, force)
	if done(); err != nil {
		return err
	}
	if err := o.carryOut(s, w.place, changes, plan.Merged); err != nil {
		return err
	}
	s.Report().Lines(plan.Notes)
	if len(changes) == 0 {
		s.Report().Printf("nothing to change: %s", apiNames(apis))
		return nil
	}
	did := map[string]string{"add": "added", "delete": "deleted", "add the webhooks of": "added the webhooks of", "delete webhooks of": "deleted webhooks of"}[verb]
	if o.dryRun {
		did = "would " + verb
	}
	s.Report().Printf("%s %s: %s in %.1fs", did, apiNames(apis), text.Count(len(changes), "file", "files"), time.Since(w.began).Seconds())
	return nil
}

func apiNames(apis []*scaffold.API) string {
	var names []string
	for _, a := range apis {
		names = append(names, a.Version+" "+a.Kind+" of "+a.Group)
	}
	return strings.Join(names, ", ")
}

// changes are what is to be written, and the plan that they come from. Force has edited files removed.
func (w *scaffolded) changes(ctx context.Context, force bool) (changes []tree.Change, plan *change.Plan, err error) {
	plan, err = change.New(w.place, change.Render{Project: w.before, Templates: templates.FS}, change.Render{Project: w.after, Templates: templates.FS, Files: w.types})
	if err != nil {
		return nil, nil, err
	}
	var refused []string
	for _, f := range plan.InTheWay {
		refused = append(refused, f+": exists where a new file must go; move it away")
	}
	for f, n := range plan.Conflicts {
		refused = append(refused, fmt.Sprintf("%s: %s with your edits; revert them or apply the change manually", f, text.Count(n, "conflict", "conflicts")))
	}
	if force {
		plan.RemoveEdited()
	}
	for _, f := range plan.Edited {
		refused = append(refused, f+": you changed it (or it came from a CRD); --force removes it")
	}
	if len(refused) > 0 {
		return nil, nil, fmt.Errorf("nothing was written:\n  %s", strings.Join(refused, "\n  "))
	}
	changes, err = plan.Changes(ctx)
	return changes, plan, err
}
