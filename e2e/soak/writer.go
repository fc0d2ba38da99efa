package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"

	"github.com/crdctl/crdctl/e2e/internal/harness/api"
)

const (
	writers = 4
	// mostChildren is how many children an object asks for at most.
	mostChildren = 3
	manager      = "by-hand" // whose changes these are
)

// pen writes objects at random. What it writes need not arrive: the API server may be away, and then nothing is tried again.
type pen struct {
	api   *api.Server
	names int // of objects that are there or not
	rate  int
	wrote []atomic.Int64 // by the index of the act
	lost  atomic.Int64   // writes that got no answer, or were refused
}

// The acts of a writer, with how often each is done among a hundred.
var acts = []struct {
	name  string
	share int
	do    func(*pen, context.Context, *rand.Rand, string) error
}{
	{"changed", 62, (*pen).change},
	{"created", 13, (*pen).create},
	{"deleted", 10, (*pen).remove},
	{"children changed by hand", 8, (*pen).changeChild},
	{"children deleted by hand", 7, (*pen).removeChild},
}

// namesFor is how many names there are for so many objects: with as many creations that find a name free as there are
// deletions that find an object, about so many are there.
func namesFor(objects int) int { return objects * 13 / 10 }

// run writes until the context ends.
func (p *pen) run(ctx context.Context, seed uint64) {
	var group errgroup.Group
	for n := range writers {
		group.Go(func() error {
			random := rand.New(rand.NewPCG(seed, uint64(n)))
			ticks := time.NewTicker(time.Second * writers / time.Duration(p.rate))
			defer ticks.Stop()
			for {
				select {
				case <-ctx.Done():
					return nil
				case <-ticks.C:
					p.act(ctx, random)
				}
			}
		})
	}
	_ = group.Wait() // nothing that happens to a writer is an error
}

func (p *pen) act(ctx context.Context, random *rand.Rand) {
	ctx, cancel := context.WithTimeout(ctx, requestPatience)
	defer cancel()
	dice, name := random.IntN(100), basketName(random.IntN(p.names))
	for i, a := range acts {
		if dice -= a.share; dice >= 0 {
			continue
		}
		switch err := a.do(p, ctx, random, name); {
		case err == nil:
			p.wrote[i].Add(1)
		case !apierrors.IsNotFound(err) && !apierrors.IsAlreadyExists(err):
			p.lost.Add(1)
		}
		return
	}
}

func randomSpec(random *rand.Rand) spec {
	return spec{Count: random.IntN(mostChildren + 1), Text: fmt.Sprintf("text %d", random.Int32())}
}

func (p *pen) create(ctx context.Context, random *rand.Rand, name string) error {
	object, err := newBasket(name, randomSpec(random))
	if err != nil {
		return err
	}
	return p.api.Create(ctx, basketsPath, object)
}

func (p *pen) change(ctx context.Context, random *rand.Rand, name string) error {
	return p.patch(ctx, basketsPath, name, map[string]any{"spec": randomSpec(random)})
}

func (p *pen) remove(ctx context.Context, _ *rand.Rand, name string) error {
	return p.removeAt(ctx, basketsPath, name)
}

func (p *pen) changeChild(ctx context.Context, random *rand.Rand, name string) error {
	return p.patch(ctx, configMapsPath, childName(name, random.IntN(mostChildren)), map[string]any{"data": map[string]string{childKey: "changed by hand"}})
}

func (p *pen) removeChild(ctx context.Context, random *rand.Rand, name string) error {
	return p.removeAt(ctx, configMapsPath, childName(name, random.IntN(mostChildren)))
}

func (p *pen) removeAt(ctx context.Context, path, name string) error {
	return p.api.Client.Delete().AbsPath(path, name).MaxRetries(0).Do(ctx).Error()
}

func (p *pen) patch(ctx context.Context, path, name string, change any) error {
	body, err := json.Marshal(change)
	if err != nil {
		return err
	}
	return p.api.Client.Patch(types.MergePatchType).AbsPath(path, name).Param("fieldManager", manager).Body(body).MaxRetries(0).Do(ctx).Error()
}
