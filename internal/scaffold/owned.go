// SPDX-License-Identifier: Apache-2.0

package scaffold

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/crd/builtin"
)

// Owned is a kind of client-go whose objects a controller makes.
type Owned struct {
	builtin.Resource
	// Fixed is a kind of which nothing can be brought back, or nothing needs to be.
	Fixed bool
}

// Import is an import of a Go file.
type Import = builtin.Import

// ownable are the kinds that the templates have an object of to begin with, one that an API server takes. True are those
// of which the controller changes nothing once they are made.
var ownable = map[string]bool{
	"core/v1/ConfigMap": false, "core/v1/Secret": false, "core/v1/Service": false, "core/v1/ServiceAccount": true,
	"core/v1/PersistentVolumeClaim": true, "core/v1/Pod": true, "core/v1/Namespace": true,
	"apps/v1/Deployment": false, "apps/v1/StatefulSet": false, "apps/v1/DaemonSet": false, "apps/v1/ReplicaSet": false,
	"batch/v1/Job": true, "batch/v1/CronJob": false, "networking.k8s.io/v1/Ingress": false, "networking.k8s.io/v1/NetworkPolicy": false,
	"policy/v1/PodDisruptionBudget": false, "autoscaling/v2/HorizontalPodAutoscaler": false,
}

// ParseOwned reads kinds in the form GROUP/VERSION/KIND, where the core group may be left out, and finds their names in
// client-go itself. All that is wrong is in the error.
func ParseOwned(texts []string, namespacedOwner bool) ([]Owned, error) {
	if len(texts) == 0 {
		return nil, nil
	}
	var owned []Owned
	var problems []error
	for _, text := range texts {
		o, err := parseOwned(text, namespacedOwner)
		if err == nil && slices.ContainsFunc(owned, func(other Owned) bool { return other.Kind == o.Kind }) {
			err = fmt.Errorf("--owns %q: %s is given twice; name each kind once", text, o.Kind)
		}
		if err != nil {
			problems = append(problems, err)
			continue
		}
		owned = append(owned, o)
	}
	return owned, errors.Join(problems...)
}

func parseOwned(text string, namespacedOwner bool) (Owned, error) {
	kind, err := config.ParseObjectKind(text)
	if err != nil {
		return Owned{}, fmt.Errorf("--owns %w", err)
	}
	if kind.Plural != "" {
		return Owned{}, fmt.Errorf("--owns %q: the plural is known; omit =%s", text, kind.Plural)
	}
	name := kind.String()
	o, ok := builtin.Find(kind.GroupVersionKind())
	if !ok {
		return Owned{}, fmt.Errorf("--owns %q: client-go has no such kind; %s", text, cmp.Or(builtin.Hint(kind.GroupVersionKind()), "name one such as "+ownableNames()))
	}
	if namespacedOwner && !o.Namespaced {
		return Owned{}, fmt.Errorf("--owns %q: a %s is cluster-scoped, and a namespaced owner cannot own it (the garbage collector would delete it); use --scope Cluster", text, o.Kind)
	}
	fixed, ok := ownable[name]
	if !ok {
		return Owned{}, fmt.Errorf("--owns %q: crdctl has no example of a %s; own one of %s, and change the code", text, o.Kind, ownableNames())
	}
	return Owned{Resource: o, Fixed: fixed}, nil
}

func ownableNames() string { return strings.Join(Ownable(), ", ") }

// Ownable returns the kinds that the templates have an object of to begin with, sorted.
func Ownable() []string { return slices.Sorted(maps.Keys(ownable)) }
