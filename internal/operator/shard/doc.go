// SPDX-License-Identifier: Apache-2.0

// Package shard decides which keys this replica may work on, with Leases, so that two replicas never work on one key at
// once. The keys are cut into shards by a hash; each shard has a Lease, and who holds it works on its keys. Leader election
// is the case of one shard.
//
// What makes it safe:
//   - A shard is relied on for RenewDeadline from the moment before the request was sent that renewed it, on this process's
//     own monotonic clock. Then Begin refuses, and the contexts of what was begun end. Others take the Lease only when they
//     have seen it unchanged for LeaseDuration on their own clock. No two clocks are ever compared.
//   - Every write names the version that it replaces, late and repeated ones too.
//   - A shard is given back in three steps: nothing new begins, what was begun comes to its end (the Lease is renewed
//     meanwhile), and only then is it released.
//   - With several shards, a Lease of the bare name says how keys are cut, and all replicas keep it renewed together.
//     No replica works without it. So during a roll-out that changes the number of shards, the replicas of one kind wait until
//     those of the other are gone, and so do replicas that elect a leader, whose Lease has the same name.
//
// Replicas find each other by a Lease of their own each, and take equal numbers of shards.
//
// Why not client-go's LeaderElector: it cannot go on renewing while work drains and then release; it has no share to keep
// to; it tells of a lost Lease after up to twice its deadline, since it first tries to release; and an elector for each shard
// reads each Lease on its own (here it is one list for all, and one write for each that is held).
//
// It is not a fence: a Lease that is deleted by hand is taken at once, and a request that was sent in time and arrives
// late is not called back. It knows no queues and reconciles nothing.
package shard
