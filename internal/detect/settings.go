package detect

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/mod/module"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/detect/repo"
)

// readScriptSettings reads what leaves no trace in the tree: only scripts know it.
func (d *discovery) readScriptSettings() {
	d.readPeers()
	d.readLintRules()
	d.readReport()
	d.compareFolders()
}

// compareFolders says where a script would write clients that are not there: the tree wins.
func (d *discovery) compareFolders() {
	if len(d.trees) == 0 {
		return
	}
	for _, c := range d.calls("gen_client") {
		flag := "--output-dir"
		word := c.flag(flag)
		if word == "" {
			flag = "--output-pkg-root" // of v0.29 and before
			word = c.flag(flag)
		}
		dir, ok := d.Modules.Dir(word)
		if !ok {
			dir, _ = d.local(c, word)
		}
		if dir == "" || strings.Contains(dir, "$") || strings.Contains(word, "$") {
			continue
		}
		if !slices.ContainsFunc(d.found.raw.Clients, func(client config.Client) bool { return repo.Below(client.Dir, dir) || repo.Below(dir, client.Dir) }) {
			d.note(c.script.path, c.line, "%s is %s, where no client tree is; the trees that are there count", flag, dir)
		}
	}
}

// readPeers finds the packages whose conversion functions are used too.
func (d *discovery) readPeers() {
	var peers, sources []string
	for _, c := range d.calls("gen_helpers", "conversion-gen") {
		for _, flag := range []string{"--extra-peer-dir", "--extra-peer-dirs"} {
			for _, value := range c.flags[flag] {
				for peer := range strings.SplitSeq(value, ",") {
					p, ok := d.packageOf(c, peer)
					if !ok {
						d.unread(c.script.path, c.line, "%s %s can't be read without running the script; write conversion: {extraPeers: [PACKAGE]}", flag, peer)
						continue
					}
					if !slices.Contains(peers, p) {
						peers = append(peers, p)
					}
					if !slices.Contains(sources, c.at()) {
						sources = append(sources, c.at())
					}
				}
			}
		}
	}
	for _, c := range d.calls("defaulter-gen") {
		if c.has("--extra-peer-dirs") {
			d.unread(c.script.path, c.line, "defaulter-gen gets --extra-peer-dirs, for which there is no setting; compare zz_generated.defaults.go after the first run")
		}
	}
	if len(peers) > 0 {
		d.found.raw.Conversion.ExtraPeers = peers
		d.set("conversion.extraPeers", flow(peers), joined(sources))
	}
}

// packageOf is the import path that a word of a call means.
func (d *discovery) packageOf(c *call, word string) (string, bool) {
	if word == "" {
		return "", false
	}
	if dir, ok := d.Modules.Dir(word); ok && d.Exists(dir) {
		return word, true
	}
	if dir, ok := d.local(c, word); ok {
		if p := d.Modules.ImportPath(dir); p != "" {
			return p, true
		}
	}
	return word, !strings.Contains(word, "$") && !strings.HasPrefix(word, ".") && module.CheckImportPath(word) == nil
}

// readLintRules finds the rules of the helpers and those of each client tree.
func (d *discovery) readLintRules() {
	rules := func(c *call) []string {
		v := c.flag("--lint-rules")
		if v == "" {
			return nil
		}
		if strings.Contains(v, "$") {
			d.unread(c.script.path, c.line, "--lint-rules %s can't be read without running the script; write lintRules: [RULE]", v)
			return nil
		}
		return strings.Split(v, ",")
	}
	for _, c := range d.calls("gen_helpers") {
		if r := rules(c); r != nil && d.found.raw.LintRules == nil {
			d.found.raw.LintRules = r
			d.set("lintRules", flow(r), c.at())
		}
	}
	for _, c := range d.calls("gen_client", "client-gen") {
		r := rules(c)
		if r == nil || slices.Equal(r, d.found.raw.LintRules) {
			continue
		}
		dir, _ := d.local(c, c.flag("--output-dir"))
		for i := range d.found.raw.Clients {
			if client := &d.found.raw.Clients[i]; client.Dir == dir {
				client.LintRules = r
				d.set(fmt.Sprintf("clients[%d].lintRules", i), flow(r), c.at())
			}
		}
	}
}

// readReport finds the file of the known violations of the API rules.
func (d *discovery) readReport() {
	o := &d.found.raw.OpenAPI
	if o.Dir == "" {
		return
	}
	for _, c := range d.calls("gen_openapi", "openapi-gen") {
		if dir, _ := d.local(c, c.flag("--output-dir")); dir != o.Dir {
			continue
		}
		report := c.flag("--report-filename")
		if report == "" || report == "/dev/null" || c.name == "openapi-gen" {
			// openapi-gen itself only writes the report; gen_openapi holds the tree to it.
			continue
		}
		file, ok := d.local(c, report)
		if !ok {
			d.note(c.script.path, c.line, "--report-filename %s is no file here; write openapi: {report: FILE} to hold the API to one", report)
			continue
		}
		o.Report = file
		d.set("openapi.report", file, c.at())
	}
}
