// SPDX-License-Identifier: Apache-2.0

// Package pod reads what a project's manifests, and its Dockerfile, say of the pod in which its controller runs in a cluster: arguments, variables,
// volumes and service account. It makes of that what holds on this machine.
package pod

import (
	"cmp"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/crdctl/crdctl/internal/controlplane/rbacaudit"
	"github.com/crdctl/crdctl/internal/crd/manifest"
	"github.com/crdctl/crdctl/internal/workspace/mainpkg"
)

// Pod is what the project's manifests say of the pod in which the controller runs in a cluster, as far as it holds on this machine.
type Pod struct {
	Namespace, Account string
	// NoAccount is set where no manifest has the service account, as those of operator-sdk leave it to the Operator Lifecycle Manager, and for
	// the account "default", which every namespace has, where no manifest binds a role to it.
	NoAccount   bool
	labels      map[string]string
	annotations map[string]string
	Args        []string
	Env         []Variable
	// unknown are the variables that it takes from ConfigMaps and Secrets that no manifest has, or whose value is filled in at the installation.
	unknown []reference
	// unset are those that arguments take from our environment, which may have none.
	unset []reference
	// Secret are the names of variables that come from Secrets.
	Secret []string
	// Command is set where the manifests have the command, and not the image. What a shell starts is not read.
	Command bool
	// Moved are the paths of its volumes, and Fixed those that no argument and no variable names.
	Moved []Move
	Fixed []string
	// Absent are the arguments that name a file of a Secret that no manifest has.
	Absent []string
	// Filled are the empty volumes that an init container of the pod fills in a cluster, by their paths, with its name.
	Filled []string
}

// Sets reports whether the manifests set a flag.
func (p *Pod) Sets(flag string) bool {
	return slices.ContainsFunc(p.Args, func(a string) bool { return FlagOf(a) == flag })
}

// FlagOf is the flag that an argument sets; "" for other arguments.
func FlagOf(arg string) string {
	if !strings.HasPrefix(arg, "-") {
		return ""
	}
	name, _, _ := strings.Cut(strings.TrimLeft(arg, "-"), "=")
	return name
}

// Without are the arguments without some flags. The value of a flag may be the next argument, but not that of one that is true or false.
func (p *Pod) Without(flags map[string]bool, known map[string]mainpkg.Flag) (args []string) {
	for i := 0; i < len(p.Args); i++ {
		arg := p.Args[i]
		name := FlagOf(arg)
		if !flags[name] {
			args = append(args, arg)
			continue
		}
		flag, defined := known[name]
		if defined && !flag.Bool && !strings.Contains(arg, "=") && i+1 < len(p.Args) && FlagOf(p.Args[i+1]) == "" {
			i++
		}
	}
	return args
}

// New reads the manifest of the controller, whose program has a name.
func New(o manifest.Object, program string, here Mounts) *Pod {
	template, ok := TemplateOf(o)
	if !ok {
		return nil
	}
	c := template.Spec.Containers[managerOf(template.Spec.Containers, program)]
	p := &Pod{Namespace: o.GetNamespace(), Account: accountOf(template.Spec), labels: template.Labels, annotations: template.Annotations}
	p.Command = len(c.Command) > 0 && !slices.Contains(shells, path.Base(c.Command[0]))
	if p.Namespace == "" {
		p.Namespace = corev1.NamespaceDefault
	}
	p.NoAccount = !slices.ContainsFunc(here.Objects, func(o manifest.Object) bool {
		if p.Account == DefaultAccount {
			return p.bound(o)
		}
		return o.GetKind() == "ServiceAccount" && o.GetName() == p.Account && cmp.Or(o.GetNamespace(), corev1.NamespaceDefault) == p.Namespace
	})
	words := slices.Clone(afterProgram(c))
	for i, w := range words {
		words[i] = p.argument(w)
	}
	var moved []Move
	for _, m := range c.VolumeMounts {
		if local := here.path(m, template.Spec.Volumes); local != "" {
			moved = append(moved, Move{path.Clean(m.MountPath), local})
			p.Filled = append(p.Filled, filledBy(template.Spec, m)...)
		}
	}
	slices.SortFunc(moved, func(a, b Move) int { return cmp.Compare(len(b.from), len(a.from)) }) // the innermost first
	p.Moved = moved
	for _, w := range words {
		arg := Relocate(w, moved)
		if here.lacksFile(arg[strings.IndexByte(arg, '=')+1:]) {
			p.Absent = append(p.Absent, w)
			arg = w // names what is missing
		}
		p.Args = append(p.Args, arg)
	}
	p.readEnv(c, here)
	for _, v := range p.moveEnv(moved, here) {
		words = append(words, v.Value)
	}
	for _, m := range moved {
		if m.to != here.Certs && !slices.ContainsFunc(words, func(w string) bool { return Relocate(w, []Move{m}) != w }) {
			p.Fixed = append(p.Fixed, m.from)
		}
	}
	return p
}

