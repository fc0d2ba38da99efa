// SPDX-License-Identifier: Apache-2.0

package standalone

import (
	"fmt"
	"path/filepath"
	"regexp"

	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/apiserver/pkg/util/compatibility"

	"github.com/crdctl/crdctl/internal/controlplane"
)

// assetsDir is how setup-envtest names the directory of the programs of one version.
var assetsDir = regexp.MustCompile(`^(\d+\.\d+\.\d+)-[a-z0-9]+-[a-z0-9]+$`)

// Answers says what the API server does where a version is asked for, such as 1.35 or v1.35.2: emulate is the value of
// --emulated-version, if that is to be given, and notice is what to say where another minor version answers than was asked for.
func Answers(asked string) (emulate, notice string, err error) {
	want, err := version.ParseGeneric(asked)
	if err != nil {
		return "", "", fmt.Errorf("%q is not a version of Kubernetes such as 1.35 or 1.35.0", asked)
	}
	have := version.MustParse(controlplane.KubernetesVersion)
	minor := func(v *version.Version) string { return fmt.Sprintf("%d.%d", v.Major(), v.Minor()) }
	if minor(want) == minor(have) {
		return "", "", nil
	}
	effective := compatibility.DefaultBuildEffectiveVersion()
	oldest := effective.AllowedEmulationVersionRange()
	effective.SetEmulationVersion(want)
	if len(effective.Validate()) > 0 {
		return "", fmt.Sprintf("Kubernetes %s runs instead of %s, which it cannot emulate (it can: %s)", controlplane.KubernetesVersion, minor(want), emulationRange(oldest)), nil
	}
	return minor(want), fmt.Sprintf("Kubernetes %s emulates %s: it serves the APIs and features of that version (--emulated-version=%s)", controlplane.KubernetesVersion, minor(want), minor(want)), nil
}

// emulationRange takes the default off what the API server says of its range.
func emulationRange(s string) string {
	return regexp.MustCompile(`\(.*`).ReplaceAllString(s, "")
}

// askedBy returns the version in the name of the directory that a program was started from, or "".
func askedBy(program string) string {
	if m := assetsDir.FindStringSubmatch(filepath.Base(filepath.Dir(program))); m != nil {
		return m[1]
	}
	return ""
}
