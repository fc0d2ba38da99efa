// SPDX-License-Identifier: Apache-2.0

// Package trim makes the process smaller once it knows what it is to do. Measured in interleaved pairs, with and without: a first
// "crdctl generate" of a scaffold has a peak of 140 MB instead of 187, for some 30 ms more CPU time, and "crdctl run --builtin" holds
// 242 MB instead of 282 when idle. BenchmarkGenerate and BenchmarkIdle in e2e/bench report both.
//
// It must not be imported by package startup, which comes before everything.
package trim
