// SPDX-License-Identifier: Apache-2.0

package controllergen

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/mod/semver"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/detect/repo"
	"github.com/crdctl/crdctl/internal/gen/crdform"
	"github.com/crdctl/crdctl/internal/safefs"
	"github.com/crdctl/crdctl/internal/text"
	"github.com/crdctl/crdctl/internal/text/lazyregexp"
)

const controllerTools = "sigs.k8s.io/controller-tools"

var (
	toolRelease = lazyregexp.New(`^v0\.\d+\.\d+$`)
	// toolPin is a version of controller-gen in a script, a makefile, a Dockerfile or a file of tools.
	toolPin = lazyregexp.New(`(?im)(?:controller[-_]?(?:gen|tools)(?:[-_]?gen(?:erator)?)?(?:[-_]?(?:ver|version|tag|release))?|cmd/controller-gen)["']?\s*(?:[:?+]?=|[@,:]|\s)\s*(?:controller-gen=)?["']?v?(0\.\d+\.\d+)\b`)
	// pinVariable is the variable with the version that a script or makefile installs.
	pinVariable = lazyregexp.New(`controller-tools/cmd/controller-gen["']?[@\s]+["']?\$[({]?(\w+)`)
	// toolMinor is a version without its patch, for which the go command takes the newest one.
	toolMinor = lazyregexp.New(`(?im)(?:cmd/controller-gen@|controller[-_]?(?:gen|tools)(?:[-_]?gen(?:erator)?)?[-_]?(?:ver|version|tag|release)["']?\s*[:?+]?=\s*["']?)v(0\.\d+)(?:[^.\w]|$)`)
)

// patches are the newest releases of the minor versions of controller-tools that have more than one.
var patches = map[string]string{
	"0.2": "v0.2.9", "0.4": "v0.4.1", "0.6": "v0.6.2", "0.9": "v0.9.2", "0.11": "v0.11.4", "0.12": "v0.12.1", "0.16": "v0.16.5", "0.17": "v0.17.3", "0.20": "v0.20.1",
}

// newestOf is the release that the go command takes for a minor version, "" where that is newer than those that are known.
func newestOf(minor string) string {
	release := cmp.Or(patches[minor], "v"+minor+".0")
	if semver.Compare(release, crdform.Version) > 0 {
		return ""
	}
	return release
}

// toolUnfixed is an installation of what a branch of controller-tools has, or what its newest release is, on that day.
var toolUnfixed = lazyregexp.New(`cmd/controller-gen@(main|master|latest|HEAD)\b`)

// genVersion is a version of controller-tools, its place, and the directory for which it holds.
type genVersion struct {
	version, source, dir string
	rank                 int // makefiles and scripts, then tools modules, go.mod, Dockerfiles
}

// toolVersions are the versions that the repository pins.
func (r *Reader) toolVersions() (all []genVersion) {
	for _, t := range r.Texts {
		if !wanted(string(t.Data)) && !strings.Contains(string(t.Data), "ontroller-tools") && !strings.Contains(string(t.Data), "CONTROLLER_TOOLS") {
			continue
		}
		rank := 0
		if strings.HasPrefix(path.Base(t.Path), "Dockerfile") {
			rank = 3
		}
		data := commentLine.ReplaceAll(t.Data, nil)
		add := func(version string, at int) {
			all = append(all, genVersion{version, repo.At(t.Path, repo.LineOf(data, at)), path.Dir(t.Path), rank})
		}
		for _, m := range toolPin.FindAllSubmatchIndex(data, -1) {
			add("v"+string(data[m[2]:m[3]]), m[2])
		}
		for _, m := range pinVariable.FindAllSubmatchIndex(data, -1) {
			set := regexp.MustCompile(`(?m)\b` + string(data[m[2]:m[3]]) + `\s*[:?]?=[ \t]*(?:["']?(?:\$\{\w+:-)?["']?v?(0\.\d+\.\d+)\b|[^=]|$)`)
			all := set.FindAllSubmatchIndex(data[:m[0]], -1)
			if all == nil {
				all = set.FindAllSubmatchIndex(data, -1) // makefiles set it anywhere
			}
			if len(all) > 0 && all[len(all)-1][2] >= 0 { // and not what a command prints
				last := all[len(all)-1]
				add("v"+string(data[last[2]:last[3]]), last[2])
			}
		}
		for _, m := range toolMinor.FindAllSubmatchIndex(data, -1) {
			if newest := newestOf(string(data[m[2]:m[3]])); newest != "" {
				add(newest, m[2])
			}
		}
	}
	for _, m := range r.Modules.Tools {
		if version, source := m.Requirement(controllerTools); toolRelease.MatchString(version) && r.NamesModule(m) {
			all = append(all, genVersion{version, source, path.Dir(m.File), 1})
		}
	}
	for _, dir := range slices.Sorted(maps.Keys(r.Modules.ByDir)) {
		version, source := r.Modules.ByDir[dir].Requirement(controllerTools)
		if !toolRelease.MatchString(version) {
			continue
		}
		v := genVersion{version, source, dir, 2}
		if tools.MatchString(dir) {
			v.rank, v.dir = 1, path.Dir(dir)
		}
		all = append(all, v)
	}
	return all
}

