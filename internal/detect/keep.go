// SPDX-License-Identifier: Apache-2.0

package detect

import (
	"maps"
	"path"
	"reflect"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/config"
)

// shown are the settings of which generated code shows that they are left out, too. Of all others, nothing found decides nothing: the
// script that had them may be deleted, and many leave no trace.
var shown = []string{"boilerplate", "boilerplateText", "helperBoilerplate", "boilerplates", "generators"}

// scriptsOnly are those of a client tree that its files do not show.
var scriptsOnly = []string{"clients[0].lintRules", "clients[0].keepLeftOver"}

// keep puts the settings of a project file that is there already where the repository decides nothing, and neither does who calls: given
// are the fields that are set otherwise.
func (d *discovery) keep(was *config.Project, given []string) {
	p := &d.Settings
	if d.guessed["clients"] && len(was.Clients) > 0 {
		p.Clients = nil
		d.forget("clients[")
		d.Unread = slices.DeleteFunc(d.Unread, func(f Finding) bool { return strings.HasPrefix(f.Text, "+genclient, and no client tree yet") })
	}
	if d.guessed["boilerplate"] && was.Boilerplate != "" {
		p.Boilerplate = ""
		d.forget("boilerplate")
	}
	if read := func(c config.ControllerGenCall) bool { return c.Inferred == "" }; !slices.ContainsFunc(p.ControllerGen.Calls, read) && len(was.ControllerGen.Calls) > 0 {
		p.ControllerGen, d.keptCalls = config.ControllerGen{}, true
		d.forget("controllerGen.")
	}
	if was.Controller.Package != "" && !slices.Contains(given, "controller.package") {
		p.Controller.Package = "" // filled in below: the only program that was found need not be the controller
		d.forget("controller.package")
		d.Unread = slices.DeleteFunc(d.Unread, func(f Finding) bool { return strings.HasPrefix(f.Text, "controller.package:") })
	}
	fill := func(s config.Setting, to, from *config.Project) {
		if reflect.ValueOf(s.Value(to)).Elem().IsZero() {
			s.Copy(to, from)
		}
	}
	trees := p.Clients
	for _, s := range config.Settings() {
		if s.Field == "scaffold" {
			continue // which its own commands write
		}
		if !s.InClient() && (d.fresh || !slices.Contains(shown, s.Field)) && !slices.Contains(given, s.Field) && !called(s.Field, was, p) {
			fill(s, p, was)
		}
	}
	for i := range trees {
		j := slices.IndexFunc(was.Clients, func(c config.Client) bool { return c.Dir == trees[i].Dir })
		for _, s := range config.Settings() {
			if j >= 0 && slices.Contains(scriptsOnly, s.Field) {
				fill(s, &config.Project{Clients: trees[i : i+1]}, &config.Project{Clients: was.Clients[j : j+1]})
			}
		}
	}
}

// called reports whether a setting is about a directory of CRDs or of a role that a call of controller-gen, which the repository has now,
// writes to.
func called(field string, was, is *config.Project) bool {
	dir, generator := was.CRDs.Dir, "crd"
	if strings.HasPrefix(field, "rbac.") {
		dir, generator = was.RBAC.Dir, "rbac"
	} else if !strings.HasPrefix(field, "crds.") {
		return false
	}
	return dir != "" && slices.ContainsFunc(is.ControllerGen.Calls, func(c config.ControllerGenCall) bool {
		out, ok := c.OutputDir(generator)
		return ok && c.Inferred == "" && slices.Contains(c.Generators(), generator) && out == path.Clean(dir)
	})
}

// forget removes what showed settings.
func (d *discovery) forget(prefix string) {
	maps.DeleteFunc(d.Sources, func(field string, _ []string) bool { return strings.HasPrefix(field, prefix) })
}
