// SPDX-License-Identifier: Apache-2.0

package detect

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"golang.org/x/mod/module"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/detect/repo"
	"github.com/crdctl/crdctl/internal/text"
)

// readScriptSettings reads what leaves no trace in the tree: only scripts know it.
func (d *discovery) readScriptSettings() {
	d.readPeers()
	d.readLintRules()
	d.readReport()
	d.compareDirs()
}

// compareDirs notes where a script would write clients that are not there: the tree wins.
func (d *discovery) compareDirs() {
	if len(d.trees) == 0 {
		return
	}
	for _, c := range d.calls("gen_client") {
		flag := "--output-dir"
		if c.flag(flag) == "" {
			flag = "--output-pkg-root" // of v0.29 and before
		}
		word := c.flag(flag)
		dir, ok := d.Modules.Dir(word)
		if !ok {
			dir, _ = d.local(c, word)
		}
		if dir == "" || strings.Contains(word, "$") {
			continue
		}
		if !slices.ContainsFunc(d.Settings.Clients, func(client config.Client) bool { return text.Below(client.Dir, dir) || text.Below(dir, client.Dir) }) {
			d.Note(c.at(), "%s is %s, which has no client tree; the existing trees are used", flag, dir)
		}
	}
}

// readPeers finds the packages whose conversion functions are used too.
func (d *discovery) readPeers() {
	var peers, sources []string
	named := map[string]int{} // by peer: how many calls name it
	calls := d.calls("gen_helpers", "conversion-gen")
	for _, c := range calls {
		for _, flag := range []string{"--extra-peer-dir", "--extra-peer-dirs"} {
			for peer := range strings.SplitSeq(strings.Join(c.flags[flag], ","), ",") {
				p, ok := d.packageOf(c, peer)
				switch {
				case !c.has(flag):
				case !ok:
					d.Ask(c.at(), "%s %s cannot be read without running the script; write conversion: {extraPeers: [PACKAGE]}", flag, peer)
				default:
					if named[p]++; named[p] == 1 {
						peers = append(peers, p)
						sources = append(sources, c.at())
					}
				}
			}
		}
	}
	for _, c := range d.calls("defaulter-gen") {
		if c.has("--extra-peer-dirs") {
			d.Ask(c.at(), "defaulter-gen gets --extra-peer-dirs, which has no setting; compare zz_generated.defaults.go after the first run")
		}
	}
	if d.peersDiffer(peers, named, len(calls)) || d.unsafeDiffers(calls) || d.buildTagsDiffer(calls) {
		return
	}
	if len(peers) > 0 {
		d.Settings.Conversion.ExtraPeers = peers
		d.Set("conversion.extraPeers", joined(slices.Compact(sources)))
	}
	d.convertApart(d.calls("conversion-gen"))
}

// convertApart replaces the directories of API packages by those that each call of conversion-gen converts, where nothing else is generated in
// them. It runs once for each directory then, and a package may have a function that one of another call has, too.
func (d *discovery) convertApart(calls []*call) {
	if len(calls) < 2 || d.callOf("gen_helpers") != "" || !slices.Equal(d.Settings.Generators, []string{"conversion"}) || len(d.trees) > 0 || d.Settings.OpenAPI.Dir != "" {
		return
	}
	by := map[string]*call{} // by directory
	for _, c := range calls {
		inputs, ok := d.inputsOfCall(c)
		for _, dir := range inputs {
			ok = ok && (by[dir] == nil || by[dir] == c)
			by[dir] = c
		}
		if !ok {
			return
		}
	}
	apis, source := []string{}, ""
	for _, api := range d.Settings.APIs {
		of := map[*call]string{} // the directory that has all of a call's packages
		for _, f := range d.filesOf("conversion-gen") {
			c := by[f.Dir]
			switch {
			case !text.Below(api, f.Dir):
			case c == nil:
				return
			case of[c] == "":
				of[c] = f.Dir
			default:
				of[c] = common([]string{of[c], f.Dir})
			}
		}
		dirs := slices.Sorted(maps.Values(of))
		inside := func(dir string) bool {
			return slices.ContainsFunc(dirs, func(other string) bool { return other != dir && text.Below(other, dir) })
		}
		if slices.ContainsFunc(dirs, inside) || len(slices.Compact(slices.Clone(dirs))) < len(dirs) {
			return
		}
		if len(dirs) < 2 {
			dirs = []string{api}
		} else {
			source = calls[0].at()
		}
		apis = append(apis, dirs...)
	}
	if source != "" {
		d.Settings.APIs = apis
		d.Set("apis", source)
	}
}

