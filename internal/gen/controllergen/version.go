// SPDX-License-Identifier: Apache-2.0

package controllergen

import (
	"errors"
	"fmt"
	"slices"

	"golang.org/x/mod/semver"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/gen/crdform"
	"github.com/crdctl/crdctl/internal/gen/diag"
)

// oldest is the first version of which engines were tried. Those before v0.16.4 get a later golang.org/x/tools, without which
// today's Go does not compile them.
const oldest = "v0.2.0"

// sameSince are the versions from which on generators make the same bytes as the ones that are linked. Of the others only the
// very version does. Webhooks are sorted by name since v0.20. Go builds controller-gen before v0.17 so that go/types knows no aliases: deep
// copies name the types that aliases stand for.
var sameSince = map[string]string{"object": "v0.17.0", "rbac": "v0.17.2", "webhook": "v0.20.0"}

// ErrUnknownVersion says that neither settings nor the tree tell the version.
var ErrUnknownVersion = diag.Unavailable(errors.New("the version of controller-gen is unknown; set controllerGen.version in crdctl.yaml to that of sigs.k8s.io/controller-tools"))

// engineFor is the version whose engine must run generators, or "" if this process can.
func engineFor(version string, names []string) (string, error) {
	linked := func(name string) bool {
		since := sameSince[name]
		known := semver.IsValid(version) && semver.Compare(version, crdform.Version) <= 0
		return name != "applyconfiguration" && (version == crdform.Version || known && since != "" && semver.Compare(version, since) >= 0)
	}
	switch {
	case version == "" || config.Unreleased(version):
		return "", ErrUnknownVersion
	case !semver.IsValid(version):
		return "", fmt.Errorf("%q is not a version of sigs.k8s.io/controller-tools; set controllerGen.version in crdctl.yaml to one, for example %s", version, crdform.Version)
	case semver.Compare(version, oldest) < 0:
		return "", diag.Unsupported(fmt.Errorf("controller-gen %s is older than crdctl can run; pin sigs.k8s.io/controller-tools %s or newer", version, oldest))
	case slices.ContainsFunc(names, func(name string) bool { return !linked(name) }):
		return version, nil
	}
	return "", nil
}
