// Command ours is crdctl's control loop with a reconciler that gets the object from the cache and does nothing: one of the
// programs that the benchmark beside it holds beside each other. It is no part of crdctl.
package main

import "github.com/crdctl/crdctl/e2e/bench/harness"

func main() { harness.Main(run) }
