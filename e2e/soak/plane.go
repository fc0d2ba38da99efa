package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/crdctl/crdctl/e2e/internal/harness/api"
	"github.com/crdctl/crdctl/e2e/internal/harness/program"
	"github.com/crdctl/crdctl/internal/controlplane/state"
)

// requestPatience bounds a request: the API server may be killed while it is on its way.
const requestPatience = 20 * time.Second

// plane is crdctl's control plane, which is a real API server, as a process of its own with kept data.
type plane struct {
	*process
	api        *api.Server
	kubeconfig string
}

// startPlane starts it for the first time, with the CRD.
func startPlane(ctx context.Context, dir, logs, crdctl string) (*plane, error) {
	root := filepath.Join(dir, "plane")
	if err := os.MkdirAll(root, 0o755); err != nil {
		return nil, err
	}
	side := program.Side{Dir: root, Argv: []string{crdctl, "cluster", "serve", "--dir", root}, Env: append(os.Environ(), "TMPDIR="+dir)}
	p := &plane{kubeconfig: filepath.Join(state.Cluster(root), "kubeconfig"), process: &process{name: "plane", logs: logs, side: side}}
	err := p.start(ctx)
	if err == nil {
		p.api, err = api.Connect(ctx, p.kubeconfig, p.Done())
	}
	if err == nil {
		err = p.api.Install(ctx, p.Done(), crd)
	}
	return p, err
}

// start starts it, again on the same port and data, and waits until it answers.
func (p *plane) start(ctx context.Context) error {
	err := p.process.start()
	if err == nil {
		_, _, err = p.Await(ctx, 0, "ready at")
	}
	return err
}

// get reads objects.
func get[T any](ctx context.Context, p *plane, path, selector string) ([]T, error) {
	ctx, cancel := context.WithTimeout(ctx, requestPatience)
	defer cancel()
	data, err := p.api.Client.Get().AbsPath(path).Param("labelSelector", selector).MaxRetries(0).DoRaw(ctx)
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", path, err)
	}
	var l struct{ Items []T }
	err = json.Unmarshal(data, &l)
	return l.Items, err
}

// removeCRD deletes the CRD, waits until it and its objects are gone, and makes it anew.
func (p *plane) removeCRD(ctx context.Context, absence time.Duration) error {
	err := p.api.Client.Delete().AbsPath(crdPath).Do(ctx).Error()
	if err != nil {
		return fmt.Errorf("delete the CRD: %w", err)
	}
	gone := program.Poll(ctx, nil, func(ctx context.Context) bool {
		return apierrors.IsNotFound(p.api.Client.Get().AbsPath(crdPath).Do(ctx).Error())
	})
	if gone != nil {
		return fmt.Errorf("the CRD does not go: %w", gone)
	}
	idle(ctx, absence)
	return errors.Join(ctx.Err(), p.api.Install(ctx, nil, crd))
}

// settle has exactly so many objects: what is compared is compared at equal numbers.
func (s *soak) settle(ctx context.Context) error {
	there, err := get[basket](ctx, s.plane, basketsPath, "")
	if err != nil {
		return err
	}
	known, staying := map[string]bool{}, 0
	random := rand.New(rand.NewPCG(s.seed, uint64(len(there))))
	for _, b := range there {
		known[b.Name] = true
		if b.DeletionTimestamp == nil {
			staying++
		}
	}
	for n := 0; n < names && staying != objects && err == nil; n++ {
		switch name := basketName(n); {
		case !known[name] && staying < objects:
			staying++
			err = s.pen.create(ctx, random, name)
		case known[name] && staying > objects:
			staying--
			err = s.pen.remove(ctx, basketsPath, name)
		}
		if apierrors.IsAlreadyExists(err) || apierrors.IsNotFound(err) { // another writer was faster
			err = nil
		}
	}
	if err == nil && staying != objects {
		err = errors.New("names are taken by objects that are being deleted")
	}
	return err
}
