// SPDX-License-Identifier: Apache-2.0

package pod

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/crdctl/crdctl/internal/text/lazyregexp"
)

// Variable is a variable of the environment.
type Variable struct{ Name, Value string }

// reference is a variable that a container takes from another object, and that object.
type reference struct{ name, object string }

// HasEnv reports whether the pod has a value for a variable.
func (p *Pod) HasEnv(name string) bool {
	return slices.ContainsFunc(p.Env, func(v Variable) bool { return v.Name == name })
}

// readEnv reads the variables of a container, as far as they are known outside a cluster.
func (p *Pod) readEnv(c corev1.Container, here Mounts) {
	for _, from := range c.EnvFrom {
		var kind, name string
		switch {
		case from.ConfigMapRef != nil:
			kind, name = "ConfigMap", from.ConfigMapRef.Name
		case from.SecretRef != nil:
			kind, name = "Secret", from.SecretRef.Name
		}
		data := here.data(kind, name)
		for _, key := range slices.Sorted(maps.Keys(data)) {
			p.Env = append(p.Env, Variable{from.Prefix + key, data[key]})
			if kind == "Secret" {
				p.Secret = append(p.Secret, from.Prefix+key)
			}
		}
	}
	for _, e := range c.Env {
		if value, ok := p.value(e, here); ok {
			p.Env = append(p.Env, Variable{e.Name, value})
		}
	}
	p.expandEnv()
	p.Env = slices.DeleteFunc(p.Env, func(v Variable) bool {
		left := placeholder.MatchString(v.Value)
		if left {
			p.unknown = append(p.unknown, reference{v.Name, v.Value})
		}
		return left
	})
}

// expandEnv replaces $(NAME) in variables by those before them, as Kubernetes does. What has a value of a Secret then is secret, too.
func (p *Pod) expandEnv() {
	var before []string
	for i, v := range p.Env {
		p.Env[i].Value = Expand([]string{v.Value}, before)[0]
		before = append(before, v.Name+"="+p.Env[i].Value)
		if slices.ContainsFunc(p.Secret, func(name string) bool { return strings.Contains(v.Value, "$("+name+")") }) {
			p.Secret = append(p.Secret, v.Name)
		}
	}
}

// moveEnv replaces the paths of volumes in variables, and returns those before. It leaves out variables that name a file of a Secret that no
// manifest has.
func (p *Pod) moveEnv(moved []Move, here Mounts) []Variable {
	before := p.Env
	p.Env = nil
	for _, v := range before {
		value := Relocate(v.Value, moved)
		if here.lacksFile(value) {
			p.unknown = append(p.unknown, reference{v.Name, "a file of a Secret"})
			continue
		}
		p.Env = append(p.Env, Variable{v.Name, value})
	}
	return before
}

// withDefault is a variable of clusterctl, with its default: providers of Cluster API have them in their manifests, for the one who installs these.
var withDefault = lazyregexp.New(`\$\{([A-Za-z_]\w*)(:?)[-=]([^{}]*)\}`)

// placeholder is a value that is only a variable without a default, as envsubst and others replace it.
var placeholder = lazyregexp.New(`^\$(\{[A-Za-z_]\w*\}|[A-Za-z_]\w*)$`)

// substituted has variables of our environment, or else their defaults, where a text names them with a default, as in ${NAME:=value}, or is
// nothing but the name of one.
func substituted(text string) string {
	if placeholder.MatchString(text) {
		if value, ok := os.LookupEnv(strings.Trim(text, "${}")); ok {
			return value
		}
	}
	return withDefault.ReplaceAllStringFunc(text, func(found string) string {
		parts := withDefault.FindStringSubmatch(found)
		if value, ok := os.LookupEnv(parts[1]); ok && (value != "" || parts[2] == "") {
			return value
		}
		return parts[3]
	})
}

// value is what a variable has, as far as that is known outside a cluster.
func (p *Pod) value(e corev1.EnvVar, here Mounts) (string, bool) {
	if e.ValueFrom == nil {
		return substituted(e.Value), true
	}
	switch from := e.ValueFrom; {
	case from.ConfigMapKeyRef != nil:
		return p.key(e.Name, "ConfigMap", from.ConfigMapKeyRef.Name, from.ConfigMapKeyRef.Key, here)
	case from.SecretKeyRef != nil:
		return p.key(e.Name, "Secret", from.SecretKeyRef.Name, from.SecretKeyRef.Key, here)
	case from.FieldRef != nil:
		return p.field(from.FieldRef.FieldPath)
	}
	return "", false
}

// key is what a variable takes from an object of the manifests.
func (p *Pod) key(variable, kind, name, key string, here Mounts) (string, bool) {
	value, ok := here.data(kind, name)[key]
	if !ok {
		p.unknown = append(p.unknown, reference{variable, kind + " " + name})
	}
	if kind == "Secret" { // also one that the user sets instead
		p.Secret = append(p.Secret, variable)
	}
	return value, ok
}

// WithoutSecrets are the variables of env that do not come from Secrets.
func (p *Pod) WithoutSecrets(env []string) []string {
	if p == nil {
		return env
	}
	return slices.DeleteFunc(slices.Clone(env), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return slices.Contains(p.Secret, name)
	})
}

// field is a field of the pod. A label or annotation that it does not have is empty, as it is there.
func (p *Pod) field(path string) (string, bool) {
	if of, key, ok := strings.Cut(strings.TrimSuffix(path, "']"), "['"); ok {
		switch of {
		case "metadata.labels":
			return p.labels[key], true
		case "metadata.annotations":
			return p.annotations[key], true
		}
	}
	switch path {
	case "metadata.namespace":
		return p.Namespace, true
	case "metadata.name", "spec.nodeName":
		return "crdctl", true
	case "spec.serviceAccountName":
		return p.Account, true
	case "status.podIP", "status.hostIP":
		return "127.0.0.1", true
	}
	return "", false
}

// Lacks names the variables that neither the manifests nor env have a value for, with where they would come from; "" if there are none. Those of
// arguments count where args have these.
func (p *Pod) Lacks(args, env []string) string {
	used := slices.DeleteFunc(slices.Clone(p.unset), func(r reference) bool { return !slices.Contains(args, r.object) })
	var lines []string
	for _, r := range slices.Concat(used, p.unknown) {
		if !slices.ContainsFunc(env, func(v string) bool { return strings.HasPrefix(v, r.name+"=") }) {
			lines = append(lines, fmt.Sprintf("%s (%s)", r.name, r.object))
		}
	}
	return strings.Join(lines, ", ")
}

// Expand replaces $(NAME) by the variable NAME, as Kubernetes does in the arguments of containers; what is not set
// stays as it is.
func Expand(args, env []string) []string {
	var pairs []string
	for _, v := range slices.Backward(env) { // the first pair that matches is taken
		name, value, _ := strings.Cut(v, "=")
		pairs = append(pairs, "$("+name+")", value)
	}
	replacer := strings.NewReplacer(pairs...)
	var all []string
	for _, a := range args {
		all = append(all, replacer.Replace(a))
	}
	return all
}
