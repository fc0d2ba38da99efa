package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/crdctl/crdctl/e2e/internal/harness/api"
)

const (
	writers = 4
	// mostChildren is how many children an object asks for at most.
	mostChildren = 3
	manager      = "by-hand" // whose changes these are
	writeRate    = 20        // writes a second, of all writers
	// objects is how many there are when everything is compared, and about as many between.
	objects = 500
	// names is how many names there are for objects: with as many creations that find a name free as there are deletions
	// that find an object, about so many are there.
	names = objects * 13 / 10
)

// pen writes objects at random. What it writes need not arrive: the API server may be away, and then nothing is tried again.
type pen struct {
	api   *api.Server
	wrote []atomic.Int64 // by the index of the act
	lost  atomic.Int64   // writes that got no answer, or were refused
}

// The acts of a writer, with how often each is done among a hundred.
var acts = []struct {
	name  string
	share int
	do    func(p *pen, ctx context.Context, random *rand.Rand, name string) error
}{
	{"changed", 62, func(p *pen, ctx context.Context, random *rand.Rand, name string) error {
		return p.patch(ctx, basketsPath, name, map[string]any{"spec": randomSpec(random)})
	}},
	{"created", 13, (*pen).create},
	{"deleted", 10, func(p *pen, ctx context.Context, _ *rand.Rand, name string) error {
		return p.remove(ctx, basketsPath, name)
	}},
	{"children changed by hand", 8, func(p *pen, ctx context.Context, random *rand.Rand, name string) error {
		return p.patch(ctx, configMapsPath, childName(name, random.IntN(mostChildren)), map[string]any{"data": map[string]string{childKey: "changed by hand"}})
	}},
	{"children deleted by hand", 7, func(p *pen, ctx context.Context, random *rand.Rand, name string) error {
		return p.remove(ctx, configMapsPath, childName(name, random.IntN(mostChildren)))
	}},
}

// run writes until the context ends.
func (p *pen) run(ctx context.Context, seed uint64) {
	var group sync.WaitGroup
	for n := range writers {
		random := rand.New(rand.NewPCG(seed, uint64(n)))
		group.Go(func() {
			wait.NonSlidingUntilWithContext(ctx, func(ctx context.Context) { p.act(ctx, random) }, time.Second*writers/writeRate)
		})
	}
	group.Wait()
}

func (p *pen) act(ctx context.Context, random *rand.Rand) {
	ctx, cancel := context.WithTimeout(ctx, requestPatience)
	defer cancel()
	dice, name := random.IntN(100), basketName(random.IntN(names))
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

func (p *pen) remove(ctx context.Context, path, name string) error {
	return p.api.Client.Delete().AbsPath(path, name).MaxRetries(0).Do(ctx).Error()
}

func (p *pen) patch(ctx context.Context, path, name string, change any) error {
	body, err := json.Marshal(change)
	if err != nil {
		return err
	}
	return p.api.Client.Patch(types.MergePatchType).AbsPath(path, name).Param("fieldManager", manager).Body(body).MaxRetries(0).Do(ctx).Error()
}
