// SPDX-License-Identifier: Apache-2.0

package load

import (
	"fmt"
	"slices"
	"strings"
)

// flags are those of GOFLAGS that decide which packages are loaded.
func (e *Env) flags() (mod string, err error) {
	if strings.ContainsAny(e.Vars["GOFLAGS"], `'"`) {
		// The go command has rules of its own for what is one word then.
		return "", fmt.Errorf("%w: GOFLAGS has quotes", ErrUnsupported)
	}
	for _, flag := range strings.Fields(e.Vars["GOFLAGS"]) {
		name, value, _ := strings.Cut(flag, "=")
		name = strings.TrimPrefix(strings.TrimPrefix(name, "-"), "-")
		switch name {
		case "mod":
			mod = value
		case "tags", "modfile", "overlay", "compiler",
			"race", "msan", "asan", "cover", "covermode", "coverpkg": // each of which is a build tag, too
			return "", fmt.Errorf("%w: GOFLAGS has -%s", ErrUnsupported, name)
		case "modcacherw", "trimpath", "buildvcs", "ldflags", "gcflags", "asmflags", "v", "x", "p", "a", "count", "timeout", "short", "json", "vet":
			// They change nothing of what is loaded.
		default: // the go command may not know it either, and says so
			return "", fmt.Errorf("%w: GOFLAGS has %s", ErrUnsupported, flag)
		}
	}
	return mod, nil
}

// processors are the variables that make build tags of what a processor can, by architecture. What GOWASM says makes none.
var processors = map[string]string{
	"386": "GO386", "amd64": "GOAMD64", "arm": "GOARM", "arm64": "GOARM64", "mips": "GOMIPS", "mipsle": "GOMIPS",
	"mips64": "GOMIPS64", "mips64le": "GOMIPS64", "ppc64": "GOPPC64", "ppc64le": "GOPPC64", "riscv64": "GORISCV64",
}

// sameTags refuses settings by which the go command builds with other tags than own, which go/build made of the environment
// that this process began with: it knows neither what "go env -w" saved nor what go.env of another Go says. experiment is
// GOEXPERIMENT of this process.
func sameTags(vars map[string]string, experiment string, own []string) error {
	differs := func(name string) error {
		return fmt.Errorf("%w: %s=%s makes other build tags", ErrUnsupported, name, vars[name])
	}
	if vars["GOEXPERIMENT"] != experiment {
		return differs("GOEXPERIMENT")
	}
	for word := range strings.SplitSeq(experiment, ",") {
		name, off := strings.CutPrefix(word, "no")
		if word != "" && slices.Contains(own, "goexperiment."+name) == off {
			return differs("GOEXPERIMENT")
		}
	}
	processor := slices.DeleteFunc(slices.Clone(own), func(tag string) bool { return strings.HasPrefix(tag, "goexperiment.") })
	arch := vars["GOARCH"]
	if len(processor) > 0 && !strings.HasPrefix(processor[0], arch+".") {
		return differs("GOARCH")
	}
	if name, ok := processors[arch]; ok && best(processor) != arch+"."+beforeComma(vars[name]) {
		return differs(name)
	}
	return nil
}

// best is the tag that names the processor itself: the last, since it comes after those that it can do all of. An arm64.v9
// comes first, and those of v8 after it.
func best(tags []string) (last string) {
	for _, tag := range tags {
		if kind := tags[0][:strings.LastIndexByte(tags[0], '.')+1]; strings.HasPrefix(tag, kind) {
			last = tag
		}
	}
	return last
}

func beforeComma(s string) string {
	first, _, _ := strings.Cut(s, ",")
	return first
}