var tools = lazyregexp.New(`(^|/)_?(tools?|hack|scripts|build|controller-gen)(/|$)`)

// pinFor is the pin that holds for a directory: the best of the nearest one above, or of all where none is above.
func pinFor(all []genVersion, dir string) (genVersion, bool) {
	best, found := genVersion{}, false
	score := func(v genVersion) int {
		if !text.Below(v.dir, dir) {
			return -1000 - 10*strings.Count(v.dir, "/") - v.rank
		}
		depth := 0
		if v.dir != "." {
			depth = 1 + strings.Count(v.dir, "/")
		}
		return 10*depth - v.rank
	}
	for _, v := range all {
		if !found || score(v) > score(best) {
			best, found = v, true
		}
	}
	return best, found
}

// annotated is the version that most of some CRDs bear, and the place of the first.
func annotated(all []repo.Manifest) (version, source string) {
	count := map[string]int{}
	for _, m := range all {
		count[m.Version]++
	}
	for _, m := range all {
		if known := toolRelease.MatchString(m.Version) || config.Unreleased(m.Version); known && (version == "" || count[m.Version] > count[version]) {
			version, source = m.Version, repo.At(m.Path, m.Line)
		}
	}
	return version, source
}

// fromBranch tells that CRDs are from a commit between two releases, where a script installs no fixed version of controller-gen: what is called
// a version elsewhere is not the one that is used.
func (r *Reader) fromBranch(made []repo.Manifest) string {
	if len(made) == 0 || made[0].Version == "" {
		return ""
	}
	for _, t := range r.Texts {
		data := commentLine.ReplaceAll(t.Data, nil)
		if found := toolUnfixed.FindSubmatchIndex(data); found != nil {
			return fmt.Sprintf(": %s installs no fixed version, and %s is from %s, which is no release", repo.At(t.Path, repo.LineOf(data, found[0])), repo.At(made[0].Path, made[0].Line), made[0].Version)
		}
	}
	return ""
}

// witness is a version of controller-gen, and the place that tells it.
type witness struct{ version, source string }

// versionCalls gives each call its version, and the project the one that most calls have. It returns the calls but for inferred ones of which
// nothing tells the version: their CRDs are listed.
func (r *Reader) versionCalls(calls []*genCall, own []repo.Manifest) []*genCall {
	if len(calls) == 0 {
		return nil
	}
	pins := r.toolVersions()
	of, branch := make([]witness, len(calls)), make([]string, len(calls))
	for i, c := range calls {
		of[i], branch[i] = r.versionOf(c, calls, own, pins)
	}
	project, ok := mostUsed(of)
	if !ok {
		project = r.versionOfProject(pins)
	}
	if project.version != "" {
		r.Settings.ControllerGen.Version = project.version
		r.Set("controllerGen.version", project.source)
	}
	for i, c := range calls {
		if of[i].version != project.version {
			c.Version = of[i].version
		}
		onlyCopies := c.CRD == nil && c.RBAC == nil && c.Webhook == nil && c.ApplyConfiguration == nil && c.SchemaPatch == nil
		if of[i].version == "" && (project.version == "" || !onlyCopies) {
			r.Ask(c.at, "the version of controller-gen is unknown%s; set controllerGen: {version: v0.X.Y}", branch[i])
		}
	}
	if project.version == "" {
		return r.leaveUnreleased(calls, own)
	}
	for i, c := range calls {
		r.keepUnmarked(c, of[i].version)
	}
	unreleased := slices.ContainsFunc(of, func(w witness) bool { return config.Unreleased(w.version) })
	p, ok := pinFor(pins, ".")
	used := slices.ContainsFunc(of, func(w witness) bool { return w.version == p.version })
	for i, c := range calls {
		w := of[i]
		if w.version == "" || w.version == p.version || used && w.version == c.pinned {
			continue
		}
		if at, _ := pinFor(pins, orRoot(c.Dir)); ok && !unreleased && at == p {
			files := "the generated files are"
			if used {
				files = "some generated files are"
			}
			r.Note(p.source, "controller-gen %s is pinned here, but %s from %s (%s), which is used", p.version, files, w.version, w.source)
			break
		}
	}
	return calls
}

