// SPDX-License-Identifier: Apache-2.0

package run

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/controlplane/rbacaudit"
	"github.com/crdctl/crdctl/internal/crd/manifest"
	"github.com/crdctl/crdctl/internal/fswatch"
	"github.com/crdctl/crdctl/internal/run/chart"
	"github.com/crdctl/crdctl/internal/run/pod"
	"github.com/crdctl/crdctl/internal/run/target"
	"github.com/crdctl/crdctl/internal/ui"
	"github.com/crdctl/crdctl/internal/workspace/mainpkg"
)

// installer puts the project's CRDs, manifests and samples on the API server, and gives the controller its identity there.
type installer struct {
	Options
	target   *target.API
	reporter ui.Reporter

	hooks        *webhooks // where the controller serves; only crdctl's own control plane calls it there
	applier      *applier  // nil in a cluster that is not crdctl's own
	installed    []manifest.CRD
	applied      []manifest.Object // of the manifests
	manifests    string            // what they were when all of them had been applied
	who          *identity         // nil for the administrator
	broken       map[string]bool   // what could not be installed or applied when it was last tried
	refused      string            // what of manifests and samples could not be applied, as it was last reported
	sources      *sources
	program      *program         // nil for a controller whose sources were not read
	source       *mainpkg.Program // of the program, read again, before it counts
	foreign      []manifest.CRD   // that the manager uses, and that others define
	undownloaded bool             // a module that may define some was not on this machine
	lookedAgain  bool             // they were looked for after a build, too
	borrowed     string           // the last message about where they are
	elsewhere    []string         // files of the project's CRDs in no usual directory; nil before they were looked for
	skipped      string           // the last message about APIs that are not registered
	others       []string         // the last messages about samples of other versions
	adapted      string           // the last message about the manager's configuration file
	said         string           // the last message about its arguments
	missing      string           // the last message about its volumes
	dependencies string           // the last message about dependencies of charts
	uncalled     string           // the last message about webhooks that are not called

	rights func(user string, grants []rbacaudit.Grant) // takes what the roles grant to the controller's account; nil where nothing does
	timed  func(name string, do func() error) error    // does a part of what a change asks for; nil for just that
}

func newInstaller(o Options, t *target.API, dir string, reporter ui.Reporter) (*installer, error) {
	c := &installer{Options: o, target: t, reporter: reporter, broken: map[string]bool{}, sources: newSources(o.Root)}
	c.sources.server = sync.OnceValue(func() chart.Server { return serverOf(t.Config) })
	var err error
	port, certDir := o.Project.Controller.WebhookPort, filepath.Join(dir, "webhook-certs")
	if o.Program != nil {
		if c.program, err = newProgram(o.Program, dir, o.NoController); err != nil {
			return nil, err
		}
		c.program.subcommand, c.program.more = pod.Subcommand(o.Root), slices.Concat(o.Project.Controller.Args, o.Args)
		c.program.recorded = o.recording != nil && !o.NoController
		port, certDir = cmp.Or(port, c.program.webhookPort()), c.program.certDir()
		if o.Located {
			c.useChart()
		}
	}
	if o.NoController { // the settings of an editor name it
		port = cmp.Or(port, defaultWebhookPort)
	}
	// A controller with webhooks does not start without a port and a certificate, also where the API server does not call it.
	if c.hooks, err = newWebhooks(certDir, port); err != nil || !t.Ours {
		return c, err
	}
	c.applier, err = newApplier(t.Config, c.hooks.adapt, reporter)
	return c, err
}

// env are the variables that tell the controller of what is here.
func (i *installer) env() (env []string) {
	if i.program != nil {
		env = i.program.env(os.Environ())
	}
	if i.hooks != nil {
		if i.program != nil {
			env = append(env, i.program.hookEnv(i.hooks, os.Environ())...)
		}
		env = append(env, i.hooks.env()...)
	}
	return env
}

// lacks is what the controller may lack, if it ends by itself: variables that its pod takes from objects that are not here, and what init
// containers of its pod write.
func (i *installer) lacks(env []string) (hint string) {
	if i.program == nil || i.program.pod == nil {
		return ""
	}
	users := slices.Concat(i.Project.Controller.Args, i.Args)
	args := slices.DeleteFunc(i.args(), func(arg string) bool { // what the user sets instead is not needed
		flag := pod.FlagOf(arg)
		return flag != "" && slices.ContainsFunc(users, func(own string) bool { return pod.FlagOf(own) == flag })
	})
	if lacks := i.program.pod.Lacks(args, env); lacks != "" {
		hint = "; the manifests have no value for these variables: " + lacks + "; if it needs them, set them in the environment of \"crdctl run\""
	}
	if absent := slices.DeleteFunc(slices.Clone(i.program.pod.Absent), func(arg string) bool { return !slices.Contains(args, arg) }); len(absent) > 0 {
		hint += "; these files are in Secrets that no manifest has: " + strings.Join(absent, ", ") + "; if it needs them, name others in its arguments: crdctl run -- --FLAG=VALUE"
	}
	if filled := i.program.pod.Filled; len(filled) > 0 {
		hint += "; init containers of its pod, which do not run here, fill these volumes: " + strings.Join(filled, ", ") +
			"; if it needs their files, name others in its arguments: crdctl run -- --FLAG=VALUE"
	}
	return hint
}

