package scaffold

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/config"
)

// Owned is a kind of client-go whose objects a controller makes, with the names that its clients, informers and listers have.
type Owned struct {
	Group, Version, Kind string
	Plural               string // of the resource
	Namespaced           bool

	GroupGoName   string // Apps, of the method of the informer factory
	VersionGoName string // V1, of the method below that
	ClientMethod  string // AppsV1, of the method of the clientset
	GoPlural      string // Deployments, of the method of the client
	Types         Import // k8s.io/api/apps/v1 as appsv1
	Listers       Import // k8s.io/client-go/listers/apps/v1 as appslisters

	// Replicated and Available tell whether it has spec.replicas and status.availableReplicas.
	Replicated, Available bool
	// Fixed is a kind of which nothing can be brought back, or nothing needs to be.
	Fixed bool
}

// String is the kind as --owns takes it.
func (o Owned) String() string {
	return cmp.Or(o.Group, "core") + "/" + o.Version + "/" + o.Kind
}

// Import is an import of a Go file.
type Import struct{ Alias, Path string }

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
	known := clientGoKinds()
	var owned []Owned
	var problems []error
	for _, text := range texts {
		o, err := parseOwned(text, known, namespacedOwner)
		if err == nil && slices.ContainsFunc(owned, func(other Owned) bool { return other.Kind == o.Kind }) {
			err = fmt.Errorf("--owns %q: %s is owned already; name each kind once", text, o.Kind)
		}
		if err != nil {
			problems = append(problems, err)
			continue
		}
		owned = append(owned, o)
	}
	return owned, errors.Join(problems...)
}

func parseOwned(text string, known map[string]Owned, namespacedOwner bool) (Owned, error) {
	kind, err := config.ParseObjectKind(text)
	if err != nil {
		return Owned{}, fmt.Errorf("--owns %w", err)
	}
	if kind.Plural != "" {
		return Owned{}, fmt.Errorf("--owns %q: the plural is known; leave =%s out", text, kind.Plural)
	}
	name := kind.String()
	o, ok := known[name]
	if !ok {
		return Owned{}, fmt.Errorf("--owns %q: client-go has no such kind; %s", text, meant(name, known))
	}
	if namespacedOwner && !o.Namespaced {
		return Owned{}, fmt.Errorf("--owns %q: a %s is in no namespace, and the garbage collector would delete it at once, because an owner in a namespace can own only what is in the same one; own it from a kind of --scope Cluster", text, o.Kind)
	}
	if _, ok := ownable[name]; !ok {
		return Owned{}, fmt.Errorf("--owns %q: crdctl has no %s to begin with; own one of %s, and change the code", text, o.Kind, strings.Join(slices.Sorted(maps.Keys(ownable)), ", "))
	}
	return o, nil
}

// KnownKind is a kind of client-go by group, version and name, and otherwise an error that says what may have been meant.
func KnownKind(kind config.ObjectKind) (Owned, error) {
	known := clientGoKinds()
	if o, ok := known[kind.String()]; ok {
		return o, nil
	}
	return Owned{}, fmt.Errorf("client-go has no such kind; %s", meant(kind.String(), known))
}

// Meant returns the hint for a kind that client-go does not have: what may have been meant.
func Meant(kind config.ObjectKind) string { return meant(kind.String(), clientGoKinds()) }

// meant says what a kind that client-go does not have was meant to be: one of the same name elsewhere, or with a letter
// more, less or other.
func meant(name string, known map[string]Owned) string {
	kind := strings.ToLower(name[strings.LastIndex(name, "/")+1:])
	var same, like []string
	for full, o := range known {
		switch other := strings.ToLower(o.Kind); {
		case other == kind || o.Plural == kind:
			same = append(same, full)
		case oneLetterApart(other, kind):
			like = append(like, full)
		}
	}
	if len(same) == 0 {
		same = like
	}
	// Those that a controller can own are what people mean.
	if usable := slices.DeleteFunc(slices.Clone(same), func(n string) bool { _, ok := ownable[n]; return !ok }); len(usable) > 0 {
		same = usable
	}
	if len(same) == 0 {
		return "name one such as " + strings.Join(slices.Sorted(maps.Keys(ownable)), ", ")
	}
	slices.Sort(same)
	return "did you mean " + strings.Join(same, " or ") + "?"
}

// oneLetterApart tells whether two words differ by one letter put in, left out, exchanged, or swapped with the next.
func oneLetterApart(a, b string) bool {
	without := func(s string, i int) string { return s[:i] + s[i+1:] }
	for i := range a {
		if without(a, i) == b || i < len(b) && without(a, i) == without(b, i) || i+1 < len(b) && without(a, i) == without(b, i+1) {
			return true
		}
	}
	for i := range b {
		if without(b, i) == a {
			return true
		}
	}
	return false
}
