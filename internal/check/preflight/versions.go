// SPDX-License-Identifier: Apache-2.0

package preflight

import (
	"sync"

	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/apiserver/pkg/cel/environment"
)

// currentMinor is the minor of the Kubernetes whose code judges: it takes what its predecessor could read, and says that as the compatibility
// version.
var currentMinor = sync.OnceValue(func() uint { return environment.DefaultCompatibilityVersion().Minor() + 1 })

// oldestMinor is the oldest Kubernetes that upstream supported when the current one was released. What only later ones take is a finding.
const oldestMinor uint = 34

func minor(n uint) *version.Version { return version.MajorMinor(1, n) }
