package main

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crdctl/crdctl/e2e/internal/harness/faultproxy"
)

// restarted is a fault to a process that ends in one way or another.
func restarted(busy *sync.Mutex, end func() error, start func(context.Context) error, what string, away time.Duration) fault {
	return locked(busy, func(ctx context.Context) error {
		err := end()
		idle(ctx, away)
		return errors.Join(err, start(context.WithoutCancel(ctx)))
	}, "%s, started again after %s", what, tenth(away))
}

func (r *replica) refused(ctx context.Context, d time.Duration) error {
	if err := r.proxy.Close(); err != nil {
		return err
	}
	idle(ctx, d)
	return r.proxy.Open()
}

func (r *replica) cut(ctx context.Context, times int) error {
	for range times {
		r.proxy.EndWatches(faultproxy.End{})
		idle(ctx, time.Second)
	}
	return nil
}

// withoutCRD needs the control plane: what is deleted has to come to its end.
func (s *soak) withoutCRD(absence time.Duration) fault {
	return locked(&s.planeLife, func(ctx context.Context) error {
		ctx = context.WithoutCancel(ctx)
		if err := s.plane.removeCRD(ctx, absence); err != nil {
			return err
		}
		return s.settled(ctx) // or there would be next to nothing to do until the end of the round
	}, "the CRD is deleted with all objects, and made anew after %s", tenth(absence))
}

func (s *soak) failing(random *rand.Rand, d time.Duration) fault {
	var keys []string
	for range 5 {
		keys = append(keys, namespace+"/"+basketName(random.IntN(names)))
	}
	return locked(&s.failingKeys, func(ctx context.Context) error {
		return during(ctx, filepath.Join(s.shared, failingFile), strings.Join(keys, "\n"), d)
	}, "the hook always fails for %s, for %s", strings.Join(keys, ", "), tenth(d))
}

// during has a file of rules exist for a while.
func during(ctx context.Context, file, content string, d time.Duration) error {
	if err := writeFile(file, content); err != nil {
		return err
	}
	idle(ctx, d)
	return os.Remove(file)
}

func tenth(d time.Duration) time.Duration { return d.Round(100 * time.Millisecond) }

// spoil is what a proxy does to every second request of a sort. Watches are cut and connections refused by other means.
type spoil struct {
	what    string
	matches func(*http.Request) bool
	answer  func(*faultproxy.Proxy) http.HandlerFunc
	cuts    bool // the watches, so that there are new ones
}

func refuse(code int, reason metav1.StatusReason) func(*faultproxy.Proxy) http.HandlerFunc {
	return func(*faultproxy.Proxy) http.HandlerFunc { return faultproxy.Refuse(code, reason) }
}

func every(*http.Request) bool { return true }

var spoils = []spoil{
	{"410 for watches", faultproxy.IsWatch, refuse(http.StatusGone, metav1.StatusReasonExpired), true},
	{"410 in watches", faultproxy.IsWatch, func(*faultproxy.Proxy) http.HandlerFunc {
		return faultproxy.ErrorEvent(http.StatusGone, metav1.StatusReasonExpired)
	}, true},
	{"409 for writes", faultproxy.IsWrite, refuse(http.StatusConflict, metav1.StatusReasonConflict), false},
	{"429", every, refuse(http.StatusTooManyRequests, metav1.StatusReasonTooManyRequests), false},
	{"503", every, refuse(http.StatusServiceUnavailable, metav1.StatusReasonServiceUnavailable), false},
	{"answers to writes are lost", faultproxy.IsWrite, func(p *faultproxy.Proxy) http.HandlerFunc { return p.Lose }, false},
	{"slow", every, func(p *faultproxy.Proxy) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			idle(r.Context(), rand.N(2*time.Second))
			p.Forward(w, r)
		}
	}, false},
}

// during spoils every second request for a while.
func (s spoil) during(ctx context.Context, p *faultproxy.Proxy, d time.Duration) error {
	f := p.Inject(-1, func(r *http.Request) bool { return s.matches(r) && rand.N(2) == 0 }, s.answer(p))
	if s.cuts {
		p.EndWatches(faultproxy.End{})
	}
	idle(ctx, d)
	f.End()
	return nil
}