// versionOf is the version of a call: that of the CRDs that it makes, the one that it names, that of the CRDs that are made in its project, or
// of the pins. Without one it tells what fromBranch does.
func (r *Reader) versionOf(c *genCall, calls []*genCall, own []repo.Manifest, pins []genVersion) (of witness, branch string) {
	// explains reports that the deep copies of the call are as one version writes them, and not as another one does.
	explains := func(version, other string) bool {
		return c.Object != nil && r.writesBuildLine(c, version) && !r.writesBuildLine(c, other)
	}
	// copied reports that it has deep copies, which may show what an unreleased version writes.
	copied := func() bool {
		return slices.ContainsFunc(r.Files, func(f *repo.GoFile) bool {
			return f.Generator == Name && path.Base(f.Path) == DeepCopies && copiesTo(c, r.Modules, f.Dir)
		})
	}
	named := toolRelease.MatchString(c.pinned)
	if v, source := annotated(r.crdsNear(c, calls, own)); v != "" && (c.CRD != nil || !named) {
		if p, ok := pinFor(pins, orRoot(c.Dir)); ok && c.CRD == nil && (explains(p.version, v) || config.Unreleased(v) && !copied()) {
			return witness{p.version, p.source}, ""
		}
		return witness{v, source}, ""
	}
	if named {
		return witness{c.pinned, c.at}, ""
	}
	if branch := r.fromBranch(r.crdsNear(c, calls, own)); branch != "" {
		return witness{}, branch
	}
	p, ok := pinFor(r.likely(c, pins), orRoot(c.Dir))
	// CRDs that a command renames or copies tell what made the missing ones, if they agree; and the deep copies, too, where the pin cannot have: it
	// holds where the tool is not installed.
	files, v := r.elsewhere(calls, c)
	older := slices.ContainsFunc(r.Manifests, func(m repo.Manifest) bool { return m.Version != v && slices.Contains(files, m.Path) })
	if toolRelease.MatchString(v) && (ok && explains(v, p.version) || !ok && c.CRD != nil && !older) {
		return witness{v, files[len(files)-1]}, ""
	}
	if !ok {
		return witness{}, ""
	}
	return witness{p.version, p.source}, ""
}

// mostUsed is the release that most calls have, and of these the first.
func mostUsed(of []witness) (most witness, ok bool) {
	count := map[string]int{}
	for _, w := range of {
		count[w.version]++
	}
	for _, w := range of {
		if w.version != "" && !config.Unreleased(w.version) && (!ok || count[w.version] > count[most.version]) {
			most, ok = w, true
		}
	}
	return most, ok
}

// versionOfProject is the version where no call has one: a program of the repository's own is built with what a go.mod requires, and CRDs that
// no call makes bear it, too.
func (r *Reader) versionOfProject(pins []genVersion) witness {
	if p, ok := pinFor(slices.DeleteFunc(slices.Clone(pins), func(v genVersion) bool { return v.rank != 1 && v.rank != 2 }), "."); ok {
		return witness{p.version, p.source}
	}
	unreleased := func(m repo.Manifest) bool { return !toolRelease.MatchString(m.Version) }
	version, source := annotated(slices.DeleteFunc(r.ownManifests(), unreleased))
	if version != "" {
		return witness{version, source}
	}
	// CRDs that commands rename bear it, too, but so do copies of earlier releases.
	all := slices.DeleteFunc(slices.Clone(r.Manifests), func(m repo.Manifest) bool { return !m.IsOf(r.Kinds) || unreleased(m) })
	if !slices.ContainsFunc(all, func(m repo.Manifest) bool { return m.Version != all[0].Version }) {
		version, source = annotated(all)
	}
	return witness{version, source}
}

