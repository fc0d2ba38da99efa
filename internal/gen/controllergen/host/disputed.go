// SPDX-License-Identifier: Apache-2.0

package host

import (
	"reflect"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/version"
	"sigs.k8s.io/controller-tools/pkg/genall"
	"sigs.k8s.io/controller-tools/pkg/loader"
	"sigs.k8s.io/controller-tools/pkg/markers"
)

// ofKind are the markers that describe a kind, not one of its versions.
var ofKind = []string{"kubebuilder:resource", "kubebuilder:metadata"}

// disputed is a kind whose versions have different markers that describe the kind. controller-tools applies those of one version
// after the other, in the order of a map, so that its output varies from run to run.
type disputed struct {
	types  []markers.MarkerValues // of the versions, shared with controller-tools' collector
	values []map[string][]any     // of ofKind; each value once, that of the most stable version last
	orders [][]int                // all of values, the first as they are
}

// declared is a version of a kind.
type declared struct {
	version string
	markers markers.MarkerValues
}

// disputes finds the disputed kinds of a call.
func disputes(c *genall.GenerationContext) (all []disputed) {
	kinds := map[schema.GroupKind][]declared{}
	for _, root := range c.Roots {
		eachKind(c.Collector, root, func(kind schema.GroupVersionKind, values markers.MarkerValues) {
			kinds[kind.GroupKind()] = append(kinds[kind.GroupKind()], declared{kind.Version, values})
		})
	}
	for _, versions := range kinds {
		slices.SortFunc(versions, func(a, b declared) int { return version.CompareKubeAwareVersionStrings(a.version, b.version) })
		one := disputed{}
		for _, v := range versions {
			values := map[string][]any{}
			for _, name := range ofKind {
				if len(v.markers[name]) > 0 {
					values[name] = v.markers[name]
				}
			}
			if len(values) == 0 {
				continue
			}
			one.types = append(one.types, v.markers)
			one.values = slices.DeleteFunc(one.values, func(other map[string][]any) bool { return reflect.DeepEqual(other, values) })
			one.values = append(one.values, values)
		}
		if len(one.values) > 1 {
			one.orders = permutations(len(one.values))
			all = append(all, one)
		}
	}
	return all
}

// eachKind calls what for the types of a package that has a group. Errors in markers are left to the generator.
func eachKind(collector *markers.Collector, p *loader.Package, what func(schema.GroupVersionKind, markers.MarkerValues)) {
	values, err := markers.PackageMarkers(collector, p)
	if err != nil {
		return
	}
	group, ok := values.Get("groupName").(string)
	if !ok {
		return
	}
	name := p.Name
	if set, ok := values.Get("versionName").(string); ok {
		name = set
	}
	_ = markers.EachType(collector, p, func(info *markers.TypeInfo) {
		what(schema.GroupVersionKind{Group: group, Version: name, Kind: info.Name}, info.Markers)
	})
}

// arrange gives all versions of the kind the markers of all, in an order: whichever version comes last, the outcome is the same. It
// reports whether there is an nth order.
func (d *disputed) arrange(nth int) bool {
	if nth >= len(d.orders) {
		return false
	}
	for _, name := range ofKind {
		var values []any
		for _, i := range d.orders[nth] {
			values = append(values, d.values[i][name]...)
		}
		for _, t := range d.types {
			t[name] = values
		}
	}
	return true
}

// permutations are those of the numbers below n.
func permutations(n int) (all [][]int) {
	if n == 0 {
		return [][]int{nil}
	}
	for _, shorter := range permutations(n - 1) {
		for at := n - 1; at >= 0; at-- {
			all = append(all, slices.Insert(slices.Clone(shorter), at, n-1))
		}
	}
	return all
}
