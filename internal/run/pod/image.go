// SPDX-License-Identifier: Apache-2.0

package pod

import (
	"encoding/json"
	"path"
	"path/filepath"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/crdctl/crdctl/internal/safefs"
	"github.com/crdctl/crdctl/internal/text/lazyregexp"
)

// entrypoint is the command of an image, as a list. Other forms are for a shell.
var entrypoint = lazyregexp.New(`(?mi)^ENTRYPOINT\s+(\[.*\])\s*$`)

// starters are programs that start another one, and shells those that may do so anywhere in a script.
var (
	starters = append([]string{"tini", "dumb-init", "env", "catatonit"}, shells...)
	shells   = []string{"sh", "bash", "ash"}
)

// afterProgram are the words of a container that follow its program. That can be an argument, if the command starts another program, or the
// entry point of the image does.
func afterProgram(c corev1.Container) []string {
	mounted := func(file string) bool {
		return slices.ContainsFunc(c.VolumeMounts, func(m corev1.VolumeMount) bool { return strings.HasPrefix(file, m.MountPath) })
	}
	switch {
	case len(c.Command) == 0 && len(c.Args) > 0 && path.IsAbs(c.Args[0]) && path.Ext(c.Args[0]) == "" && !mounted(c.Args[0]):
		return c.Args[1:]
	case len(c.Command) == 0:
		return c.Args
	case slices.Contains(shells, path.Base(c.Command[0])):
		return nil
	}
	words := slices.Concat(c.Command[1:], c.Args)
	if !slices.Contains(starters, path.Base(c.Command[0])) {
		return words
	}
	i := slices.IndexFunc(words, func(w string) bool { return !strings.HasPrefix(w, "-") && !strings.Contains(w, "=") }) // of env, too
	return words[i+1:]
}

// Subcommand are the words between the program and its flags in the Dockerfile of the project's root: a program with subcommands does
// nothing without one.
func Subcommand(root string) (words []string) {
	data, err := safefs.ReadFile(filepath.Join(root, "Dockerfile"), safefs.MaxFile)
	if err != nil {
		return nil
	}
	all := entrypoint.FindAllSubmatch(data, -1)
	if len(all) == 0 {
		return nil
	}
	var command []string
	if err := json.Unmarshal(all[len(all)-1][1], &command); err != nil || len(command) == 0 || slices.Contains(starters, filepath.Base(command[0])) {
		return nil
	}
	for _, w := range command[1:] {
		if strings.HasPrefix(w, "-") || strings.ContainsAny(w, "/.$") {
			break
		}
		words = append(words, w)
	}
	return words
}