// unread is why the controller may have ended at once: it does not know a flag that only its manifests have, or these were not found.
func (i *installer) unread() string {
	switch {
	case i.program == nil:
		return ""
	case i.program.pod == nil && i.Located:
		return "; no manifest with its Deployment was found, so it has none of the arguments and variables that it has in a cluster; if it needs them, name the manifests in " +
			config.FileName + " (controller.manifests), which \"crdctl adopt\" writes"
	}
	flags := i.program.unread()
	if len(flags) == 0 {
		return ""
	}
	return "; its manifests set " + strings.Join(flags, " ") + ", which the sources of the module do not define; if it does not know these flags, name other manifests in " +
		config.FileName + " (controller.manifests)"
}

// args are the arguments of the controller before the user's.
func (i *installer) args() []string {
	if i.program == nil {
		return nil
	}
	return i.program.args(i.hooks)
}

// show prints the arguments of the controller, as it gets them but for the values of Secrets, unless they are those that were printed last.
func (i *installer) show(args, env []string) {
	if i.program != nil {
		args = pod.Expand(args, i.program.pod.WithoutSecrets(env))
	}
	if text := strings.Join(args, " "); text != i.said && !i.NoController {
		i.said = text
		i.reporter.Note("the controller gets %s", text)
	}
}

// reread reads the sources of the manager while they are compiled: a flag may be new. The function that it returns waits for that. What was read
// counts from takeSource on: until then the API server may be told what is in the manifests, by what the sources had.
func (i *installer) reread() func() {
	if i.program == nil {
		return func() {}
	}
	read := make(chan *mainpkg.Program, 1)
	go func() {
		program, err := mainpkg.Read(i.Root, i.Project.Controller.Package)
		if err != nil {
			program = nil // the compiler has the words for it
		}
		read <- program
	}()
	return func() {
		if program := <-read; program != nil {
			i.source = program
		}
	}
}

// takeSource has what reread read count.
func (i *installer) takeSource() {
	if i.source != nil {
		i.program.source, i.source = i.source, nil
	}
}

// objects reads the manifests of the controller, without CRDs, and without the workload that runs it in a cluster.
func (i *installer) objects() ([]manifest.Object, error) {
	all, err := i.sources.read(i.Project.Controller.Manifests)
	i.sayMissing()
	all = slices.DeleteFunc(all, manifest.Object.IsCRD)
	if i.program == nil {
		return all, err
	}
	all = i.withoutAPIServices(all)
	name := pod.ProgramName(i.Root, i.Project.Controller.Package)
	others, workload := pod.TakeManager(all, name)
	if workload == nil {
		return others, err
	}
	secrets := i.rotatedSecrets(all, *workload)
	i.program.rotates = len(secrets) > 0
	var changed []string
	i.program.pod = pod.New(*workload, name, pod.Mounts{Dir: filepath.Join(i.program.temp, "volumes"), Certs: i.program.certDir(), Objects: all, Adapt: func(content string) string {
		adapted, fields := i.program.configFile(content, i.webhookPort())
		changed = append(changed, fields...)
		return adapted
	}})
	if what := strings.Join(changed, ", "); what != "" && what != i.adapted {
		i.adapted = what
		i.reporter.Note("the controller's configuration file is adapted to this machine: %s", what)
		for _, dir := range i.program.source.CertDirs {
			if _, err := os.Stat(dir); err != nil && !i.program.rotates {
				i.reporter.Note("%s uses %s, which does not exist and cannot be changed by a flag; if the controller needs it, create it with a tls.crt and a tls.key", i.program.source.Dir, dir)
			}
		}
	}
	if missing := i.program.missingVolumes(); missing != "" && missing != i.missing {
		i.missing = missing
		i.reporter.Note("%s uses volumes of its pod that no argument moves: %s; if it cannot create them, run \"sudo install -d -o $USER %s\"", i.program.source.Dir, missing, missing)
	}
	return i.withoutUncalled(others, all, *workload), errors.Join(err, i.fill(secrets, all))
}

// withoutAPIServices leaves out the APIs that a service of a cluster serves: nothing leads there from this API server, which would report
// errors for their groups to all clients.
func (i *installer) withoutAPIServices(objects []manifest.Object) (others []manifest.Object) {
	var skipped []string
	for _, o := range objects {
		if _, served, _ := unstructured.NestedMap(o.Object, "spec", "service"); served && o.GetKind() == "APIService" {
			skipped = append(skipped, o.GetName())
			continue
		}
		others = append(others, o)
	}
	if names := strings.Join(skipped, ", "); names != "" && names != i.skipped {
		i.skipped = names
		i.reporter.Note("skipped %s: APIs that are served by a service in a cluster are unreachable from here", names)
	}
	return others
}

func (i *installer) webhookPort() int {
	if i.hooks == nil {
		return i.program.webhookPort()
	}
	return i.hooks.port
}

