// SPDX-License-Identifier: Apache-2.0

// Package startup shortens the time from the start of the process to main, which every command pays for all
// that is linked in. The packages that crdctl imports allocate some 20 MB in their initialisers; the garbage
// collector starts with a goal of 4 MB and would run seven times over what is nearly all kept. A ballast raises
// the goal: one collection of nothing, then none before main. Import the package for that effect. Measured in 60 interleaved
// pairs of "crdctl version": 81 ms of CPU time with it, 97 without; BenchmarkProcess in e2e/bench reports it.
//
// Large pages, which package hugepages asks for, save most of what remains.
//
// It is not a place for other initialisation, and it must import next to nothing: Go initialises packages in the order
// of their import paths as soon as their imports are ready, so this one comes right after the runtime. (The
// plain way, debug.SetGCPercent, comes too late: runtime/debug is initialised after most of github.com.) What
// else must happen before the initialisers of dependencies has a package below this one.
package startup

import "github.com/crdctl/crdctl/internal/startup/hugepages"

// ballast counts as live memory and is none: nothing writes to it, so the system never backs it with pages.
// With twice its size as the goal, the initializers' 20 MB fit in, too.
var ballast = make([]byte, 32<<20)

func init() { hugepages.Start() }

// Done lets go of the ballast, for commands that run for long and should be small. Without it the process
// collects a little less often, and that is all.
func Done() { ballast = nil }
