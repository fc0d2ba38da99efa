// SPDX-License-Identifier: Apache-2.0

package run

import (
	"context"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/fswatch"
	"github.com/crdctl/crdctl/internal/run/builtin"
	"github.com/crdctl/crdctl/internal/run/observe"
	"github.com/crdctl/crdctl/internal/run/target"
	"github.com/crdctl/crdctl/internal/tempdir"
	"github.com/crdctl/crdctl/internal/ui"
)

// devLoop builds and runs the project's controller, and does so again on every change. One goroutine decides; what it
// waits for are a change, the end of the controller, the end of the control plane, and the end of the run.
type devLoop struct {
	Options
	target   *target.API
	reporter ui.Reporter

	dir       string // for binaries, credentials, certificates
	watcher   *fswatch.Watcher
	pending   fswatch.Change   // what was told of while something was built
	missed    fswatch.Change   // what could not be followed, for the next change to make good
	ready     *binary          // what was built last; it may wait for a CRD
	restart   bool             // the controller is started again even if it is the same
	stale     bool             // what is generated has not been checked yet
	builtOnce bool             // the next build compiles no more than what changed
	begun     bool             // the API server has what must be there before the first start
	retry     <-chan time.Time // when what could not be applied is tried again without a change; nil for never
	installer *installer
	env       []string // of the controller, beyond ours
	child     controller
	steps     steps
	observe   *observe.Run  // nil where nothing is recorded
	save      *observe.Save // what is done about the change that is followed
	asked     bool          // the next change that is followed is none of a file

	findings  *findings // nil where the API is not checked
	unchecked bool      // what was generated has not been checked yet

	settings settings
	marked   *marked // nil where API directories have all that is generated from
}

// steps are what the loop has others do. They are functions so that tests of the loop need neither processes nor an API
// server.
type steps struct {
	generate func(context.Context) error
	begin    func(context.Context) error
	update   func(context.Context, fswatch.Change) (blocking, other error)
	build    func(ctx context.Context, generated bool) (*binary, error)
	start    func(*binary) error
	stop     func()
	samples  func(context.Context) error
}

func (d *devLoop) run(ctx context.Context) (err error) {
	dir, err := tempdir.NewRun()
	if err != nil {
		return err
	}
	d.dir = dir.Path
	defer func() { err = errors.Join(err, dir.Remove()) }()
	ctx, stop := d.target.BoundTo(ctx, d.Root)
	defer stop()
	if d.installer, err = newInstaller(d.Options, d.target, d.controllerDir(), d.reporter); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.installer.end(context.WithoutCancel(ctx))) }()
	d.installer.rights = d.recording.rights()
	d.installer.timed = func(name string, do func() error) error { return d.save.Step(name, do) }
	// Before anything is read, so that no change falls between the two.
	manifests := slices.Concat(d.crdPaths(), d.Project.Controller.Manifests, d.Project.Controller.Samples, d.installer.watched())
	if d.watcher, err = fswatch.New(d.Root, manifests, config.FileName); err != nil {
		return err
	}
	defer d.watcher.Close()
	if d.readsMarkers() {
		d.marked = newMarked(d.Root)
	}
	d.steps = steps{generate: d.generate, begin: d.begin, update: d.installer.update, build: d.build, start: d.start, stop: d.stopChild, samples: d.samples}
	if !d.Once {
		d.findings = &findings{check: d.checkAPI, reporter: d.reporter}
	}
	if d.NoController {
		d.steps.build, d.steps.start = d.buildNothing, (&instructions{devLoop: d}).print
	}
	defer d.sample(ctx)()
	// The controller ends before the control plane does, whatever happens.
	defer d.stopChild()
	return target.Interrupted(ctx, d.loop(ctx))
}

// begin does what must be there before the controller is started for the first time: the CRDs, the manifests, the
// controller's identity. It may be called again after an error.
func (d *devLoop) begin(ctx context.Context) error {
	if err := d.installer.begin(ctx); err != nil {
		return err
	}
	kubeconfig, err := d.kubeconfig(ctx)
	if err != nil {
		return err
	}
	d.env = append(d.installer.env(), "KUBECONFIG="+kubeconfig)
	return nil
}

// kubeconfig is the file for the controller's process. On a control plane of crdctl's its credential is not that of kubectl, so that the API server
// can tell the two apart.
func (d *devLoop) kubeconfig(ctx context.Context) (string, error) {
	switch {
	case d.installer.who != nil:
		return d.installer.who.kubeconfig(ctx, d.controllerDir(), d.target.Kubeconfig)
	case d.target.ControllerToken != "":
		return writeKubeconfig(d.controllerDir(), d.target.Kubeconfig, func(user *clientcmdapi.AuthInfo, _ *clientcmdapi.Context) {
			user.Token = d.target.ControllerToken
		})
	default:
		return d.target.Kubeconfig, nil
	}
}

