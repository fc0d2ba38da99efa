// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"fmt"
	"strings"

	"golang.org/x/mod/semver"

	"github.com/crdctl/crdctl/internal/check/doctor/machine"
	"github.com/crdctl/crdctl/internal/check/rule"
)

const (
	// lowDisk is less room than a build of a controller with its caches takes.
	lowDisk = 2 << 30
	// lowInstances is the default of Linux: shells, editors and containers of a user share it.
	lowInstances = 128
	// kubectlSkew is how many minor versions kubectl may be away from the API server.
	kubectlSkew = 1
)

// environment judges the machine, for a project that may be nil.
func environment(m machine.Machine, s *Source, kubernetes string) (all []rule.Finding) {
	add := func(id, subject, format string, args ...any) {
		all = append(all, rule.New(id, rule.Place{}, subject, format, args...))
	}
	switch version, at := s.needsGo(); {
	case m.Go.Version == "":
		f := rule.New("go-missing", rule.Place{}, "go", "the go command does not run: %s", m.Go.Problem)
		if s == nil || len(s.Modules) == 0 { // no project, or one without Go
			f.Severity, f.Fix = rule.Note, "Install Go, unless you only use \"crdctl run --builtin\", or check and docs for CRDs, which work without it."
		}
		all = append(all, f)
	case version != "" && semver.Compare(goSemver(m.Go.Version), goSemver(version)) < 0:
		f := rule.New("go-old", at, "go", "Go %s is older than %s, which %s asks for", m.Go.Version, version, at.File)
		if m.Go.Toolchain != "local" {
			f.Severity, f.Fix = rule.Note, "Install the newer version, unless the go command may download it."
		}
		all = append(all, f)
	}
	for _, d := range m.Disks {
		if d.Free < lowDisk {
			add("disk-low", d.Dir, "%s has room for %s only", d.Dir, machine.Bytes(d.Free))
		}
	}
	if i := m.Inotify; i != nil {
		if s != nil && i.Watches < s.Dirs {
			add("inotify-low", "max_user_watches", "fs.inotify.max_user_watches is %d, and the project has %d directories", i.Watches, s.Dirs)
		}
		if i.Instances < lowInstances {
			add("inotify-low", "max_user_instances", "fs.inotify.max_user_instances is %d", i.Instances)
		}
	}
	for _, port := range m.Taken {
		add("port-taken", fmt.Sprint(port), "another program listens on port %d", port)
	}
	if m.Stale != "" {
		add("state-stale", m.Stale, "%s is of a \"crdctl run\" that was killed", m.Stale)
	}
	return append(all, kubectls(m.Kubectl, kubernetes)...)
}

// kubectls judges the programs of that name in PATH: the first is the one that a shell starts.
func kubectls(tools []machine.Tool, kubernetes string) (all []rule.Finding) {
	server := minor(kubernetes)
	for i, t := range tools {
		if t.Problem != "" {
			all = append(all, rule.New("kubectl-broken", rule.Place{}, t.Path, "%s does not print its version: %s", t.Path, t.Problem))
			continue
		}
		own := minor("v0." + strings.TrimPrefix(t.Version, "v1."))
		if i > 0 || own < 0 || server < 0 || own >= server-kubectlSkew && own <= server+kubectlSkew {
			continue
		}
		all = append(all, rule.New("kubectl-skew", rule.Place{}, t.Path, "%s is %s, and the API server of \"crdctl run\" is v1.%d", t.Path, t.Version, server))
	}
	return all
}

// needsGo is the newest version of Go that a module of the project asks for, and where.
func (s *Source) needsGo() (version string, at rule.Place) {
	if s == nil {
		return "", at
	}
	for _, m := range s.controllers() {
		if v, place := m.goVersion(); v != "" && (version == "" || semver.Compare(goSemver(v), goSemver(version)) > 0) {
			version, at = v, place
		}
	}
	return version, at
}

// goSemver is a version of Go in the form that semver compares. What is behind a blank, as of a vendor's build, does not count.
func goSemver(version string) string {
	version, _, _ = strings.Cut(version, " ")
	if i := strings.Index(version, "rc"); i > 0 {
		version = version[:i] + ".0-" + version[i:]
	}
	return "v" + version
}
