package loop

import (
	"errors"
	"log/slog"
	"net/http"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// trouble is what one kind's log last said about it, so that each state is told once and not at every try.
type trouble struct {
	absent  bool
	refusal string
}

// note tells why a session ended, if that is news, and handles a missing CRD's objects as deleted.
func (f *feed) note(cause error) {
	switch {
	case apierrors.IsResourceExpired(cause) || apierrors.IsGone(cause):
		// The watch fell too far behind; the next session lists again.
	case apierrors.IsNotFound(cause):
		f.server.answered()
		f.noteAbsent()
	case outage(cause):
		f.server.lost(cause)
	default:
		f.server.answered()
		if f.trouble.refusal != cause.Error() {
			f.trouble.refusal = cause.Error()
			f.log.Warn("API server refuses to list; trying until it does not", "err", cause)
		}
	}
}

func (f *feed) noteAbsent() {
	if f.trouble.absent {
		return
	}
	f.trouble.absent = true
	select {
	case <-f.synced:
		f.log.Warn("customresourcedefinition " + f.kind.crdName() + " is gone; waiting for it")
	default:
		f.log.Info("customresourcedefinition " + f.kind.crdName() + " is not installed yet; waiting for it")
	}
	f.forgetAll()
}

func (f *feed) noteSynced() {
	f.server.answered()
	if f.trouble.absent {
		f.log.Info("customresourcedefinition " + f.kind.crdName() + " is installed")
	}
	f.trouble = trouble{}
	f.first.Do(func() { close(f.synced) })
}

// outage tells a server that cannot answer (unreachable, starting, overloaded) from one that answers no.
func outage(err error) bool {
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		return true
	}
	code := status.Status().Code
	return code >= http.StatusInternalServerError || code == http.StatusTooManyRequests
}

// server is the API server as all kinds see it: they share it, so its going and coming is told once and not per kind.
type server struct {
	log  *slog.Logger
	mu   sync.Mutex
	down bool
}

func (s *server) lost(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.down {
		s.down = true
		s.log.Warn("API server does not answer; trying until it does", "err", err)
	}
}

func (s *server) answered() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.down {
		s.down = false
		s.log.Info("API server answers again")
	}
}
