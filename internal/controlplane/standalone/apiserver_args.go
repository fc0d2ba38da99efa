package standalone

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"k8s.io/kubernetes/cmd/kube-apiserver/app/options"
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
		warn("feature gates of other releases are left out: %s", strings.Join(refused, "; "))
	}
	return args
}
