// SPDX-License-Identifier: Apache-2.0

package shard

import "slices"

// share is which shards a replica should hold when all goes well: count of them from first on, around the end. All
// replicas that know the same members come to shares that cover everything and differ by one at most.
func share(shards int, members []string, self string) (first, count int) {
	rank, _ := slices.BinarySearch(members, self)
	each, rest := shards/len(members), shards%len(members)
	count = each
	if rank < rest {
		count++
	}
	return rank*each + min(rank, rest), count
}

// inOrder are all shards, those of this replica's own share first, then by distance: replicas that reach for what is free
// at the same time do not all reach for the same.
func (s *Shards) inOrder(first int) []*shard {
	ordered := make([]*shard, 0, len(s.shards))
	for i := range s.shards {
		ordered = append(ordered, s.shards[(first+i)%len(s.shards)])
	}
	return ordered
}
