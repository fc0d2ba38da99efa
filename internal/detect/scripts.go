// SPDX-License-Identifier: Apache-2.0

package detect

import (
	"bytes"
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/detect/repo"
	"github.com/crdctl/crdctl/internal/detect/scriptline"
	"github.com/crdctl/crdctl/internal/detect/shell"
	"github.com/crdctl/crdctl/internal/detect/steps"
	"github.com/crdctl/crdctl/internal/text/lazyregexp"
)

// script is a file that runs generators.
type script struct {
	path  string
	calls []call
	pins  []pin
	// removed are the paths that it gives rm -r. It is empty where the script removes something in another way too.
	removed []string
	edits   []edit
	// openAPIDir is where it has the go command take openapi-gen of the version in go.mod; "" if it does not.
	openAPIDir string
	// openAPIAlone reports that it is built as a module of its own there, not in the project's.
	openAPIAlone bool
	// openAPIFunctions reports that gen_openapi takes it, of a kube_codegen.sh that is there.
	openAPIFunctions bool
	// openAPIWorkOff reports that a workspace does not choose its version.
	openAPIWorkOff bool

	unparsed     error // why the rest of it, from a line on, is not read
	unparsedLine int
}

// edit is a command that changes files in place.
type edit struct {
	scriptline.Line
	files []string // the paths of its words
}

// pin is a version of code-generator that a script names.
type pin struct {
	version string
	source  string
	line    int
	apart   bool // it is of an image or a clone, which has the generators whatever go.mod requires
	openAPI bool // it is of openapi-gen alone, which older releases have
	runs    bool // a command installs or runs generators of it, where a variable may be left over
}

var (
	definesHelpers = lazyregexp.New(`(?m)^function kube::codegen::gen_`)

	pinned   = lazyregexp.New(`k8s\.io/code-generator(?:/cmd/[\w{},-]+)?@(?:v(0\.\d+\.\d+)|kubernetes-1\.(\d+\.\d+))\b`)
	pinName  = lazyregexp.New(`(?i)(code_?gen(erator)?|(conversion|defaulter|deepcopy|client|register)_gen)_?(ver(sion)?|tag)`)
	pinValue = lazyregexp.New(`^(?:v(0\.\d+\.\d+)|kubernetes-1\.(\d+\.\d+))$`)
	inImage  = lazyregexp.New(`\bcodegen:kubernetes-1\.(\d+\.\d+)\b`) // as antrea names its images
	// inClone is a command that clones the repository at a release.
	inClone   = lazyregexp.New(`^git clone (?:.* )?(?:-b|--branch)[ =](?:v(0\.\d+\.\d+)|kubernetes-1\.(\d+\.\d+)) (?:.* )?\S+/kubernetes/code-generator(?:\.git)?(?: |$)`)
	pinInTOML = lazyregexp.New(`code-generator[^\n=]*=[^\n]*"v?(0\.\d+\.\d+)"`)
)

// generatorWords are in every script that matters.
var generatorWords = []string{"code-generator", "codegen:kubernetes-", "kube_codegen", "kube::codegen", "generate-groups", "client-gen", "clientgen", "deepcopy-gen", "deepcopygen",
	"conversion-gen", "conversiongen", "defaulter-gen", "register-gen", "openapi-gen", "openapigen", "applyconfiguration-gen"}

func runsGenerators(data []byte) bool {
	return slices.ContainsFunc(generatorWords, func(w string) bool { return bytes.Contains(data, []byte(w)) })
}

// readScripts reads the calls of generators in all scripts.
func (d *discovery) readScripts() {
	slices.SortFunc(d.Texts, func(a, b repo.Script) int { return strings.Compare(a.Path, b.Path) })
	for _, t := range d.Texts {
		if !runsGenerators(t.Data) {
			continue
		}
		_, at := d.Modules.Of(path.Dir(t.Path))
		src := string(t.Data)
		if module := d.Modules.ImportPath(at); module != "" {
			src = strings.ReplaceAll(src, "$(go list -m)", module)
		}
		s := readScript(t.Path, src, path.Join(shell.Root, at))
		if s.unparsed != nil {
			d.Ask(repo.At(s.path, s.unparsedLine), "the script cannot be parsed from here on: %s; what it generates is not read", s.unparsed)
		}
		if len(s.calls)+len(s.pins) > 0 || s.openAPIDir != "" {
			d.scripts = append(d.scripts, s)
		}
	}
}

