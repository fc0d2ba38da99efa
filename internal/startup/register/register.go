// SPDX-License-Identifier: Apache-2.0

// Package register delays the registration of metrics until a command serves them. Some 200 metrics of etcd and Kubernetes are registered
// by initializers, before main and in every command, and each starts a goroutine and waits for it. The main goroutine is bound to
// its thread until main starts, so each wait is a switch of threads. "crdctl version" switched threads 790 times and called futex 1,070 times;
// it does so 290 and 190 times, in 0.93 of the CPU time. Import the package for that effect, and call Now before metrics are served.
//
// It is not a registry: what was delayed is registered where it would have been, in the same order. It must import nothing but
// prometheus: Go initializes packages in the order of their import paths as soon as their imports are ready, so this one precedes
// go.etcd.io/... and k8s.io/...; package legacy does the same for the registry of Kubernetes.
package register

import (
	"sync"

	"github.com/prometheus/client_golang/prometheus"
)

var (
	once    sync.Once
	mu      sync.Mutex // of what follows
	pending []func()
	direct  bool
)

// Now registers what was delayed. What is registered later on is not delayed. To call it again changes nothing.
func Now() {
	once.Do(func() {
		mu.Lock()
		delayed := pending
		pending, direct = nil, true
		mu.Unlock()
		for _, f := range delayed {
			f()
		}
	})
}

// Later calls f when Now is called, or at once if it was called before.
func Later(f func()) {
	mu.Lock()
	if !direct {
		pending = append(pending, f)
		mu.Unlock()
		return
	}
	mu.Unlock()
	f()
}

// registerer is prometheus.DefaultRegisterer from the initialization of this package on.
type registerer struct{ prometheus.Registerer }

// MustRegister registers collectors when Now is called.
func (r registerer) MustRegister(cs ...prometheus.Collector) {
	Later(func() { r.Registerer.MustRegister(cs...) })
}

// Register registers a collector when Now is called. Before that it reports no error: initializers register each metric once.
func (r registerer) Register(c prometheus.Collector) (err error) {
	Later(func() { err = r.Registerer.Register(c) })
	return err
}

// Unregister removes a collector, which must be registered for that.
func (r registerer) Unregister(c prometheus.Collector) bool {
	Now()
	return r.Registerer.Unregister(c)
}

func init() { prometheus.DefaultRegisterer = registerer{prometheus.DefaultRegisterer} }