// crdPaths are where the CRDs are, as far as that is below the root.
func (d *devLoop) crdPaths() []string {
	var paths []string
	if dir := d.Project.CRDs.Dir; dir != "" {
		paths = append(paths, dir)
	}
	for _, file := range d.CRDFiles {
		if abs, err := filepath.EvalSymlinks(absolute(file)); err == nil {
			if rel, err := filepath.Rel(d.Root, abs); err == nil && filepath.IsLocal(rel) {
				paths = append(paths, filepath.ToSlash(rel))
			}
		}
	}
	return paths
}

// absolute is a path that does not depend on the working directory, as far as that is known.
func absolute(file string) string {
	if abs, err := filepath.Abs(file); err == nil {
		return abs
	}
	return file
}

func (d *devLoop) loop(ctx context.Context) error {
	refusals := time.NewTicker(time.Second)
	defer refusals.Stop()
	jumps := builtin.WatchClock(ctx, d.reporter)
	d.stale, d.settings = d.generates(), settingsOf(d.Root)
	d.unchecked = !d.SkipGenerate
	if d.findings != nil {
		defer d.findings.end()
	}
	err := d.rebuild(ctx)
	for {
		if ctx.Err() != nil {
			return target.Failure(ctx)
		}
		if err != nil && !errors.Is(err, errSuperseded) {
			if d.hopeless(err) {
				return err
			}
			d.reporter.Note("%v", err)
			if d.Once {
				return errors.New("the controller is not running; fix the error above and run again")
			}
			if d.child.runs() {
				d.reporter.Note("the last good build keeps running; waiting for a change; stop with Ctrl-C")
			} else {
				d.reporter.Note("waiting for a change; stop with Ctrl-C")
			}
		}
		err = nil
		if next := d.pending; !next.IsZero() {
			d.pending = fswatch.Change{}
			err = d.follow(ctx, next)
			continue
		}
		if d.unchecked && d.findings != nil && d.child.runs() {
			d.unchecked = false
			d.findings.begin(ctx)
		}
		select {
		case <-ctx.Done():
		case found, ok := <-d.findings.found():
			d.findings.news(found, ok)
		case c := <-d.watcher.Changes:
			err = d.follow(ctx, c)
		case err := <-d.watcher.Errors:
			return err
		case key := <-d.Keys:
			err = d.press(ctx, key)
		case <-d.child.done():
			d.Controller.End()
			err = d.child.ended()
		case <-d.retry:
			d.tryAgain(ctx)
		case <-jumps:
			err = d.renewToken(ctx)
		case <-refusals.C:
			d.installer.news(ctx)
		}
	}
}

// rebuild follows a change of no file.
func (d *devLoop) rebuild(ctx context.Context) error {
	d.asked = true
	return d.follow(ctx, fswatch.Change{Sources: []string{"go.mod"}})
}

// follow does what a change asks for: generate, install, apply, build, start. What the API server is told and what the
// compiler does go on side by side; the controller starts when both are done. What could not be done is left to the
// next change, whatever that is.
func (d *devLoop) follow(ctx context.Context, c fswatch.Change) error {
	if _, err := os.Stat(d.Root); err != nil {
		return nil // moved or removed: the end of the run is on its way, and has the words for it
	}
	d.save = d.observe.Save(d.saved(c))
	defer d.save.End()
	touched, quiet := c.Below(slices.Concat(d.Project.Controller.Manifests, d.Project.Controller.Samples)...), !d.begun
	c, d.missed = d.missed.Add(c), fswatch.Change{}
	if c.Settings {
		d.settings.changed(d.Root, d.reporter)
		c.Settings = false
	}
	generated, err := d.generateFor(ctx, c)
	if err == nil && !d.begun {
		err = d.steps.begin(ctx)
		d.begun = err == nil
	}
	if err != nil {
		d.missed = c
		return err
	}
	installed, err := d.updateAndBuild(ctx, c, generated)
	switch {
	case ctx.Err() != nil:
		return nil
	case installed.blocking != nil && errors.Is(err, errSuperseded):
		d.missed = c
		d.reporter.Note("%v", installed.blocking)
	case installed.blocking != nil:
		d.missed = c
		err = errors.Join(installed.blocking, err)
	case err != nil:
		d.missed = c
	}
	if installed.other != nil {
		d.missed.Manifests = c.Manifests
	}
	d.tellRefused(installed.other, touched, quiet)
	// Without a build, this is the chance of a controller that waited for a CRD, or that died for want of a manifest.
	if err != nil || d.ready == nil {
		return err
	}
	return d.restarted(ctx, builds(c))
}

