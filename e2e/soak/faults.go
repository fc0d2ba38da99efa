package main

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/crdctl/crdctl/e2e/internal/harness/faultproxy"
)

func (s *soak) killed(r *replica, away time.Duration) fault {
	return locked(&r.life, func(ctx context.Context) error {
		r.kill()
		idle(ctx, away)
		return r.start(context.WithoutCancel(ctx))
	}, "replica %s: kill -9, started again after %s", r.name, tenth(away))
}

func (s *soak) ended(r *replica, away time.Duration) fault {
	return locked(&r.life, func(ctx context.Context) error {
		err := r.end()
		r.paused() // one that had to be killed may have been at something
		idle(ctx, away)
		return errors.Join(err, r.start(context.WithoutCancel(ctx)))
	}, "replica %s: SIGTERM, started again after %s", r.name, tenth(away))
}

func (s *soak) frozen(r *replica, d time.Duration) fault {
	return locked(&r.life, func(ctx context.Context) error { return r.freeze(ctx, d) }, "replica %s: SIGSTOP, SIGCONT after %s", r.name, tenth(d))
}

func (s *soak) misbehaving(r *replica, how string, d time.Duration) fault {
	return locked(&r.rules, func(ctx context.Context) error { return during(ctx, ruleFile(r.shared, r.name), how, d) }, "replica %s: the hook %s, for %s", r.name, how, tenth(d))
}

func (s *soak) refused(r *replica, d time.Duration) fault {
	return locked(&r.network, func(ctx context.Context) error {
		if err := r.proxy.Close(); err != nil {
			return err
		}
		idle(ctx, d)
		return r.proxy.Open()
	}, "replica %s: connections refused, for %s", r.name, tenth(d))
}

func (s *soak) cut(r *replica, times int) fault {
	return locked(&r.network, func(ctx context.Context) error {
		for range times {
			r.proxy.EndWatches(faultproxy.End{})
			idle(ctx, time.Second)
		}
		return nil
	}, "replica %s: watches cut, %d times", r.name, times)
}

func (s *soak) spoilt(r *replica, how spoil, d time.Duration) fault {
	return locked(&r.network, func(ctx context.Context) error {
		f := how.on(r.proxy)
		idle(ctx, d)
		f.End()
		return nil
	}, "replica %s: %s, for %s", r.name, how.what, tenth(d))
}

func (s *soak) planeKilled(away time.Duration) fault {
	return locked(&s.planeLife, func(ctx context.Context) error {
		s.plane.kill()
		idle(ctx, away)
		return s.plane.start(context.WithoutCancel(ctx))
	}, "control plane: kill -9, started again after %s", tenth(away))
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

func (s *soak) touched() fault {
	return fault{what: "the hook's program is touched", take: func() bool { return true }, give: func() {}, do: func(context.Context) error {
		now := time.Now()
		return os.Chtimes(s.hook, now, now)
	}}
}

func (s *soak) failing(random *rand.Rand, d time.Duration) fault {
	var keys []string
	for range 5 {
		keys = append(keys, namespace+"/"+basketName(random.IntN(s.pen.names)))
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
