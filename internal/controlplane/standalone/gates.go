// SPDX-License-Identifier: Apache-2.0

package standalone

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/component-base/compatibility"
	"k8s.io/component-base/featuregate"
	"k8s.io/kubernetes/cmd/kube-apiserver/app/options"
)

const gatesFlag = "--feature-gates"

// withKnownGates takes those feature gates out of the arguments that this release refuses, and returns what to say of them. Gates go
// with the releases: a feature that is there for good has none any more, or one that cannot be turned off.
func withKnownGates(o *options.ServerRunOptions, args []string, emulated string) (kept, refused []string) {
	gate, ok := o.GenericServerRunOptions.ComponentGlobalsRegistry.FeatureGateFor(compatibility.DefaultKubeComponent).(featuregate.MutableVersionedFeatureGate)
	if !ok {
		return args, nil
	}
	try := func(setting string) error {
		name := setting[strings.LastIndex(setting, ":")+1:] // kube:NAME=VALUE is the other form
		gates := gate.DeepCopy()
		if emulated != "" {
			if err := gates.SetEmulationVersion(version.MustParse(emulated)); err != nil {
				return err
			}
		}
		return gates.Set(name)
	}
	filter := func(value string) string {
		settings := strings.Split(value, ",")
		return strings.Join(slices.DeleteFunc(settings, func(s string) bool {
			if s == "" {
				return true
			}
			err := try(s)
			if err != nil && !strings.Contains(err.Error(), "missing bool value") {
				refused = append(refused, fmt.Sprintf("%s (%v)", s, err))
				return true
			}
			return false
		}), ",")
	}
	for i := 0; i < len(args); i++ {
		value, inOne := strings.CutPrefix(strings.ReplaceAll(args[i], "--feature_gates", gatesFlag), gatesFlag+"=")
		switch {
		case inOne:
			if value = filter(value); value != "" {
				kept = append(kept, gatesFlag+"="+value)
			}
		case args[i] == gatesFlag && i+1 < len(args):
			i++
			if value = filter(args[i]); value != "" {
				kept = append(kept, gatesFlag+"="+value)
			}
		default:
			kept = append(kept, args[i])
		}
	}
	return kept, refused
}
