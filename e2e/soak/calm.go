// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/wait"
)

const (
	// calmPatience is how long it may take until everything is as it should be, when nothing goes wrong any more: the longest
	// back-off is 30 s, a lost lease is taken after 15 s, and the garbage collector has its own ideas.
	calmPatience = 3 * time.Minute
	shown        = 20 // differences that are printed
)

// calm waits until everything is as it should be, and then looks at the processes.
func (s *soak) calm(ctx context.Context, round int) {
	began := time.Now()
	found := []string{"nothing could be compared"}
	_ = wait.PollUntilContextTimeout(ctx, time.Second, calmPatience, true, func(ctx context.Context) (bool, error) {
		if now, err := s.compare(ctx); err == nil {
			found = now
		} else if ctx.Err() == nil { // what was broken off says nothing
			found = []string{err.Error()}
		}
		return len(found) == 0, nil
	})
	require.NoError(s, ctx.Err(), "interrupted")
	took := time.Since(began)
	if len(found) > 0 {
		s.Errorf("round %d: %d differences after %s:\n  %s", round, len(found), tenth(took), strings.Join(found[:min(shown, len(found))], "\n  "))
	} else {
		s.say("round %d: everything is as it should be, after %s", round, tenth(took))
	}
	s.converging = append(s.converging, took)
	s.look(ctx, round)
}

// compare returns what is not as it should be.
func (s *soak) compare(ctx context.Context) ([]string, error) {
	baskets, err := s.fill(ctx)
	if err != nil {
		return nil, err
	}
	configMaps, err := get[configMap](ctx, s.plane, configMapsPath, childLabel)
	return differences(baskets, configMaps), err
}

// fill returns all objects, or an error if some were missing, which it makes: what is compared is compared at equal numbers.
func (s *soak) fill(ctx context.Context) ([]basket, error) {
	all, err := get[basket](ctx, s.plane, basketsPath, "")
	if err != nil || len(all) == objects {
		return all, err
	}
	random := rand.New(rand.NewPCG(s.seed, uint64(len(all))))
	for n := range objects {
		if err := s.create(ctx, random, basketName(n)); err != nil && !apierrors.IsAlreadyExists(err) {
			return nil, err
		}
	}
	return nil, fmt.Errorf("there were %d objects, want %d", len(all), objects)
}
