// SPDX-License-Identifier: Apache-2.0

package detect

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/semver"

	"github.com/crdctl/crdctl/internal/detect/repo"
	"github.com/crdctl/crdctl/internal/detect/shell"
	"github.com/crdctl/crdctl/internal/text/lazyregexp"
	"github.com/crdctl/crdctl/internal/workspace"
)

// openAPIPin is a version or commit of openapi-gen, which has its own module and no releases, in a script or makefile: after its name or that
// of its module, or in a variable, and not in a comment.
var openAPIPin = lazyregexp.New(`(?im)^[^#\n]*(?:kube[-_]?openapi(?:[-_]?gen)?|openapi[-_]?gen)(?:_?ver(?:sion)?)?\s*[:?]?[=@]\s*"?(?:(v0\.0\.0-\d{14}-[0-9a-f]{12})|([0-9a-f]{12})[0-9a-f]{28})\b`)

// oldestOpenAPI is the version that code-generator v0.30 requires, whose openapi-gen takes its packages as arguments.
const oldestOpenAPI = "v0.0.0-20240228011516-70dd3763d340"

// openAPIProgram is what a script installs or runs where go.mod has the version.
const (
	openAPIModule  = "k8s.io/kube-openapi"
	openAPIProgram = openAPIModule + "/cmd/openapi-gen"
	gengoModule    = "k8s.io/gengo/v2"
)

// pinOpenAPI sets the version of openapi-gen where a script does not take the one that code-generator requires: the script names it, or has
// the go command build that of go.mod, with the gengo of go.mod. It reports whether it does.
func (d *discovery) pinOpenAPI() bool {
	o := &d.Settings.OpenAPI
	for _, t := range d.Texts {
		if !t.Mentions("openapi") {
			continue
		}
		m := openAPIPin.FindSubmatchIndex(t.Data)
		switch {
		case m == nil:
			continue
		case m[2] >= 0:
			o.Version = string(t.Data[m[2]:m[3]])
		default:
			o.Version = d.requiredCommit(openAPIModule, string(t.Data[m[4]:m[5]]))
		}
		if o.Version != "" {
			d.Set("openapi.version", repo.At(t.Path, repo.LineOf(t.Data, m[0])))
			return true
		}
	}
	byFunctions, byCalls := d.callOf("gen_openapi") != "", d.callOf("openapi-gen") != ""
	for _, s := range d.scripts {
		calls := slices.ContainsFunc(s.calls, func(c call) bool { return c.name == "gen_openapi" })
		if byFunctions && !byCalls && !calls || s.openAPIFunctions && !byFunctions {
			continue // what it builds is for another purpose: gen_openapi builds its own where code-generator is
		}
		if dir, ok := strings.CutPrefix(s.openAPIDir, shell.Root); ok {
			var at string
			own, _ := d.Modules.Of(path.Clean("." + dir))
			pinned := !own.Replaced(openAPIModule) // by a fork or a directory, of which versions tell nothing
			if o.Version, at = d.chosen(path.Clean("."+dir), openAPIModule, !s.openAPIWorkOff); o.Version == "" {
				return false
			}
			d.Set("openapi.version", at)
			if s.openAPIAlone {
				return pinned
			}
			if o.GengoVersion, at = d.chosen(path.Clean("."+dir), gengoModule, !s.openAPIWorkOff); o.GengoVersion != "" {
				d.Set("openapi.gengoVersion", at)
			}
			return pinned
		}
	}
	return false
}

// chosen is the version of a module that the go command takes in a directory, and what requires it: the newest that a module of the
// workspace requires, where there is one that has this directory and it is used.
func (d *discovery) chosen(dir, module string, workspace bool) (version, at string) {
	own, where := d.Modules.Of(dir)
	work := ""
	if workspace {
		work = d.workspaceOf(where)
	}
	for dir, m := range d.Modules.ByDir {
		if m != own && (work == "" || d.workspaceOf(dir) != work) {
			continue
		}
		if v, where := m.Requirement(module); semver.Compare(v, version) > 0 || v == version && where < at {
			version, at = v, where
		}
	}
	return version, at
}

// workspaceOf is the go.work that has the module of a directory, or "".
func (d *discovery) workspaceOf(dir string) string {
	file, used, err := workspace.AboveWorkspace(filepath.Join(d.Root, filepath.FromSlash(dir)))
	if err != nil || !used {
		return ""
	}
	return file
}

// requiredCommit is the version of a module that is a commit, by the first 12 digits, if a go.mod requires it; "" elsewhere.
func (d *discovery) requiredCommit(path, commit string) string {
	for _, m := range d.Modules.ByDir {
		if v, _ := m.Requirement(path); strings.HasSuffix(v, "-"+commit) {
			return v
		}
	}
	return ""
}

// openAPIOfModule is the directory with the go.mod whose openapi-gen a command has the go command take, if it does. alone reports that it is
// built as a module of its own.
func openAPIOfModule(c shell.Command) (dir string, alone, ok bool) {
	words := slices.Concat(strings.Fields(c.Words[0]), c.Words[1:]) // a variable may have more than the command's name, or nothing
	if len(words) == 0 {
		return "", false, false
	}
	i := slices.IndexFunc(words, takesOpenAPIOfModule)
	alone = i >= 0 && strings.Contains(words[i], "@") // a function of the script may be what gives it to the go command
	if !goCommand.MatchString(words[0]) && !alone || i < 0 && (!slices.Contains(words, "tool") || !slices.Contains(words, "openapi-gen")) {
		return "", false, false
	}
	dir = c.Dir
	for j, w := range words {
		at := "" // of -C and -modfile
		if file, ok := strings.CutPrefix(strings.TrimLeft(w, "-"), "modfile="); ok && path.Base(file) != "go.mod" {
			return "", false, false // that file has the version
		} else if ok {
			at = path.Dir(file)
		} else if w == "-C" && j+1 < len(words) {
			at = words[j+1]
		}
		if path.IsAbs(at) {
			dir = at
		} else {
			dir = path.Join(dir, at)
		}
	}
	return dir, alone, true
}

var goCommand = lazyregexp.New(`^(go|\$[({]GO[)}])$`)

// takesOpenAPIOfModule reports whether a word is openapi-gen of the version that go.mod has: without one, with one that the go command is
// asked for, or in a directory that the go command is asked for or has the module in.
func takesOpenAPIOfModule(word string) bool {
	if dir, ok := strings.CutSuffix(strings.TrimSuffix(word, "/openapi-gen.go"), "/cmd/openapi-gen"); ok && dir != openAPIModule {
		return strings.Contains(dir, "$(") && strings.Contains(dir, "go list ") && strings.Contains(dir, openAPIModule) || strings.Contains(dir, "vendor/"+openAPIModule)
	}
	rest, ok := strings.CutPrefix(word, openAPIProgram)
	return ok && (rest == "" || strings.HasPrefix(rest, "@$(go ") && strings.Contains(rest, " list -m ") && strings.Contains(rest, openAPIModule))
}