// crds are those to install, with their webhooks on this machine.
func (i *installer) crds() ([]manifest.CRD, error) {
	crds, err := i.CRDs()
	if i.program != nil && len(i.CRDFiles) == 0 {
		crds, err = i.managerCRDs()
	}
	if err != nil || i.applier == nil {
		return crds, err
	}
	return i.hooks.adaptCRDs(crds), nil
}

// begin installs and applies what the controller needs, and gives it its identity.
func (i *installer) begin(ctx context.Context) error {
	if err := i.removeWebhooks(ctx); err != nil { // of a run that was killed
		return err
	}
	if err := i.tried("the CRDs", i.step("crds", func() error { return i.install(ctx) })); err != nil {
		return err
	}
	var broken error
	if len(i.Project.Controller.Manifests) > 0 {
		if i.applier == nil {
			i.reporter.Note("the controller's manifests are not applied: this cluster is not crdctl's own")
		} else if broken = i.tried(i.manifestPaths(), i.step("apply", func() error { return i.applyManifests(ctx, true) })); broken != nil && (i.Once || i.Account != nil) {
			return broken // the account may be in what could not be applied
		} else if broken != nil {
			i.refused = broken.Error()
			i.reporter.Note("%s", i.refused)
		}
	}
	if i.Account == nil {
		i.tellAccount()
		return nil
	}
	var err error
	if i.who, err = newIdentity(ctx, i.target.Config, *i.Account, i.Project.Controller.Manifests); err != nil {
		return target.Broken(err) // the manifests are all there: it is the settings or the flags that must change
	}
	i.tellRights(ctx)
	return nil
}

// tellAccount has the user know who the controller is, and who it would be in a cluster.
func (i *installer) tellAccount() {
	switch {
	case i.program == nil || i.program.pod == nil || !i.target.Ours:
	case i.program.pod.NoAccount && i.program.pod.Account == pod.DefaultAccount:
		i.reporter.Note("the controller runs as administrator: no manifest binds a role to its service account, %s/%s", i.program.pod.Namespace, i.program.pod.Account)
	case i.program.pod.NoAccount:
		i.reporter.Note("the controller runs as administrator: no manifest has its service account, %s/%s", i.program.pod.Namespace, i.program.pod.Account)
	default:
		i.reporter.Note("the controller runs as administrator; --as-service-account %s/%s gives it only the permissions of its role", i.program.pod.Namespace, i.program.pod.Account)
	}
}

// tellRights tells what the roles grant now.
func (i *installer) tellRights(ctx context.Context) {
	if i.who == nil || i.rights == nil {
		return
	}
	if grants, err := rbacaudit.Grants(ctx, i.who.client.RbacV1(), i.who.account); err == nil { // the report at the end has the error
		i.rights(i.who.account.User(), grants)
	}
}

// update does what a change asks for. Only CRDs that are not installed keep a controller from being started.
func (i *installer) update(ctx context.Context, change fswatch.Change) (blocking, other error) {
	// Also when sources changed: generate may have written manifests.
	if err := i.tried("the CRDs", i.step("crds", func() error { return i.install(ctx) })); err != nil || i.applier == nil {
		return err, nil
	}
	var problems []error
	if changed := change.Below(i.Project.Controller.Manifests...); changed || len(i.Project.Controller.Manifests) > 0 {
		problems = append(problems, i.tried(i.manifestPaths(), i.step("apply", func() error { return i.applyManifests(ctx, changed) })))
	}
	if change.Below(i.Project.Controller.Samples...) {
		problems = append(problems, i.tried(strings.Join(i.Project.Controller.Samples, ", "), i.step("apply", func() error { return i.applySamples(ctx) })))
	}
	return nil, errors.Join(problems...)
}

// tried remembers whether something could be done, and says that it can be done again: a fix may leave nothing to apply.
func (i *installer) tried(what string, err error) error {
	if i.broken[what] && err == nil {
		i.reporter.Note("no errors left in %s", what)
	}
	i.broken[what] = err != nil
	return err
}

func (i *installer) step(name string, do func() error) error {
	if i.timed == nil {
		return do()
	}
	return i.timed(name, do)
}

// news says what the API server has refused the controller since it was last asked.
func (i *installer) news(ctx context.Context) {
	if i.who != nil {
		i.who.news(ctx, i.reporter)
	}
}

// roleOfMarkers reports whether the role is made from markers in the sources.
func (i *installer) roleOfMarkers() bool {
	return i.Project.RBAC.Dir != "" || slices.ContainsFunc(i.Project.ControllerGen.Calls, func(c config.ControllerGenCall) bool { return c.RBAC != nil })
}

// end reports on the controller's permissions, and takes away what would not work without it.
func (i *installer) end(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, stopTimeout)
	defer cancel()
	select {
	case <-i.target.Ended:
		return nil // there is no server to ask
	default:
	}
	var problems []error
	if i.who != nil {
		problems = append(problems, i.who.report(ctx, i.roleOfMarkers(), i.reporter))
	}
	return errors.Join(append(problems, i.removeWebhooks(ctx))...)
}