// generateFor generates if a change, or an earlier one, asks for it, and reports whether it did. What was found may be impossible to generate; the
// controller is built all the same.
func (d *devLoop) generateFor(ctx context.Context, c fswatch.Change) (generated bool, err error) {
	if !d.asksToGenerate(c) && !d.stale {
		return false, nil
	}
	err = d.save.Step("generate", func() error { return d.steps.generate(ctx) })
	if d.Discovered && errors.Is(err, errNotGenerated) {
		d.reporter.Note("%v", err)
		err = nil
	}
	if d.stale = err != nil; !d.stale {
		d.unchecked = true
	}
	return true, err
}

// outcome is what became of what the API server was told: an error that keeps the controller from starting, and one that does not.
type outcome struct{ blocking, other error }

// builds reports whether a change is one of what the controller is built from.
func builds(c fswatch.Change) bool { return len(c.Sources) > 0 || c.All }

// updateAndBuild tells the API server what a change asks for, and builds the controller meanwhile.
func (d *devLoop) updateAndBuild(ctx context.Context, c fswatch.Change, generated bool) (installed outcome, err error) {
	told := make(chan outcome, 1)
	go func() {
		blocking, other := d.steps.update(ctx, c)
		told <- outcome{blocking, other}
	}()
	if builds(c) {
		var program *binary
		err = d.save.Step("build", func() (err error) {
			program, err = d.steps.build(ctx, generated)
			return err
		})
		if err == nil {
			d.ready = program
		}
	}
	installed = <-told
	d.installer.takeSource()                                                                   // not during the update, which reads it
	if err == nil && d.ready != nil && installed.blocking == nil && d.installer.downloaded() { // as the update changes the installer, too
		err = d.installer.tried("the CRDs", d.installer.install(ctx))
	}
	return installed, err
}

// restarted starts the controller that is ready, unless it runs; built tells that a change could have made it another.
func (d *devLoop) restarted(ctx context.Context, built bool) error {
	restart := d.restart
	if d.restart = false; d.child.runsBinary(d.ready) && !restart {
		if built { // from a comment, or a test
			d.reporter.Note("same program; the controller keeps running")
		}
		return nil
	}
	err := d.save.Step("restart", func() error {
		d.steps.stop()
		if ctx.Err() != nil {
			return nil
		}
		return d.steps.start(d.ready)
	})
	if err == nil && d.installer.refused != "" {
		d.retry = time.After(servesAfter)
	}
	return err
}

// asksToGenerate reports whether a change is one of what files are generated from.
func (d *devLoop) asksToGenerate(c fswatch.Change) bool {
	if d.SkipGenerate {
		return false
	}
	marked := d.marked != nil && d.marked.changed(c)
	return marked || len(d.Project.APIs) > 0 && c.In(d.Project.APIs)
}

// readsMarkers reports whether files are generated from markers outside the API directories, such as those of the role.
func (d *devLoop) readsMarkers() bool {
	return !d.SkipGenerate && (d.Project.RBAC.Dir != "" || len(d.Project.ControllerGen.Calls) > 0)
}

// generates reports whether the run begins by generating: only with settings that the user wrote down. Settings that were
// found are good for comparing, and for following what is changed during the run, but a try of a repository must not
// rewrite what another version of the generators has made.
func (d *devLoop) generates() bool {
	switch {
	case d.SkipGenerate, len(d.Project.APIs) == 0 && len(d.Project.ControllerGen.Calls) == 0:
		return false
	case !slices.ContainsFunc(d.Project.APIs, d.hasDir) && len(d.Project.ControllerGen.Calls) == 0:
		d.reporter.Note("apis: %s does not exist, so nothing is generated; correct apis in %s, or use --skip-generate", strings.Join(d.Project.APIs, ", "), config.FileName)
		return false
	case d.Discovered:
		d.reporter.Note("no %s says what is generated, so nothing is generated at the start; \"crdctl verify\" reports whether the generated files are up to date", config.FileName)
		return false
	}
	return true
}

// hasDir reports whether the project has a directory: one without its API directories has nothing to generate from.
func (d *devLoop) hasDir(name string) bool {
	info, err := os.Stat(filepath.Join(d.Root, filepath.FromSlash(name)))
	return err == nil && info.IsDir()
}

// hopeless reports whether no change of a file could help: waiting for one would be a dead end.
func (d *devLoop) hopeless(err error) bool {
	_, broken := errors.AsType[target.BrokenError](err)
	_, transport := errors.AsType[*url.Error](err)
	return broken || !d.begun && (transport || apierrors.IsUnauthorized(err) || apierrors.IsForbidden(err))
}

// renewToken gives the controller a token that the API server does not take for one of the future, or of the past.
func (d *devLoop) renewToken(ctx context.Context) error {
	if d.installer.who == nil {
		return nil
	}
	_, err := d.kubeconfig(ctx)
	return err
}
