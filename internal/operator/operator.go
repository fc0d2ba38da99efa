// SPDX-License-Identifier: Apache-2.0

// Package operator is the controller that crdctl has built in: it puts together the control loop, what decides on children,
// the leases that divide objects among replicas, metrics and probes, as the settings and flags of "crdctl run --builtin"
// ask for them.
//
// It starts no control plane and installs no CRDs, and it parses no flags: package run does the one, cmd the other.
package operator

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/operator/composite"
	"github.com/crdctl/crdctl/internal/operator/controller"
	"github.com/crdctl/crdctl/internal/operator/hook"
	"github.com/crdctl/crdctl/internal/operator/informer"
	"github.com/crdctl/crdctl/internal/operator/metrics"
	"github.com/crdctl/crdctl/internal/operator/pipeline"
	"github.com/crdctl/crdctl/internal/operator/shard"
	"github.com/crdctl/crdctl/internal/trace"
	"github.com/crdctl/crdctl/internal/ui"
)

// Options say what the controller is.
type Options struct {
	Config *rest.Config
	// Own reports whether Config is of a control plane of crdctl's own. Other clusters are spared: see informer.Limited.
	Own bool
	// Root is the directory that paths in Loop are relative to.
	Root string
	Loop config.Loop
	// CRDs are the kinds to work on, or CRDNames the names of those that the API server has or will have.
	CRDs     []*apiextv1.CustomResourceDefinition
	CRDNames []string
	// Leases has the controller work only on what it holds a lease for, in LeaseNamespace.
	Leases         bool
	LeaseNamespace string
	// MetricsAddr is where metrics and probes are served, "" for nowhere; Profiling serves profiles too.
	MetricsAddr string
	Profiling   bool
	NoEvents    bool
	Log         *slog.Logger
	// Mark is that of the processes of hooks, see proc.Options.
	Mark string
	// Trace takes records of what the controller does; nil records nothing. With TraceBodies other than none, also what hooks are asked,
	// and what they answer.
	Trace       trace.Sink
	TraceBodies trace.Bodies
	// Reporter prints what crdctl itself has to say.
	Reporter ui.Reporter
	// Out is where a preview is printed.
	Out io.Writer
}

// instance is one run of the controller.
type instance struct {
	Options
	client    rest.Interface // makes requests of any group and version
	catalogue *composite.Catalogue
	metrics   *metrics.Metrics                 // nil if metrics are off
	trace     *pipeline.Trace                  // nil if nothing is recorded
	epoch     atomic.Int64                     // counts the changes of what decides
	patience  time.Duration                    // how long to wait for what is missing; 0 is without end
	state     atomic.Pointer[controller.State] // nil until the loop runs
}

func open(o Options) (*instance, error) {
	c := &instance{Options: o, trace: pipeline.New(o.Trace, o.TraceBodies)}
	c.Log = c.trace.Logger(o.Log)
	if o.Own {
		c.Config = informer.Prompt(o.Config)
	} else {
		c.Config = informer.Limited(o.Config, o.Loop.QPS, o.Loop.Burst, c.Log)
	}
	if o.MetricsAddr != "" {
		c.metrics = metrics.NewMetrics()
		c.Config.Wrap(c.metrics.Transport)
	}
	if c.trace != nil {
		c.Config.Wrap(c.trace.Transport)
	}
	c.Config.WarningHandlerWithContext = &warnings{log: c.Log, told: map[string]bool{}} // of all clients: the reconciler has its own
	config := informer.ClientConfig(c.Config)
	config.NegotiatedSerializer = scheme.Codecs.WithoutConversion()
	var err error
	if c.client, err = rest.UnversionedRESTClientFor(config); err != nil {
		return nil, fmt.Errorf("make a client for %s: %w", config.Host, err)
	}
	c.catalogue = composite.NewCatalogue(c.client)
	return c, nil
}

