// SPDX-License-Identifier: Apache-2.0

// Package standalone is etcd and kube-apiserver as programs of their own, with all of their flags: what controller-runtime's
// envtest starts. Each function is the main function of one of them. They listen where they are told to, keep nothing outside
// the directories that they are given, end when their parent does, and do not wait for watches when they are to stop.
//
// They are not the control plane of "crdctl run", which is package controlplane: here are two processes, no controller unless
// it is asked for, no node, and whatever access the flags give.
package standalone

import (
	"os"
	"time"
)

// exitFailure is the exit code of the programs where they fail.
const exitFailure = 1

// parentEvery is how often it is looked whether the parent is still there.
const parentEvery = 100 * time.Millisecond

// endWithParent calls end when the process that started this one has ended: a test that was killed stops nothing. It needs no help
// of the parent, and is independent of its threads, as the death signal of Linux is not.
func endWithParent(end func()) {
	parent := os.Getppid()
	if parent <= 1 { // the first process of a container, or lost already: there is nothing to wait for
		return
	}
	go func() {
		awaitEnd(parent)
		end()
	}()
}