// peersDiffer leaves conversions out where a package for which some calls are made is a peer in others only: as a peer of its own it
// would get each function twice, and without it the others would lack some.
func (d *discovery) peersDiffer(peers []string, named map[string]int, calls int) bool {
	i := slices.IndexFunc(peers, func(p string) bool {
		dir, ok := d.Modules.Dir(p)
		return ok && named[p] < calls && d.madeBy(dir, "conversion-gen")
	})
	if i < 0 {
		return false
	}
	d.leaveConversions("the calls of conversion-gen have different peers: " + peers[i] + " is one in some of them")
	return true
}

// unsafeDiffers leaves conversions out where some calls go without unsafe pointers, and others do not.
func (d *discovery) unsafeDiffers(calls []*call) bool {
	without := slices.DeleteFunc(slices.Clone(calls), func(c *call) bool { return !c.has("--skip-unsafe") })
	if len(without) == 0 {
		return false
	}
	if len(without) < len(calls) {
		d.leaveConversions("only some calls of conversion-gen have --skip-unsafe, as that at " + without[0].at() + " does")
		return true
	}
	d.Settings.Conversion.SkipUnsafe = true
	d.Set("conversion.skipUnsafe", without[0].at())
	return false
}

// buildTagsDiffer leaves conversions out where calls have different build tags, or one that cannot be read.
func (d *discovery) buildTagsDiffer(calls []*call) bool {
	for _, c := range calls {
		switch tag := c.flag("--build-tag"); {
		case strings.Contains(tag, "$"):
			d.leaveConversions("the build tag of conversion-gen at " + c.at() + " cannot be read without running it")
			return true
		case tag != calls[0].flag("--build-tag"):
			d.leaveConversions("the calls of conversion-gen have different build tags: that at " + c.at() + " has another than that at " + calls[0].at())
			return true
		}
	}
	if len(calls) > 0 && calls[0].has("--build-tag") {
		d.Settings.Conversion.BuildTag = calls[0].flag("--build-tag")
		d.Set("conversion.buildTag", calls[0].at())
	}
	return false
}

// leaveConversions has conversions listed as not compared.
func (d *discovery) leaveConversions(reason string) {
	p := &d.Settings
	if p.Generators == nil {
		for _, h := range helpers {
			if h.shared {
				p.Generators = append(p.Generators, h.name)
			}
		}
	}
	p.Generators = slices.DeleteFunc(p.Generators, func(name string) bool { return name == "conversion" })
	delete(p.ExcludeFrom, "conversion")
	delete(d.Sources, "excludeFrom.conversion")
	d.List("conversion", "conversion-gen", repo.Paths(d.filesOf("conversion-gen")), reason)
}

// packageOf is the import path that a word of a call means.
func (d *discovery) packageOf(c *call, word string) (string, bool) {
	if dir, ok := d.Modules.Dir(word); ok && d.Exists(dir) || word == "" {
		return word, ok
	}
	if dir, ok := d.local(c, word); ok && d.Modules.ImportPath(dir) != "" {
		return d.Modules.ImportPath(dir), true
	}
	return word, !strings.Contains(word, "$") && !strings.HasPrefix(word, ".") && module.CheckImportPath(word) == nil
}

// readLintRules finds the rules of the helpers and those of each client tree.
func (d *discovery) readLintRules() {
	for _, c := range slices.Concat(d.calls("gen_helpers"), d.calls("gen_client", "client-gen")) {
		value := c.flag("--lint-rules")
		rules := strings.Split(value, ",")
		switch p := &d.Settings; {
		case value == "":
		case strings.Contains(value, "$"):
			d.Ask(c.at(), "--lint-rules %s cannot be read without running the script; write lintRules: [RULE]", value)
		case c.name == "gen_helpers":
			if p.LintRules == nil {
				p.LintRules = rules
				d.Set("lintRules", c.at())
			}
		case !slices.Equal(rules, p.LintRules):
			dir, _ := d.local(c, c.flag("--output-dir"))
			for i := range p.Clients {
				if client := &p.Clients[i]; client.Dir == dir {
					client.LintRules = rules
					d.Set(fmt.Sprintf("clients[%d].lintRules", i), c.at())
				}
			}
		}
	}
}

// readReport finds the file of the known violations of the API rules. openapi-gen itself only writes the report; gen_openapi holds
// the tree to it.
func (d *discovery) readReport() {
	o := &d.Settings.OpenAPI
	for _, c := range d.calls("gen_openapi") {
		dir, _ := d.local(c, c.flag("--output-dir"))
		report := c.flag("--report-filename")
		if o.Dir == "" || dir != o.Dir || report == "" || report == "/dev/null" {
			continue
		}
		file, ok := d.local(c, report)
		if !ok {
			d.Note(c.at(), "--report-filename %s does not exist here; write openapi: {report: FILE} to hold the API to one", report)
			continue
		}
		o.Report, o.UpdateReport = file, c.has("--update-report")
		d.Set("openapi.report", c.at())
		if o.UpdateReport {
			d.Set("openapi.updateReport", c.at())
		}
	}
}