// Run returns when ctx is done, and everything that it started has stopped. The error is nil then, or why it could not
// begin.
func Run(ctx context.Context, o Options) error {
	for {
		c, err := open(o)
		if err != nil {
			return err
		}
		if err = c.run(ctx); !errors.Is(err, errAgain) || ctx.Err() != nil {
			return err
		}
		if changed, ok := errors.AsType[*redefined](err); ok {
			o.CRDs, o.CRDNames = changed.crds, nil
			continue
		}
		o.Log.Info("The templates now read children; restarting with complete children in memory")
	}
}

// errAgain ends a loop that has to keep other things in memory than it does, or to follow other kinds.
var errAgain = errors.New("the loop must restart")

func (c *instance) run(ctx context.Context) error {
	ctx, again := context.WithCancelCause(ctx)
	defer again(nil)
	options := controller.Options{
		Config: c.Config, Workers: c.Loop.Workers, Resync: *c.Loop.Resync, Namespaces: c.Loop.Namespaces, Selector: c.Loop.Selector,
		FirstRetry: c.Loop.RetryFirst, LastRetry: c.Loop.RetryLast, Stream: c.Loop.WatchList,
		NoEvents: c.NoEvents, Trace: c.trace, Log: c.Log,
	}
	if c.metrics != nil {
		options.Metrics = c.metrics
	}
	var others sync.WaitGroup
	defer others.Wait()
	after, stop := context.WithCancel(context.WithoutCancel(ctx)) // of what ends when the loop has ended
	defer stop()

	var replicas *shard.Shards
	if c.Leases {
		var err error
		if replicas, err = c.replicas(); err != nil {
			return err
		}
		options.Shards = replicas
	}
	if c.MetricsAddr != "" { // before anything is waited for: probes should tell what
		server, err := c.listen(replicas)
		if err != nil {
			return err
		}
		others.Go(func() {
			if err := server.Serve(after); err != nil {
				c.Log.Error("Metrics and probes are no longer served", "err", err)
			}
		})
	}
	var err error
	if options.Kinds, err = c.kinds(ctx); err != nil {
		return err
	}
	definitions, err := c.definitions()
	if err != nil {
		return err
	}
	if c.Loop.Decides() {
		decider, err := c.decider()
		if err != nil {
			return err
		}
		defer decider.Close()
		decides, err := c.compositeOptions(ctx, decider)
		if err != nil {
			return err
		}
		options.Name, options.Reconciler = c.Loop.Name, composite.New(decides)
		others.Go(func() { c.followChanges(after, decider, decides.ReadsChildren, again) })
	}
	options.Started = func(s controller.State) {
		c.state.Store(&s)
		for name := range s.Sizes() {
			c.metrics.Cache(name, func() int { return s.Sizes()[name] })
		}
		others.Go(func() { giveBack(after, s, c.free) })
		others.Go(func() { c.followCRDs(after, definitions, s.Absent, again) })
		if replicas != nil { // not before: what is gained is enqueued
			others.Go(func() { replicas.Run(after) })
		}
	}
	c.Reporter.Note("running the built-in controller; stop with Ctrl-C")
	if err := controller.Run(ctx, options); err != nil {
		return err
	}
	if cause := context.Cause(ctx); errors.Is(cause, errAgain) {
		return cause
	}
	return nil
}

// enqueueAll does nothing before the loop runs: it begins with all objects anyway.
func (c *instance) enqueueAll(why string, which func(namespace, name string) bool) {
	if s := c.state.Load(); s != nil {
		(*s).EnqueueAll(why, which)
	}
}

// followChanges has everything reconciled when the hook or the templates change. Read tells that the loop has whole children in
// memory, and is not asked of the decider: it may have changed since then.
func (c *instance) followChanges(ctx context.Context, decider hook.Decider, read bool, again context.CancelCauseFunc) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-decider.Changed():
		}
		if !read && readsChildren(decider) {
			again(errAgain)
			return
		}
		c.epoch.Add(1)
		c.Log.Info("Hook or templates changed; reconciling all objects")
		c.enqueueAll(pipeline.Hook, nil)
	}
}

// path is a path of the settings.
func (c *instance) path(of string) string {
	if filepath.IsAbs(of) {
		return of
	}
	return filepath.Join(c.Root, filepath.FromSlash(of))
}
