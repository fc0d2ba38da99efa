// SPDX-License-Identifier: Apache-2.0

package informer

import (
	"errors"
	"log/slog"
	"net/http"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// trouble is what one kind's log last said about it, so that each state is told once and not at every try.
type trouble struct {
	refusal string
}

// note tells why a session ended, if that is news, and handles a missing CRD's objects as deleted.
func (f *Informer) note(cause error) {
	switch {
	case apierrors.IsResourceExpired(cause) || apierrors.IsGone(cause):
		// The watch fell too far behind; the next session lists again.
	case apierrors.IsNotFound(cause):
		f.server.answered()
		f.noteAbsent()
	case errors.As(cause, new(*unreadable)):
		f.server.answered()
		f.refused("Invalid list from the API server; retrying", cause)
	case Outage(cause):
		f.server.lost(cause)
	default:
		f.server.answered()
		f.refused("List failed; retrying", cause)
	}
}

func (f *Informer) refused(what string, cause error) {
	if f.trouble.refusal != cause.Error() {
		f.trouble.refusal = cause.Error()
		f.log.Warn(what, "err", cause)
	}
}

func (f *Informer) noteAbsent() {
	if f.absent.Swap(true) {
		return
	}
	select {
	case <-f.synced:
		f.log.Warn("customresourcedefinition " + f.reader.Name() + " was deleted; waiting for it")
	default:
		f.log.Info("customresourcedefinition " + f.reader.Name() + " is not installed yet; waiting for it")
	}
	f.forgetAll()
}

func (f *Informer) noteSynced() {
	f.server.answered()
	if f.absent.Swap(false) {
		f.log.Info("customresourcedefinition " + f.reader.Name() + " is installed")
	}
	f.trouble = trouble{}
	f.first.Do(func() { close(f.synced) })
}

// unreadable is the error of an answer that came, and is not what was asked for.
type unreadable struct{ error }

func (u *unreadable) Error() string {
	return "cannot read what the API server sent: " + u.error.Error()
}

// Unwrap returns what is wrong with it.
func (u *unreadable) Unwrap() error { return u.error }

// Outage tells a server that cannot answer (unreachable, starting, overloaded) from one that answers no.
func Outage(err error) bool {
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		return true
	}
	code := status.Status().Code
	return code >= http.StatusInternalServerError || code == http.StatusTooManyRequests
}

// Server is the API server as all kinds see it: they share it, so its going and coming is told once and not per kind.
type Server struct {
	log  *slog.Logger
	mu   sync.Mutex
	down bool
}

// NewServer logs to log.
func NewServer(log *slog.Logger) *Server { return &Server{log: log} }

// Down tells that the API server did not answer last.
func (s *Server) Down() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.down
}

func (s *Server) lost(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.down {
		s.down = true
		s.log.Warn("API server does not answer; retrying", "err", err)
	}
}

func (s *Server) answered() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.down {
		s.down = false
		s.log.Info("API server answers again")
	}
}
