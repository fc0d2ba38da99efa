// SPDX-License-Identifier: Apache-2.0

package run

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"

	"github.com/crdctl/crdctl/internal/check/project"
	"github.com/crdctl/crdctl/internal/crd/manifest"
	"github.com/crdctl/crdctl/internal/fswatch"
	"github.com/crdctl/crdctl/internal/run/bundle"
	"github.com/crdctl/crdctl/internal/run/chart"
	"github.com/crdctl/crdctl/internal/run/pod"
	"github.com/crdctl/crdctl/internal/text/lazyregexp"
)

// useChart takes the project's own chart for its manifests, where those that were found do not have the controller's workload and where one
// chart does. Problems are reported, and leave the manifests as they are.
func (i *installer) useChart() {
	c := &i.Project.Controller
	objects, broken := i.sources.read(c.Manifests)
	name := pod.ProgramName(i.Root, c.Package)
	if _, workload := pod.TakeManager(objects, name); workload != nil {
		return
	}
	var found, named, failed []string
	for _, dir := range chartsBelow(i.Root) {
		objects, err := i.sources.one(dir)
		if err != nil {
			failed = append(failed, err.Error())
		}
		if _, workload := pod.TakeManager(objects, name); workload != nil {
			if found = append(found, dir); pod.RunsProgram(*workload, name) {
				named = append(named, dir)
			}
			continue
		}
		if n := len(slices.DeleteFunc(slices.Clone(objects), func(o manifest.Object) bool { return !pod.IsWorkload(o) })); n > 1 {
			failed = append(failed, fmt.Sprintf("the chart in %s has %d Deployments and StatefulSets, and it is not clear which is the controller's (its program is named %s); "+
				"to give it arguments, set controller.args in crdctl.yaml", dir, n, name))
		}
		delete(i.sources.built, dir)
	}
	if len(named) == 1 { // the others have the Deployment of another program
		for _, dir := range found {
			if dir != named[0] {
				delete(i.sources.built, dir)
			}
		}
		found = named
	}
	switch len(found) {
	case 0:
		for _, problem := range failed {
			i.reporter.Note("%s; the chart is not used", problem)
		}
		if broken == nil {
			i.useKustomization(name)
		}
	case 1:
		if broken != nil {
			i.reporter.Note("%v", broken)
		}
		c.Manifests = found
		i.reporter.Note("no manifest in a usual place has the controller's Deployment, so its manifests are those of the chart %s with the defaults of its values.yaml", found[0])
	default:
		i.noteSeveral(found)
		for _, dir := range found {
			delete(i.sources.built, dir)
		}
	}
}

// examples are directories with charts of other programs.
var examples = lazyregexp.New(`(?i)(^|/)(examples?|samples?)$`)

// chartsBelow are the directories of the charts that may be the project's own.
func chartsBelow(root string) (dirs []string) {
	walkOwn(root, func(dir string) error {
		full := filepath.Join(root, filepath.FromSlash(dir))
		if dir == "." || chart.File(full) == "" {
			return nil
		}
		if !bundle.Wrote(full) {
			dirs = append(dirs, dir)
		}
		return fs.SkipDir // charts in it are its dependencies
	})
	return unstaged(dirs)
}

// unstaged are directories without those of the last release where a project keeps what the next one has, as its sources are, in manifest_staging.
func unstaged(dirs []string) []string {
	return slices.DeleteFunc(slices.Clone(dirs), func(dir string) bool { return slices.Contains(dirs, "manifest_staging/"+dir) })
}

// walkOwn visits the directories that may have manifests of the project's own, without those of tests and examples.
func walkOwn(root string, visit func(dir string) error) {
	_ = filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		switch rel := filepath.ToSlash(below(root, p)); {
		case err != nil || !d.IsDir():
			return nil
		case p != root && (fswatch.Ignored(d.Name()) || project.Tests.MatchString(rel) || examples.MatchString(rel)):
			return fs.SkipDir
		default:
			return visit(rel)
		}
	})
}

// isChart reports whether controller.manifests names a chart.
func (i *installer) isChart(p string) bool {
	return chart.File(filepath.Join(i.Root, filepath.FromSlash(p))) != ""
}

// sayMissing names the dependencies that charts lack.
func (i *installer) sayMissing() {
	var all []string
	for _, p := range i.Project.Controller.Manifests {
		if missing := i.sources.built[p].missing; len(missing) > 0 {
			all = append(all, strings.Join(missing, ", ")+" (not in "+p+"/charts)")
		}
	}
	if said := strings.Join(all, ", "); said != "" && said != i.dependencies {
		i.dependencies = said
		i.reporter.Note("left out dependencies of charts: %s", said)
	}
}

// serverOf is what charts see of an API server: its version, and the APIs that it has now.
func serverOf(config *rest.Config) (s chart.Server) {
	client, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return s
	}
	version, err := client.ServerVersion()
	if err != nil {
		return s
	}
	_, resources, err := client.ServerGroupsAndResources()
	if err != nil && !discovery.IsGroupDiscoveryFailedError(err) {
		return s
	}
	s.Version = version.GitVersion
	for _, group := range resources {
		s.APIs = append(s.APIs, group.GroupVersion)
		for _, r := range group.APIResources {
			s.APIs = append(s.APIs, group.GroupVersion+"/"+r.Kind)
		}
	}
	return s
}
