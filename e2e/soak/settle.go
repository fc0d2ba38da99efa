package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"golang.org/x/sync/errgroup"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// settle has exactly so many objects: what is compared is compared at equal numbers.
func (p *pen) settle(ctx context.Context, plane *plane, objects int, seed uint64) error {
	random := rand.New(rand.NewPCG(seed, writers))
	there, err := get[metav1.PartialObjectMetadata](ctx, plane, basketsPath, "")
	if err != nil {
		return err
	}
	known := map[string]bool{}
	staying := 0
	for _, o := range there {
		known[o.Name] = true
		if o.DeletionTimestamp == nil {
			staying++
		}
	}
	var group errgroup.Group
	group.SetLimit(writers)
	for n := 0; n < p.names && staying != objects; n++ {
		name := basketName(n)
		switch {
		case !known[name] && staying < objects:
			staying++
			s := rand.New(rand.NewPCG(seed, random.Uint64()))
			group.Go(func() error {
				if err := p.create(ctx, s, name); !apierrors.IsAlreadyExists(err) { // somebody else was faster
					return err
				}
				return nil
			})
		case known[name] && staying > objects:
			staying--
			group.Go(func() error {
				if err := p.remove(ctx, nil, name); !apierrors.IsNotFound(err) {
					return err
				}
				return nil
			})
		}
	}
	err = group.Wait()
	if err == nil && staying != objects {
		err = errors.New("names are taken by objects that are being deleted")
	}
	if err != nil {
		return fmt.Errorf("make it %d objects: %w", objects, err)
	}
	return nil
}