// readScript reads one script; cwd is the directory that it is thought to run in.
func readScript(file, src, cwd string) *script {
	sc := &script{path: file}
	if strings.HasSuffix(file, ".toml") {
		for i, line := range strings.Split(src, "\n") {
			sc.pin(pinInTOML, line, i+1)
		}
		return sc
	}
	read := shell.Read(kindOf(file, src), path.Join(shell.Root, file), src, cwd)
	for _, a := range read.Assignments {
		if !pinName.MatchString(a.Name) || !sc.pin(pinValue, a.Value, a.Line) {
			sc.pin(pinned, a.Value, a.Line)
			sc.pin(inImage, a.Value, a.Line)
		}
	}
	// A copy of kube_codegen.sh defines what calls the generators; only who calls its functions tells something.
	copied := definesHelpers.MatchString(src)
	otherwise := false
	workOff := slices.ContainsFunc(read.Assignments, func(a shell.Assignment) bool { return a.Name == "GOWORK" && a.Value == "off" })
	for _, c := range opened(path.Join(shell.Root, file), read.Commands) {
		sc.pinsOf(c)
		if c.Words[0] == "rm" {
			sc.removes(c)
		} else if c.Words[0] != "trap" { // at the end, when what it makes is to stay
			otherwise = otherwise || removes.MatchString(strings.Join(c.Words, " "))
		}
		if scriptline.InPlace(c.Words) {
			e := edit{Line: scriptline.Line{At: repo.At(file, c.Line), Words: c.Words}}
			for _, w := range c.Words[1:] {
				e.files = append(e.files, steps.Local(c.Dir, w))
			}
			sc.edits = append(sc.edits, e)
		}
		if dir, alone, ok := openAPIOfModule(c); ok && !copied {
			sc.openAPIDir, sc.openAPIAlone, sc.openAPIFunctions, sc.openAPIWorkOff = dir, alone, false, workOff || c.Env["GOWORK"] == "off"
		}
		if dir, ok := ownFunctions(c); ok {
			sc.openAPIDir, sc.openAPIAlone, sc.openAPIFunctions, sc.openAPIWorkOff = dir, false, true, workOff || c.Env["GOWORK"] == "off"
		}
		if call, ok := newCall(c.Words, copied); ok {
			call.script, call.line, call.cwd = sc, c.Line, c.Dir
			sc.calls = append(sc.calls, call)
		}
	}
	if otherwise {
		sc.removed = nil
	}
	first := map[bool]int{true: -1}
	slices.SortStableFunc(sc.pins, func(a, b pin) int { return cmp.Or(first[a.runs]-first[b.runs], a.line-b.line) })
	if read.Err != nil {
		sc.unparsed, sc.unparsedLine = read.Err, read.Line
	}
	return sc
}

// pinsOf reads the versions that a command names.
func (sc *script) pinsOf(c shell.Command) {
	for _, w := range c.Words {
		if sc.pin(pinned, w, c.Line) {
			p := &sc.pins[len(sc.pins)-1]
			p.runs = !p.openAPI && c.Words[0] == "go" && strings.Contains(w, "/cmd/")
		}
		sc.pin(inImage, w, c.Line)
	}
	sc.pin(inClone, strings.Join(c.Words, " "), c.Line)
}

// removes records the paths that a command rm is given.
func (sc *script) removes(rm shell.Command) {
	for _, w := range rm.Words[1:] {
		if strings.HasPrefix(w, "-") {
			continue
		}
		if !path.IsAbs(w) && !strings.HasPrefix(w, "$") {
			w = path.Join(rm.Dir, w)
		}
		sc.removed = append(sc.removed, w)
	}
}

// ownFunctions is the directory of a kube_codegen.sh that the repository has or downloads, if the command reads one: its functions install the
// generators there, of the versions in go.mod.
func ownFunctions(c shell.Command) (dir string, ok bool) {
	if c.Words[0] != "source" && c.Words[0] != "." || len(c.Words) < 2 {
		return "", false
	}
	dir, file := path.Split(c.Words[1])
	if !path.IsAbs(dir) {
		dir = path.Join(c.Dir, dir)
	}
	return path.Clean(dir), file == "kube_codegen.sh" && strings.HasPrefix(dir, shell.Root) && !strings.Contains(dir, "$")
}

// opened are commands, with those that a shell is given as a text instead of the shell.
func opened(file string, all []shell.Command) (flat []shell.Command) {
	for _, c := range all {
		if nested, ok := c.Nested(file); ok {
			flat = append(flat, opened(file, nested)...)
		} else {
			flat = append(flat, c)
		}
	}
	return flat
}

// kindOf is how a file holds its commands.
func kindOf(file, src string) shell.Kind {
	switch s := (repo.Script{Path: file, Data: []byte(src)}); {
	case s.Make():
		return shell.Make
	case s.Shell():
		return shell.Bash
	}
	return shell.Lines
}

// pin records a version that is named in a text, if one is.
func (sc *script) pin(pattern *lazyregexp.Regexp, text string, line int) bool {
	m := pattern.FindStringSubmatch(text)
	if m == nil {
		return false
	}
	version := "v0." + m[len(m)-1] // of the tag that is named as Kubernetes is
	if pattern != inImage && m[1] != "" {
		version = "v" + m[1]
	}
	sc.pins = append(sc.pins, pin{version: version, source: repo.At(sc.path, line), line: line, apart: pattern == inImage || pattern == inClone, openAPI: strings.Contains(m[0], "/cmd/openapi-gen@")})
	return true
}
