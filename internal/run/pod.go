// SPDX-License-Identifier: Apache-2.0

package run

import (
	"cmp"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/crdctl/crdctl/internal/crd/manifest"
	"github.com/crdctl/crdctl/internal/workspace/mainpkg"
)

// pod is what the project's manifests say of the pod in which the controller runs in a cluster, as far as it holds on this machine.
type pod struct {
	namespace, account string
	// noAccount is set where no manifest has the service account: those of operator-sdk leave it to the Operator Lifecycle Manager.
	noAccount   bool
	labels      map[string]string
	annotations map[string]string
	args        []string
	env         []variable
	// unknown are the variables that it takes from ConfigMaps and Secrets that no manifest has.
	unknown []reference
	// secret are the names of variables that come from Secrets.
	secret []string
	// command is set where the manifests have the command, and not the image.
	command bool
	// moved are the paths of its volumes, and fixed those that no argument and no variable names.
	moved []move
	fixed []string
	// absent are the arguments that name a file of a Secret that no manifest has.
	absent []string
	// filled are the empty volumes that an init container of the pod fills in a cluster, by their paths, with its name.
	filled []string
}

// sets reports whether the manifests set a flag.
func (p *pod) sets(flag string) bool {
	return slices.ContainsFunc(p.args, func(a string) bool { return flagOf(a) == flag })
}

// flagOf is the flag that an argument sets; "" for other arguments.
func flagOf(arg string) string {
	if !strings.HasPrefix(arg, "-") {
		return ""
	}
	name, _, _ := strings.Cut(strings.TrimLeft(arg, "-"), "=")
	return name
}

// without are the arguments without some flags. The value of a flag may be the next argument, but not that of one that is true or false.
func (p *pod) without(flags map[string]bool, known map[string]mainpkg.Flag) (args []string) {
	for i := 0; i < len(p.args); i++ {
		arg := p.args[i]
		name := flagOf(arg)
		if !flags[name] {
			args = append(args, arg)
			continue
		}
		flag, defined := known[name]
		if defined && !flag.Bool && !strings.Contains(arg, "=") && i+1 < len(p.args) && flagOf(p.args[i+1]) == "" {
			i++
		}
	}
	return args
}

// newPod reads the manifest of the controller, whose program has a name.
func newPod(o manifest.Object, program string, here mounts) *pod {
	template, ok := templateOf(o)
	if !ok {
		return nil
	}
	c := template.Spec.Containers[managerOf(template.Spec.Containers, program)]
	p := &pod{namespace: o.GetNamespace(), account: template.Spec.ServiceAccountName, labels: template.Labels, annotations: template.Annotations, command: len(c.Command) > 0}
	if p.namespace == "" {
		p.namespace = corev1.NamespaceDefault
	}
	p.noAccount = p.account != "" && p.account != "default" && !slices.ContainsFunc(here.objects, func(o manifest.Object) bool {
		return o.GetKind() == "ServiceAccount" && o.GetName() == p.account && cmp.Or(o.GetNamespace(), corev1.NamespaceDefault) == p.namespace
	})
	words := slices.Clone(afterProgram(c))
	for i, w := range words {
		words[i] = substituted(w)
	}
	var moved []move
	for _, m := range c.VolumeMounts {
		if local := here.path(m, template.Spec.Volumes); local != "" {
			moved = append(moved, move{path.Clean(m.MountPath), local})
			p.filled = append(p.filled, filledBy(template.Spec, m)...)
		}
	}
	slices.SortFunc(moved, func(a, b move) int { return cmp.Compare(len(b.from), len(a.from)) }) // the innermost first
	p.moved = moved
	for _, w := range words {
		arg := relocate(w, moved)
		if here.lacksFile(arg[strings.IndexByte(arg, '=')+1:]) {
			p.absent = append(p.absent, w)
			arg = w // names what is missing
		}
		p.args = append(p.args, arg)
	}
	p.readEnv(c, here)
	for _, v := range p.moveEnv(moved, here) {
		words = append(words, v.value)
	}
	for _, m := range moved {
		if m.to != here.certs && !slices.ContainsFunc(words, func(w string) bool { return relocate(w, []move{m}) != w }) {
			p.fixed = append(p.fixed, m.from)
		}
	}
	return p
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

// missingVolumes are the paths of volumes that the sources of the program have, that nothing on its command line leads elsewhere, and that do not
// exist on this machine.
func (p *program) missingVolumes() string {
	if p.pod == nil {
		return ""
	}
	return strings.Join(slices.DeleteFunc(slices.Clone(p.pod.fixed), func(dir string) bool {
		_, err := os.Stat(dir)
		return err == nil || !slices.Contains(p.source.Paths, dir) || slices.ContainsFunc(slices.Collect(maps.Values(p.flags())), func(f mainpkg.Flag) bool { return f.Default == dir })
	}), " ")
}

// movedDefaults are the flags that have a path of a volume where nothing sets them, with that of this machine.
func (p *program) movedDefaults() map[string]string {
	moved := map[string]string{}
	if p.pod == nil {
		return moved
	}
	for name, flag := range p.flags() {
		if here := relocate(flag.Default, p.pod.moved); here != flag.Default && !p.pod.sets(name) {
			moved[name] = here
		}
	}
	return moved
}

// move is a path of the pod, and the one that stands for it on this machine.
type move struct{ from, to string }

// relocate replaces a path of the pod in a value, as in --storage-path=/data or /data/x, by that of this machine.
func relocate(value string, moved []move) string {
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
	return value
}
