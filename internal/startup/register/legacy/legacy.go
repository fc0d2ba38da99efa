// SPDX-License-Identifier: Apache-2.0

// Package legacy has the registry of Kubernetes' metrics, legacyregistry, wait for register.Now. Import it for that effect.
//
// It is not a part of package register, which must be initialized before packages that legacyregistry imports are.
package legacy

import (
	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/component-base/metrics"
	"k8s.io/component-base/metrics/legacyregistry"

	"github.com/crdctl/crdctl/internal/startup/register"
)

func init() {
	must, raw, one := legacyregistry.MustRegister, legacyregistry.RawMustRegister, legacyregistry.Register
	legacyregistry.MustRegister = func(ms ...metrics.Registerable) { register.Later(func() { must(ms...) }) }
	legacyregistry.RawMustRegister = func(cs ...prometheus.Collector) { register.Later(func() { raw(cs...) }) }
	legacyregistry.Register = func(m metrics.Registerable) (err error) {
		register.Later(func() { err = one(m) })
		return err
	}
}
