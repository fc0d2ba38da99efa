// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"context"
	"fmt"
	"sync"

	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/client-go/kubernetes/scheme"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"github.com/crdctl/crdctl/internal/operator/events"
	"github.com/crdctl/crdctl/internal/operator/informer"
	"github.com/crdctl/crdctl/internal/operator/object"
)

// Run follows all kinds until ctx is done. It returns when every worker and informer has stopped and the last events
// are written: nil then, and an error only if it could not begin. A missing CRD or API server is not such an error: it
// waits for them, and one kind never holds up another.
func Run(ctx context.Context, o Options) error {
	if err := o.complete(); err != nil {
		return err
	}
	config := informer.ClientConfig(o.Config)
	httpClient, err := rest.HTTPClientFor(config)
	if err != nil {
		return fmt.Errorf("make a client for %s: %w", config.Host, err)
	}
	defer utilnet.CloseIdleConnectionsFor(httpClient.Transport) // or its goroutines outlive the loop
	raw := rest.CopyConfig(config)
	raw.NegotiatedSerializer = scheme.Codecs.WithoutConversion() // for errors only: bodies are read by package object
	client, err := rest.UnversionedRESTClientForConfigAndClient(raw, httpClient)
	if err != nil {
		return fmt.Errorf("make a client for %s: %w", config.Host, err)
	}
	core, err := corev1client.NewForConfigAndClient(config, httpClient)
	if err != nil {
		return fmt.Errorf("make a client for %s: %w", config.Host, err)
	}

	// The workers' last reconciles still record events, so the writer is told to stop after they have stopped.
	writerCtx, stopWriter := context.WithCancel(context.WithoutCancel(ctx))
	defer stopWriter()
	var writer sync.WaitGroup
	record := recorder(noRecorder{})
	if !o.NoEvents {
		w := events.NewWriter(core, o.Name, o.Log)
		writer.Go(func() { w.Run(writerCtx) })
		record = w
	}
	l := &loop{Options: o, client: client, server: informer.NewServer(o.Log), events: record, ctx: ctx, followed: map[followKey]*informer.Informer{}}
	err = l.run()
	stopWriter()
	writer.Wait()
	return err
}

// loop is one Run.
type loop struct {
	Options
	client      rest.Interface
	server      *informer.Server
	events      recorder
	ctx         context.Context
	controllers []*controller
	parts       sync.WaitGroup

	mu       sync.Mutex
	followed map[followKey]*informer.Informer
	begun    bool // followed feeds run
}

func (l *loop) run() error {
	ctx, stop := context.WithCancel(l.ctx)
	defer stop()
	l.ctx = ctx
	for _, kind := range l.Kinds {
		c, err := l.controller(kind)
		if err != nil {
			stop()
			for _, made := range l.controllers {
				made.queue.ShutDown() // it has goroutines of its own from the start
			}
			l.parts.Wait()
			return err
		}
		l.controllers = append(l.controllers, c)
	}
	if l.Started != nil {
		l.Started(l)
	}
	l.begin()
	for _, c := range l.controllers {
		l.parts.Go(func() { c.run(ctx) })
	}
	<-ctx.Done()
	l.parts.Wait()
	return nil
}

func (l *loop) controller(kind Kind) (*controller, error) {
	c := newController(kind, l.Options, l.events)
	handle := Handle{
		Kind: kind, Client: l.client, Record: l.events.Record,
		Get:     func(key cache.ObjectName) *object.Object { return c.feeds.Get(key) },
		Enqueue: c.add, Skip: l.Trace.Skip,
		Follow: func(s informer.Source, h informer.Handler) informer.Set {
			feeds := l.follow(s, h)
			if !l.hasBegun() {
				c.needs.add(feeds)
			}
			return feeds
		},
	}
	var err error
	if c.reconciler, err = l.Reconciler(handle); err != nil {
		c.queue.ShutDown()
		return nil, fmt.Errorf("start the control loop of %s: %w", kind.Kind, err)
	}
	source := informer.Source{Resource: kind.Resource, Kind: kind.Kind, Namespaced: kind.Namespaced, Selector: l.Selector, Stream: l.Stream}
	if c.reconciler.Keeps() == KeepsIdentity {
		source.Keep = object.Identity
	}
	for _, namespace := range l.namespaces(kind.Namespaced) {
		source.Namespace = namespace
		f := informer.New(l.client, source, false, l.server, c.log)
		f.Record(l.Trace)
		c.feeds = append(c.feeds, f)
	}
	return c, nil
}

// namespaces are those to follow of a kind; "" stands for all.
func (o *Options) namespaces(namespaced bool) []string {
	if !namespaced || len(o.Namespaces) == 0 {
		return []string{""}
	}
	return o.Namespaces
}

type noRecorder struct{}

func (noRecorder) Record(ObjectReference, string, string, string) {}
