// SPDX-License-Identifier: Apache-2.0

package shard

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// All shards are in exactly one share, and no two shares differ by more than one; one replica more or less moves little.
func TestShare(t *testing.T) {
	for shards := 1; shards <= 20; shards++ {
		for n := 1; n <= 25; n++ {
			var members []string
			for i := range n {
				members = append(members, fmt.Sprintf("m%02d", i))
			}
			owners := make([]int, shards)
			for _, m := range members {
				first, count := share(shards, members, m)
				require.GreaterOrEqual(t, count, shards/n, "%d shards, %d members: %s", shards, n, m)
				require.LessOrEqual(t, count, (shards+n-1)/n, "%d shards, %d members: %s", shards, n, m)
				for i := range count {
					owners[(first+i)%shards]++
				}
				if n == 1 {
					continue
				}
				// No replica has to give anything back when another one goes.
				for _, gone := range members {
					if rest := slices.DeleteFunc(slices.Clone(members), func(s string) bool { return s == gone }); gone != m {
						_, after := share(shards, rest, m)
						require.GreaterOrEqual(t, after, count, "%d shards: %s has %d of %d members, and %d when %s is gone", shards, m, count, n, after, gone)
					}
				}
			}
			require.Equal(t, 1, slices.Max(owners), "%d shards, %d members: %v", shards, n, owners)
			require.Equal(t, 1, slices.Min(owners), "%d shards, %d members: %v", shards, n, owners)
		}
	}
}

// Replicas of different versions of crdctl must agree on these for ever.
func TestOfNeverChanges(t *testing.T) {
	byKey, byNamespace := &Shards{o: Options{Shards: 16, By: ByKey}}, &Shards{o: Options{Shards: 16, By: ByNamespace}}
	for _, c := range []struct {
		namespace, name    string
		byKey, byNamespace int
	}{
		{"default", "crontab-demo", 15, 6},
		{"default", "another", 5, 6},
		{"", "cluster-wide", 14, 14},
		{"kube-system", "ä", 7, 15},
	} {
		if k, n := byKey.Of(c.namespace, c.name), byNamespace.Of(c.namespace, c.name); k != c.byKey || n != c.byNamespace {
			t.Errorf("%s/%s is in shards %d and %d, want %d and %d", c.namespace, c.name, k, n, c.byKey, c.byNamespace)
		}
	}
	counts := make([]int, 16)
	for i := range 16000 {
		counts[byKey.Of("default", fmt.Sprintf("object-%d", i))]++
	}
	assert.GreaterOrEqual(t, slices.Min(counts), 850, "16000 keys in 16 shards: %v", counts)
	assert.LessOrEqual(t, slices.Max(counts), 1150, "16000 keys in 16 shards: %v", counts)
}
