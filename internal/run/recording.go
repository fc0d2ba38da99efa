// SPDX-License-Identifier: Apache-2.0

package run

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"sync"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/controlplane"
	"github.com/crdctl/crdctl/internal/controlplane/rbacaudit"
	"github.com/crdctl/crdctl/internal/controlplane/record"
	"github.com/crdctl/crdctl/internal/fswatch"
	"github.com/crdctl/crdctl/internal/run/observe"
	"github.com/crdctl/crdctl/internal/trace"
	"github.com/crdctl/crdctl/internal/trace/redact"
	"github.com/crdctl/crdctl/internal/ui"
	"github.com/crdctl/crdctl/internal/view/server"
	"github.com/crdctl/crdctl/internal/workspace"
)

// Recording says what is recorded of a run. The zero value records into memory only.
type Recording struct {
	// Off records nothing, and finds nothing.
	Off bool
	// File also gets all records; "" for none.
	File   string
	Bodies trace.Bodies
	// RedactConfigMaps redacts the data of ConfigMaps, too.
	RedactConfigMaps bool
	// Crdctl is the version of crdctl.
	Crdctl string
	// MaxBytes bounds the records in memory; 0 is a default.
	MaxBytes int64
	// Page serves the page of the view, on Port of 127.0.0.1, or on a free one for 0.
	Page bool
	Port int
	// Open opens the page in the user's browser.
	Open bool
}

// recording is what records a run; nil records nothing.
type recording struct {
	*trace.Recorder
	redactor *redact.Redactor
	observe  *observe.Run
	file     string
	began    bool // the file
}

// record starts the recording of a run.
func (o *Options) record(reporter ui.Reporter) (*recording, error) {
	foreign := o.Cluster.IsSet()
	if o.Recording.Off || foreign && o.Recording.File == "" && !o.Recording.Page { // no proxy comes between a controller and a cluster unasked
		return nil, nil
	}
	plane, version := trace.PlaneOwn, controlplane.KubernetesVersion
	if foreign {
		plane, version = trace.PlaneProxy, "" // it is known later
	}
	home, err := os.UserHomeDir()
	if err != nil {
		home = "" // then no path is below it
	}
	redactor := redact.New(redact.Options{Project: o.Root, Home: home, ConfigMaps: o.Recording.RedactConfigMaps})
	recorder, err := trace.New(trace.Options{File: o.Recording.File, MaxBytes: o.Recording.MaxBytes, Redact: redactor.Line, RedactBody: redactor.Body, Failed: func(err error) {
		reporter.Note("--record: %v; the recording ends here, and goes on in memory", err)
	}, Header: trace.Header{
		Crdctl: o.Recording.Crdctl, Kubernetes: version, Project: o.projectName(),
		Plane: plane, Bodies: cmp.Or(o.Recording.Bodies, trace.BodiesNone), Levels: o.captured(), Redacted: redactor.Rules(),
	}})
	if err != nil {
		return nil, fmt.Errorf("--record: %w", err)
	}
	return &recording{Recorder: recorder, redactor: redactor, file: o.Recording.File, observe: observe.New(recorder, workspace.ModuleName(o.projectName()))}, nil
}

// captured names what a recording of the run has, as trace.Header does. Whether the project's own controller reports its reconciles is not
// known before it runs.
func (o *Options) captured() []string {
	levels := planeLevels
	if o.Cluster.IsSet() {
		levels = []string{"proxy", "watch", "kubeEvent"}
	}
	levels = append(slices.Clone(levels), "log")
	if o.Builtin {
		levels = append(levels, "loop")
	}
	return levels
}

// planeLevels are what is captured of a control plane.
var planeLevels = []string{"audit", "watch", "admission", "conversion", "failedOpen", "kubeEvent"}

// begin has the file written. A run that did not start leaves the one that is there.
func (r *recording) begin() error {
	if r == nil || r.file == "" {
		return nil
	}
	if err := r.Begin(); err != nil {
		return fmt.Errorf("--record: %w", err)
	}
	r.began = true
	return nil
}

// end is called when nothing is recorded any more.
func (r *recording) end(reporter ui.Reporter) error {
	if r == nil {
		return nil
	}
	r.observe.Close()
	if err := r.Close(); err != nil {
		return fmt.Errorf("--record: %w", err)
	}
	if r.began {
		reporter.Note("the recording is in %s; see \"%s\"", r.file, r.command())
	}
	return nil
}

// command shows what is in the recording.
func (r *recording) command(flags ...string) string {
	words := []string{"crdctl", "view"}
	if r.file != "" {
		words = append(words, r.file)
	}
	return config.Command{Words: append(words, flags...)}.String()
}

