// SPDX-License-Identifier: Apache-2.0

package controlplane

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apiserver/pkg/authentication/user"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/kubernetes/cmd/kube-apiserver/app"

	"github.com/crdctl/crdctl/internal/controlplane/rbacaudit"
	"github.com/crdctl/crdctl/internal/controlplane/record"
	"github.com/crdctl/crdctl/internal/trace"
)

const (
	pollInterval = 5 * time.Millisecond
	// bootPatience bounds the wait, during a stop, for an API server that is still coming up.
	bootPatience = 30 * time.Second
	// drainPatience is how long requests in flight may take once the stop has begun.
	drainPatience = time.Second
)

var errStopped = errors.New("stopped")

// apiServer is a kube-apiserver: the aggregator, the built-in kinds and the CRDs behind one port.
type apiServer struct {
	listener *listener
	recorder *record.Recorder // nil without a recording
	loopback *rest.Config     // of the API server's own all-powerful client
	client   kubernetes.Interface
	run      func(context.Context) error
	drain    func() // waits for the requests in flight and turns new ones away

	cancel context.CancelCauseFunc
	ready  chan struct{} // closed when /readyz has answered ok
	over   sync.Once
	done   chan struct{} // closed when run has returned, or never will in good time
	err    error         // why; read it once done is closed
	// trouble is why the server is not ready, as far as it is known.
	trouble atomic.Pointer[error]
	store   *store
	tasks   sync.WaitGroup
}

// newAPIServer prepares a server. Half of that needs the store; awaitStore is called in between, so that the
// two come up side by side.
func newAPIServer(l *listener, s *secrets, etcdSocket string, recording *record.Options, awaitStore func() error) (*apiServer, error) {
	seen := listeners{access: rbacaudit.NewRecorder()}
	if recording != nil {
		seen.record = record.New(*recording, AdminUser, ControllerUser, user.APIServerUser)
	}
	config, err := serverConfig(l, s, etcdSocket, seen)
	if err != nil {
		return nil, err
	}
	if err := awaitStore(); err != nil {
		return nil, err
	}
	openAPI := postponeOpenAPI(config.KubeAPIs.ControlPlane.Generic.Config)
	aggregator, err := app.CreateServerChain(config)
	if err != nil {
		return nil, fmt.Errorf("create the API server: %w", err)
	}
	kube, ok := aggregator.GenericAPIServer.NextDelegate().(*genericapiserver.GenericAPIServer)
	if !ok {
		return nil, errors.New("create the API server: the aggregator has no delegate; this crdctl does not fit its Kubernetes libraries")
	}
	openAPI.serve(kube)
	mux := aggregator.GenericAPIServer.Handler.NonGoRestfulMux
	mux.Handle(rbacaudit.Path, seen.access)
	if recording != nil && recording.Source != nil {
		mux.Handle(trace.Path, trace.Handler(recording.Source))
	}
	prepared, err := aggregator.PrepareRun()
	if err != nil {
		return nil, fmt.Errorf("prepare the API server: %w", err)
	}
	loopback := aggregator.GenericAPIServer.LoopbackClientConfig
	client, err := kubernetes.NewForConfig(loopback)
	if err != nil {
		return nil, fmt.Errorf("make the API server's own client: %w", err)
	}
	return &apiServer{
		listener: l,
		recorder: seen.record,
		loopback: loopback,
		client:   client,
		run:      prepared.Run,
		drain:    aggregator.GenericAPIServer.NonLongRunningRequestWaitGroup.Wait,
		ready:    make(chan struct{}),
		done:     make(chan struct{}),
	}, nil
}

// serve starts serving. The end of the store ends the server, which is of no use without.
func (s *apiServer) serve(store *store) {
	ctx, cancel := context.WithCancelCause(context.Background())
	s.cancel, s.store = cancel, store
	s.tasks.Go(func() {
		err := s.run(ctx)
		if cause := context.Cause(ctx); err == nil && !errors.Is(cause, errStopped) {
			err = cause
		}
		s.end(err)
	})
	s.tasks.Go(func() {
		select {
		case <-store.failed:
			// Requests that wait for the store hold up the server's own end, for a minute.
			err := fmt.Errorf("etcd failed: %w", store.err)
			s.end(err)
			cancel(err)
		case <-s.done:
		}
	})
	s.tasks.Go(func() {
		if err := createFirst(ctx, s.client, func(err error) { s.trouble.Store(&err) }); err == nil && s.pollReady(ctx) == nil {
			close(s.ready)
		}
	})
}

func (s *apiServer) end(err error) {
	s.over.Do(func() {
		s.err = err
		close(s.done)
	})
}

func (s *apiServer) pollReady(ctx context.Context) error {
	client := s.client.Discovery().RESTClient()
	return wait.PollUntilContextCancel(ctx, pollInterval, true, func(ctx context.Context) (bool, error) {
		body, err := client.Get().AbsPath("/readyz").DoRaw(ctx)
		return err == nil && string(body) == "ok", nil
	})
}

func (s *apiServer) awaitReady(ctx context.Context) error {
	select {
	case <-s.ready:
		return nil
	case <-s.done:
		return fmt.Errorf("the API server stopped before it was ready: %w", s.err)
	case <-ctx.Done():
		err := fmt.Errorf("wait for the API server: %w", context.Cause(ctx))
		if trouble := s.trouble.Load(); trouble != nil && *trouble != nil && errors.Is(err, context.DeadlineExceeded) {
			err = fmt.Errorf("%w; requests that it needs to start are refused: %w", err, *trouble)
		}
		return err
	}
}

// stop ends the server. It first lets a server that is coming up get ready: several of its post-start hooks
// take the end of their context for a failure and end the process (klog.Fatal).
func (s *apiServer) stop() {
	select {
	case <-s.ready:
	case <-s.done:
	case <-time.After(bootPatience):
	}
	s.cancel(errStopped)
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		s.drain()
	}()
	select {
	case <-drained:
	case <-time.After(drainPatience):
	}
	s.listener.drop()
	s.store.awaitUnlessFailed(s.tasks.Wait)
}
