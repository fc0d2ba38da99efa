package loop

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/client-go/dynamic"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"
)

const defaultWorkers = 2

// Options says what to follow, and how.
type Options struct {
	Config    *rest.Config
	Kinds     []Kind
	Workers   int           // for each kind; below 1 means 2
	Resync    time.Duration // 0 means never
	Namespace string        // "" means all; cluster-scoped kinds are always followed
	Log       *slog.Logger
}

// Run follows all kinds until ctx is done. It returns when every worker and informer has stopped and the last events
// are written: nil then, and an error only if it could not begin. A missing CRD or API server is no such error: it
// waits for them, and one kind never holds up another.
func Run(ctx context.Context, o Options) error {
	if err := o.check(); err != nil {
		return err
	}
	config := clientConfig(o.Config)
	httpClient, err := rest.HTTPClientFor(config)
	if err != nil {
		return fmt.Errorf("make a client for %s: %w", config.Host, err)
	}
	defer utilnet.CloseIdleConnectionsFor(httpClient.Transport) // or its goroutines outlive the loop
	objects, err := dynamic.NewForConfigAndClient(config, httpClient)
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
	events := newEventWriter(core, o.Log)
	var writer, controllers sync.WaitGroup
	writer.Go(func() { events.run(writerCtx) })

	server := &server{log: o.Log}
	for _, kind := range o.Kinds {
		c := newController(kind, o, events)
		c.feed = newFeed(kind, newSource(objects, kind, o.Namespace), c.queue.Add, server, c.log, o.Resync)
		controllers.Go(func() { c.run(ctx) })
	}
	controllers.Wait()
	stopWriter()
	writer.Wait()
	return nil
}

// check fills in what is not set and refuses what nothing can be done with.
func (o *Options) check() error {
	switch {
	case o.Log == nil:
		return errors.New("start the control loop: no logger; set Options.Log")
	case o.Config == nil:
		return errors.New("start the control loop: no API server; set Options.Config")
	case len(o.Kinds) == 0:
		return errors.New("start the control loop: no kinds to follow; name at least one CRD")
	}
	seen := map[string]bool{}
	for _, k := range o.Kinds {
		if seen[k.crdName()] {
			return fmt.Errorf("start the control loop: %s is named twice; name it once", k.crdName())
		}
		seen[k.crdName()] = true
	}
	if o.Workers < 1 {
		o.Workers = defaultWorkers
	}
	return nil
}
