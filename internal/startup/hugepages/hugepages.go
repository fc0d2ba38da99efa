// SPDX-License-Identifier: Apache-2.0

// Package hugepages has the system back the first part of Go's heap with pages of 2 MB, where it does so on request, as Linux usually
// does. A command that uses 100 MB for a second is otherwise interrupted 25,000 times for the first touch of a page of 4 KB, which
// takes up to 20 µs on a virtual machine. Go itself does not ask for large pages, because in a process that lives long they come back
// after the collector has released a part of them; such a process calls Stop. A server does before it starts, although "crdctl run" would
// be ready after 1.05 s instead of 1.45: API servers that began with large pages did not answer for more than five seconds in the test suite, where
// two cores were busy; with GOMEMLIMIT set, by which there are none, the same suite passed.
//
// Measured in interleaved pairs on a virtual machine with two cores, with it and without: "crdctl version" takes 0.13 and 0.38 s, and a
// first "crdctl generate" in jobset 0.84 and 1.53 s. The peak of Go's memory grows by 2 to 6 MB. BenchmarkProcess and
// BenchmarkControllerGen in e2e/bench report it.
//
// Engines have a copy of this package. It imports only what is initialised first; see package startup.
package hugepages

// size is what most generators need at their peak. It is address space: the system backs what is used.
const size = 256 << 20

// Start reserves a part of the heap for the next allocations and asks for large pages there. It is not an error if there are none.
// Who limits the memory of the process himself gets none, since the limit would count what is reserved.
func Start() { start() }

// Stop has the system use pages of the usual size from here on. Those that are in use stay until they are released:
// [runtime/debug.FreeOSMemory] does that.
func Stop() { stop() }