// argument is an argument whose value, if that is nothing but a variable, is taken from the controller's environment when it starts: that has the
// cluster of the run, and what comes from it may be secret.
func (p *Pod) argument(arg string) string {
	flag, value := "", arg
	if at := strings.IndexByte(arg, '='); at >= 0 && FlagOf(arg) != "" {
		flag, value = arg[:at+1], arg[at+1:]
	}
	if !placeholder.MatchString(value) {
		return substituted(arg)
	}
	name := strings.Trim(value, "${}")
	arg = flag + "$(" + name + ")"
	p.Secret = append(p.Secret, name)
	p.unset = append(p.unset, reference{name, arg})
	return arg
}

// DefaultAccount is the service account of pods that name none.
const DefaultAccount = "default"

// accountOf is the service account of a pod, with the API server's defaults.
func accountOf(spec corev1.PodSpec) string {
	return cmp.Or(spec.ServiceAccountName, spec.DeprecatedServiceAccount, DefaultAccount)
}

// bound reports whether an object binds a role to the service account.
func (p *Pod) bound(o manifest.Object) bool {
	var binding rbacv1.RoleBinding // a ClusterRoleBinding has the same fields
	if !strings.HasSuffix(o.GetKind(), "RoleBinding") || runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, &binding) != nil {
		return false
	}
	return rbacaudit.Account{Namespace: p.Namespace, Name: p.Account}.IsOneOf(binding.Subjects, binding.Namespace)
}

// filledBy is the path of a mount with the init containers that have its volume as well, where that is empty at the start of the pod.
func filledBy(spec corev1.PodSpec, mount corev1.VolumeMount) (filled []string) {
	if !slices.ContainsFunc(spec.Volumes, func(v corev1.Volume) bool { return v.Name == mount.Name && v.EmptyDir != nil }) {
		return nil
	}
	for _, c := range spec.InitContainers {
		if slices.ContainsFunc(c.VolumeMounts, func(m corev1.VolumeMount) bool { return m.Name == mount.Name && !m.ReadOnly }) {
			filled = append(filled, mount.MountPath+" ("+c.Name+")")
		}
	}
	return filled
}

// Move is a path of the pod, and the one that stands for it on this machine.
type Move struct{ from, to string }

// Relocate replaces a path of the pod in a value, as in --storage-path=/data or /data/x, by that of this machine.
func Relocate(value string, moved []Move) string {
	option, file, ok := strings.Cut(value, "=")
	if !ok || !strings.HasPrefix(option, "-") {
		option, file = "", value
	} else {
		option += "="
	}
	for _, m := range moved {
		if rest, ok := strings.CutPrefix(file, m.from); ok && (rest == "" || rest[0] == '/') {
			return option + filepath.Join(m.to, filepath.FromSlash(rest))
		}
	}
	if path.IsAbs(file) || path.Ext(file) == "" { // "config" may be any word
		return value
	}
	for _, m := range moved { // relative to the working directory of the image, as kubebuilder's --config=controller_manager_config.yaml
		if info, err := os.Stat(m.to); err == nil && info.Mode().IsRegular() && strings.HasSuffix(m.from, "/"+path.Clean(file)) {
			return option + m.to
		}
	}
	return value
}
