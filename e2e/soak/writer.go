// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
)

const (
	// objects is how many there are when everything is compared; between, some are missing.
	objects = 500
	// mostChildren is how many children an object asks for at most.
	mostChildren = 3
	writers      = 4
	writeRate    = 20 // writes a second, of all writers
	// requestPatience bounds a request: the API server may be killed while it is on its way.
	requestPatience = 20 * time.Second
)

// write writes something at random. It need not arrive: the API server may be away, and then nothing is tried again.
func (s *soak) write(ctx context.Context, random *rand.Rand) {
	ctx, cancel := context.WithTimeout(ctx, requestPatience)
	defer cancel()
	name := basketName(random.IntN(objects))
	child := childName(name, random.IntN(mostChildren))
	var err error
	switch n := random.IntN(100); {
	case n < 57:
		err = s.patch(ctx, basketsPath, name, "{"+randomSpec(random)+"}")
	case n < 77:
		err = s.create(ctx, random, name)
	case n < 85:
		err = s.remove(ctx, basketsPath, name)
	case n < 93:
		err = s.patch(ctx, configMapsPath, child, `{"data":{"`+childKey+`":"changed by hand"}}`)
	default:
		err = s.remove(ctx, configMapsPath, child)
	}
	if err == nil {
		s.wrote.Add(1)
	} else if !apierrors.IsNotFound(err) && !apierrors.IsAlreadyExists(err) {
		s.lost.Add(1)
	}
}

func randomSpec(random *rand.Rand) string {
	return fmt.Sprintf(`"spec":{"count":%d,"text":"text %d"}`, random.IntN(mostChildren+1), random.Int32())
}

func (s *soak) create(ctx context.Context, random *rand.Rand, name string) error {
	return s.plane.Create(ctx, basketsPath, fmt.Appendf(nil, `{"apiVersion":"soak.example.com/v1","kind":"Basket","metadata":{"name":%q},%s}`, name, randomSpec(random)))
}

func (s *soak) remove(ctx context.Context, path, name string) error {
	return s.plane.Client.Delete().AbsPath(path, name).MaxRetries(0).Do(ctx).Error()
}

func (s *soak) patch(ctx context.Context, path, name, change string) error {
	return s.plane.Client.Patch(types.MergePatchType).AbsPath(path, name).Param("fieldManager", "by-hand").Body([]byte(change)).MaxRetries(0).Do(ctx).Error()
}
