// SPDX-License-Identifier: Apache-2.0

package controlplane

import (
	"k8s.io/apimachinery/pkg/version"
	"k8s.io/component-base/compatibility"
)

// releasedVersion says which Kubernetes this is. The release does it with linker flags, which "go install"
// does not have, so /version would say v0.0.0 and kubectl would warn of a skew.
type releasedVersion struct{ compatibility.EffectiveVersion }

// Info is what /version answers.
func (v releasedVersion) Info() *version.Info {
	info := *v.EffectiveVersion.Info()
	info.GitVersion, info.GitCommit, info.GitTreeState = KubernetesVersion, "", ""
	return &info
}