// leaveUnreleased lists the CRDs of inferred calls that bear the version of no release, and returns the other calls.
func (r *Reader) leaveUnreleased(calls []*genCall, own []repo.Manifest) []*genCall {
	return slices.DeleteFunc(slices.Clone(calls), func(c *genCall) bool {
		if c.Inferred == "" || c.CRD == nil || !config.Unreleased(c.Version) {
			return false
		}
		var paths []string
		for _, m := range r.crdsNear(c, []*genCall{c}, own) {
			paths = append(paths, m.Path)
		}
		r.List("crd", Name, paths, "no file tells the version of controller-gen, and their annotation has "+c.Version+"; set controllerGen: {version: v0.X.Y, calls: […]}")
		return true
	})
}

// buildLine is in the deep copies of controller-gen until v0.12.
const buildLine, lastWithBuildLine = "\n// +build !ignore_autogenerated\n", "v0.12.99"

// writesBuildLine reports whether the deep copies of a call are as a version writes them, with the line of older releases of Go or without it,
// where the version of the CRDs may write them otherwise.
func (r *Reader) writesBuildLine(c *genCall, version string) bool {
	older := semver.Compare(version, lastWithBuildLine) < 0
	made := map[string][]string{}
	r.filesOfCall(c, nil, made)
	as := 0
	for _, f := range r.Files {
		if slices.Contains(made[f.Dir], f.Path) {
			if bytes.Contains(f.Data, []byte(buildLine)) != older {
				return false
			}
			as++
		}
	}
	return as > 0
}

// likely are the pins whose versions begin manifests as those of a call begin, until v0.7.0 with an empty line; all where that tells nothing.
func (r *Reader) likely(c *genCall, pins []genVersion) []genVersion {
	made := map[string][]string{}
	r.filesOfCall(c, nil, made)
	empty, none := false, false
	for _, files := range made {
		for _, file := range files {
			data, err := safefs.ReadFile(filepath.Join(r.Root, filepath.FromSlash(file)), safefs.MaxFile)
			empty = empty || err == nil && bytes.HasPrefix(data, []byte("\n---\n"))
			none = none || err == nil && bytes.HasPrefix(data, []byte("---\n"))
		}
	}
	alike := slices.DeleteFunc(slices.Clone(pins), func(v genVersion) bool { return (semver.Compare(v.version, "v0.8.0") < 0) != empty })
	if empty == none || len(alike) == 0 {
		return pins
	}
	return alike
}

// crdsNear are the CRDs of the directory that a call writes to, or where it writes none, of the calls in the same module.
func (r *Reader) crdsNear(c *genCall, calls []*genCall, own []repo.Manifest) (made []repo.Manifest) {
	in := func(c *genCall) (all []repo.Manifest) {
		if c.CRD == nil {
			return nil
		}
		dir, ok := c.OutputDir("crd")
		for _, m := range own {
			if ok && m.Dir == dir {
				all = append(all, m)
			}
		}
		if slices.ContainsFunc(all, func(m repo.Manifest) bool { return r.hasType(c, m) }) {
			all = slices.DeleteFunc(all, func(m repo.Manifest) bool { return !r.hasType(c, m) }) // copies of what others make
		}
		return all
	}
	if made = in(c); len(made) > 0 {
		return made
	}
	if dir, ok := c.OutputDir("crd"); ok && c.CRD != nil && len(r.bareIn(dir)) > 0 {
		calls = slices.DeleteFunc(slices.Clone(calls), func(o *genCall) bool { return o.Inferred != "" }) // what no command writes may be older
	}
	_, module := r.Modules.Of(orRoot(c.Dir))
	for _, near := range []func(at string) bool{
		func(at string) bool { return at == module },
		func(at string) bool { return text.Below(at, module) },
		func(at string) bool { return text.Below(module, at) },
	} {
		for _, o := range calls {
			if _, at := r.Modules.Of(orRoot(o.Dir)); near(at) {
				made = append(made, in(o)...)
			}
		}
		if len(made) > 0 {
			return made
		}
	}
	return nil
}

func orRoot(dir string) string {
	if dir == "" {
		return "."
	}
	return dir
}