// options have the requests to a control plane recorded; nil for a run that is not recorded.
func (r *recording) options(o Options) *record.Options {
	if r == nil {
		return nil
	}
	options := &record.Options{Sink: r.Recorder, Source: r.Recorder, Redact: r.redactor, Bodies: o.Recording.Bodies, Controller: r.observe.Controller}
	if o.Account != nil {
		account := o.Account.User()
		options.IsController = func(user string) bool { return user == account }
	}
	return options
}

// hide keeps credentials out of what is recorded from now on.
func (r *recording) hide(tokens ...string) {
	if r == nil {
		return
	}
	for _, token := range tokens {
		r.redactor.Hide(token)
	}
}

// follow reports findings until the context ends, or the function that it returns is called.
func (r *recording) follow(ctx context.Context, foreign bool, reporter ui.Reporter) (end func()) {
	if r == nil {
		return func() {}
	}
	see := fmt.Sprintf("%q", r.command("--findings"))
	if foreign && r.file == "" {
		see = "the page" // a run on a cluster has no state by which view would find it
	}
	ctx, stop := context.WithCancel(ctx)
	var following sync.WaitGroup
	following.Go(func() { newNotes(r.Recorder, reporter, see).follow(ctx) })
	return func() { stop(); following.Wait() }
}

// serve serves the page, if that is asked for, until the context ends, or the function that it returns is called.
func (r *recording) serve(ctx context.Context, o Recording, reporter ui.Reporter) (end func(), err error) {
	if r == nil || !o.Page {
		return func() {}, nil
	}
	page, err := server.New(server.Options{Source: r.Recorder, Port: o.Port})
	if err != nil {
		return nil, fmt.Errorf("--ui: %w", err)
	}
	reporter.Note("the page is for you only, since its URL has a token: %s", page.URL())
	ctx, stop := context.WithCancel(ctx)
	var serving sync.WaitGroup
	serving.Go(func() {
		if err := page.Serve(ctx); err != nil && ctx.Err() == nil {
			reporter.Note("--ui: %v", err)
		}
	})
	closed := func() error { return nil }
	if o.Open {
		closed = page.Open(ctx, func(err error) { reporter.Note("--open: %v; open the URL yourself", err) })
	}
	return func() {
		stop()
		serving.Wait()
		_ = closed() // what is left is in a temporary directory of the user's
	}, nil
}

// sink is nil where nothing is recorded.
func (r *recording) sink() trace.Sink {
	if r == nil {
		return nil
	}
	return r.Recorder
}

// rights returns what records the rights of the controller's account, when they changed; nil where nothing is recorded.
func (r *recording) rights() func(user string, grants []rbacaudit.Grant) {
	if r == nil {
		return nil
	}
	var last *trace.Rights
	return func(user string, grants []rbacaudit.Grant) {
		now := &trace.Rights{User: user}
		for _, g := range grants {
			now.Grants = append(now.Grants, trace.Grant{
				Role: g.Role, Namespace: g.Namespace, Verbs: g.Rule.Verbs, Groups: g.Rule.APIGroups, Resources: g.Rule.Resources,
				Names: g.Rule.ResourceNames, Paths: g.Rule.NonResourceURLs,
			})
		}
		if !reflect.DeepEqual(now, last) {
			r.Add(now)
			last = now
		}
	}
}

func (r *recording) observed() *observe.Run {
	if r == nil {
		return nil
	}
	return r.observe
}

// projectName is the path of the project's module, or the name of its directory.
func (o *Options) projectName() string {
	if o.Project != nil {
		if module, err := (workspace.ImportPaths{}).Of(o.Root); err == nil {
			return module
		}
	}
	return filepath.Base(o.Root)
}

// saved are the files of a change as a recording has them; none for what no file asked for.
func (d *devLoop) saved(c fswatch.Change) (files []string) {
	asked := d.asked
	if d.asked = false; asked {
		return nil
	}
	if files = slices.Concat(c.Sources, c.Manifests); c.Settings {
		files = append(files, config.FileName)
	}
	slices.Sort(files)
	return slices.Compact(files)
}

// sample records the metrics of a controller that serves them where this run has told it to. The function that it returns ends that.
func (d *devLoop) sample(ctx context.Context) (end func()) {
	m := d.installer.program
	if d.observe == nil || m == nil || d.NoController {
		return func() {}
	}
	ctx, stop := context.WithCancel(ctx)
	var sampling sync.WaitGroup
	sampling.Go(func() { d.observe.Sample(ctx, m.metrics) })
	return func() { stop(); sampling.Wait() }
}
