// SPDX-License-Identifier: Apache-2.0

package run

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/crdctl/crdctl/internal/text/lazyregexp"
)

type variable struct{ name, value string }

// reference is a variable that a container takes from another object, and that object.
type reference struct{ name, object string }

func (p *pod) hasEnv(name string) bool {
	return slices.ContainsFunc(p.env, func(v variable) bool { return v.name == name })
}

// readEnv reads the variables of a container, as far as they are known outside a cluster.
func (p *pod) readEnv(c corev1.Container, here mounts) {
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
			p.env = append(p.env, variable{from.Prefix + key, data[key]})
			if kind == "Secret" {
				p.secret = append(p.secret, from.Prefix+key)
			}
		}
	}
	for _, e := range c.Env {
		if value, ok := p.value(e, here); ok {
			p.env = append(p.env, variable{e.Name, value})
		}
	}
	p.expandEnv()
	p.env = slices.DeleteFunc(p.env, func(v variable) bool {
		left := placeholder.MatchString(v.value)
		if left {
			p.unknown = append(p.unknown, reference{v.name, v.value})
		}
		return left
	})
}

// expandEnv replaces $(NAME) in variables by those before them, as Kubernetes does. What has a value of a Secret then is secret, too.
func (p *pod) expandEnv() {
	var before []string
	for i, v := range p.env {
		p.env[i].value = expand([]string{v.value}, before)[0]
		before = append(before, v.name+"="+p.env[i].value)
		if slices.ContainsFunc(p.secret, func(name string) bool { return strings.Contains(v.value, "$("+name+")") }) {
			p.secret = append(p.secret, v.name)
		}
	}
}

// moveEnv replaces the paths of volumes in variables, and returns those before. It leaves out variables that name a file of a Secret that no
// manifest has.
func (p *pod) moveEnv(moved []move, here mounts) []variable {
	before := p.env
	p.env = nil
	for _, v := range before {
		value := relocate(v.value, moved)
		if here.lacksFile(value) {
			p.unknown = append(p.unknown, reference{v.name, "a file of a Secret"})
			continue
		}
		p.env = append(p.env, variable{v.name, value})
	}
	return before
}

// withDefault is a variable of clusterctl, with its default: providers of Cluster API have them in their manifests, for the one who installs these.
var withDefault = lazyregexp.New(`\$\{([A-Za-z_]\w*)(:?)[-=]([^{}]*)\}`)

// placeholder is a value that is only a variable without a default.
var placeholder = lazyregexp.New(`^\$\{[A-Za-z_]\w*\}$`)

// substituted has variables of our environment, or else their defaults, where a text names them with a default, as in ${NAME:=value}, or is
// nothing but the name of one.
func substituted(text string) string {
	if placeholder.MatchString(text) {
		if value, ok := os.LookupEnv(text[2 : len(text)-1]); ok {
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
func (p *pod) value(e corev1.EnvVar, here mounts) (string, bool) {
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
func (p *pod) key(variable, kind, name, key string, here mounts) (string, bool) {
	value, ok := here.data(kind, name)[key]
	switch {
	case !ok:
		p.unknown = append(p.unknown, reference{variable, kind + " " + name})
	case kind == "Secret":
		p.secret = append(p.secret, variable)
	}
	return value, ok
}

// withoutSecrets are the variables of env that do not come from Secrets.
func (p *pod) withoutSecrets(env []string) []string {
	if p == nil {
		return env
	}
	return slices.DeleteFunc(slices.Clone(env), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return slices.Contains(p.secret, name)
	})
}

// field is a field of the pod. A label or annotation that it does not have is empty, as it is there.
func (p *pod) field(path string) (string, bool) {
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
		return p.namespace, true
	case "metadata.name", "spec.nodeName":
		return "crdctl", true
	case "spec.serviceAccountName":
		return p.account, true
	case "status.podIP", "status.hostIP":
		return "127.0.0.1", true
	}
	return "", false
}

// lacks names the variables that neither the manifests nor env have a value for, with where they would come from; "" if there are none.
func (p *pod) lacks(env []string) string {
	var lines []string
	for _, r := range p.unknown {
		if !slices.ContainsFunc(env, func(v string) bool { return strings.HasPrefix(v, r.name+"=") }) {
			lines = append(lines, fmt.Sprintf("%s (%s)", r.name, r.object))
		}
	}
	return strings.Join(lines, ", ")
}
