// SPDX-License-Identifier: Apache-2.0

package standalone

import (
	"fmt"
	"io"
	"net"
	"slices"
	"strings"

	"k8s.io/kubernetes/cmd/kube-apiserver/app/options"
	"k8s.io/kubernetes/pkg/controlplane/reconcilers"
)

// adapt makes arguments that were written for another release good for this one, and writes one line about each change to w.
func adapt(o *options.ServerRunOptions, program string, args []string, w io.Writer) []string {
	warn := func(format string, a ...any) { _, _ = fmt.Fprintf(w, "kube-apiserver (crdctl): "+format+"\n", a...) }
	emulated := ""
	given := slices.ContainsFunc(args, func(a string) bool { return strings.HasPrefix(a, "--emulated-version") })
	if asked := askedBy(program); asked != "" && !given {
		emulate, notice, err := Answers(asked)
		switch {
		case err != nil:
			warn("%v", err)
		case notice != "":
			warn("%s", notice)
		}
		if emulated = emulate; emulated != "" {
			args = append([]string{"--emulated-version=" + emulated}, args...)
		}
	}
	args, refused := withKnownGates(o, args, emulated)
	if len(refused) > 0 {
		warn("ignored feature gates of other releases: %s", strings.Join(refused, "; "))
	}
	return args
}

// advertise has the API server do with the loopback address where it would look for a default route and there is none, as on a machine
// without a network. The service "kubernetes" has no endpoint then, since that may not be a loopback address.
func advertise(o *options.ServerRunOptions) {
	given := o.GenericServerRunOptions.AdvertiseAddress
	if _, err := o.SecureServing.DefaultExternalAddress(); err != nil && (given == nil || given.IsUnspecified()) {
		o.GenericServerRunOptions.AdvertiseAddress = net.IPv4(127, 0, 0, 1)
		o.EndpointReconcilerType = string(reconcilers.NoneEndpointReconcilerType)
	}
}
