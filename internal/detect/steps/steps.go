// SPDX-License-Identifier: Apache-2.0

// Package steps finds the commands that generate code in a repository: those of makefiles, scripts and lines of go:generate, in
// the order in which they run, with their directories and variables.
//
// It runs nothing, and does not know what a command means, beyond those that run other commands: make, scripts, sh -c.
package steps

import (
	"bytes"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/detect/makefile"
	"github.com/crdctl/crdctl/internal/detect/repo"
	"github.com/crdctl/crdctl/internal/detect/shell"
	"github.com/crdctl/crdctl/internal/safefs"
	"github.com/crdctl/crdctl/internal/text/lazyregexp"
	"github.com/crdctl/crdctl/internal/workspace"
)

// Sequence is what a person runs: a target of a makefile, a script, the lines of go:generate in a file.
type Sequence struct {
	Name  string
	Steps []Step
	// Generates is set where the name says that it is run to generate code.
	Generates bool
}

// Step is a command. Directories are absolute, below shell.Root.
type Step struct {
	shell.Command
	Path string
	// Maybe is set where it depends on a condition that cannot be decided whether it runs.
	Maybe bool
}

// At is the place of a step.
func (s Step) At() string { return repo.At(s.Path, s.Line) }

// Found is what was read of a repository.
type Found struct {
	Sequences []Sequence
	Makefiles []*makefile.File
	// Unread are scripts that cannot be parsed from a line on.
	Unread []makefile.Place
}

// Reader reads the steps of a repository.
type Reader struct {
	repo *repo.Repo
	// wanted reports whether a text has a command of interest.
	wanted func(text string) bool
	found  *Found
	read   map[string]bool // files that were read as part of others
	texts  map[string]string
	// directed is set where a line of go:generate has a command that is wanted.
	directed bool
	// scriptNames are those of scripts that run a command that is wanted.
	scriptNames []string
}

// Read finds the sequences with a command that is wanted.
func Read(r *repo.Repo, wanted func(text string) bool) *Found {
	x := &Reader{repo: r, wanted: wanted, found: &Found{}, read: map[string]bool{}, texts: map[string]string{}}
	x.directed = slices.ContainsFunc(r.Files, func(f *repo.GoFile) bool {
		return slices.ContainsFunc(f.Generate, func(g repo.Directive) bool { return wanted(g.Text) })
	})
	for _, t := range r.Texts {
		text := string(t.Data)
		x.texts[t.Path] = text
		if t.Shell() && x.runs(text) {
			x.scriptNames = append(x.scriptNames, path.Base(t.Path))
		}
	}
	if slices.ContainsFunc(r.Texts, func(t repo.Script) bool { return x.leads(string(t.Data)) }) {
		x.makefiles()
		x.scripts()
	}
	x.directives()
	x.mage()
	if len(x.found.Sequences) == 0 {
		x.workflows()
	}
	return x.found
}

var makefileName = lazyregexp.New(`^(GNUmakefile|makefile|Makefile)$`)

// makefiles reads the makefiles that people run, and then those that none of them includes.
func (x *Reader) makefiles() {
	for _, t := range x.repo.Texts {
		if makefileName.MatchString(path.Base(t.Path)) {
			if x.leads(string(t.Data)) || bytes.Contains(t.Data, []byte("include ")) {
				x.makefile(t.Path, x.runsIn(t.Path), false)
			}
			for _, m := range otherFile.FindAllSubmatch(t.Data, -1) {
				x.makefile(path.Join(path.Dir(t.Path), string(m[1])), path.Dir(t.Path), false)
			}
		}
	}
	for _, t := range x.repo.Texts {
		if t.Make() && !makefileName.MatchString(path.Base(t.Path)) && !x.read[t.Path] && x.runs(string(t.Data)) {
			x.makefile(t.Path, x.above(path.Dir(t.Path)), true)
		}
	}
}

// runsIn is the directory in which make reads a makefile: its own, or one above from which a symbolic link leads to it.
func (x *Reader) runsIn(file string) string {
	at := filepath.Join(x.repo.Root, filepath.FromSlash(file))
	for dir := path.Dir(file); dir != "."; {
		dir = path.Dir(dir)
		link := filepath.Join(x.repo.Root, filepath.FromSlash(dir), path.Base(file))
		if to, err := os.Readlink(link); err == nil && filepath.Join(filepath.Dir(link), filepath.FromSlash(to)) == at {
			return dir
		}
	}
	return path.Dir(file)
}

// generate is in texts that run go generate, as also $(GO) generate and go -C api generate.
var generate = lazyregexp.New(`\bgenerate\b`)

// otherFile finds a makefile that another one has make read instead.
var otherFile = lazyregexp.New(`(?m)(?:\$[({]MAKE[)}]|\bmake\b)[^\n]*\s-f\s+([\w./-]+)`)

// above is the nearest directory with a makefile that make finds, from a directory up.
func (x *Reader) above(dir string) string {
	for ; dir != "."; dir = path.Dir(dir) {
		if _, ok := x.texts[path.Join(dir, "Makefile")]; ok {
			return dir
		}
	}
	return dir
}

// runs reports whether a text has a command that is wanted, or may run go generate where that has.
func (x *Reader) runs(text string) bool {
	return x.wanted(text) || x.directed && generate.MatchString(text)
}

// leads reports whether a makefile runs a command that is wanted, or names a script that does.
func (x *Reader) leads(text string) bool {
	return x.runs(text) || slices.ContainsFunc(x.scriptNames, func(name string) bool { return strings.Contains(text, name) })
}

func (x *Reader) makefile(file, dir string, partial bool) {
	f := makefile.Read(file, shell.Root, dir, makefile.System{Read: x.text, Glob: x.glob, Shell: x.shell, Partial: partial})
	if !slices.ContainsFunc(f.Included, func(p string) bool { text, _ := x.text(p); return x.leads(text) }) {
		return
	}
	for _, p := range f.Included {
		x.read[p] = true
	}
	x.found.Makefiles = append(x.found.Makefiles, f)
	x.targets(f, dir)
}

// copiesAll is in a Dockerfile that runs its commands on the whole repository.
var copiesAll = lazyregexp.New(`(?m)^\s*(COPY|ADD)\s+(--(link|chown|chmod)\S*\s+)*\./?\s+\S+\s*$`)

// scripts reads those that no makefile runs.
func (x *Reader) scripts() {
	included := x.includedIn()
	for _, t := range x.repo.Texts {
		base := path.Base(t.Path)
		if x.read[t.Path] || !x.runs(string(t.Data)) {
			continue
		}
		_, module := x.repo.Modules.Of(path.Dir(t.Path))
		run := &run{Reader: x}
		switch {
		case t.Shell():
			run.script(t.Path, path.Join(shell.Root, module), shell.Call{})
		case t.Task():
			places := included[t.Path]
			if len(places) == 0 {
				places = []taskPlace{{path.Dir(t.Path), path.Dir(t.Path)}}
			}
			for _, in := range places {
				run.task(t, in)
			}
		case strings.EqualFold(base, "justfile"), strings.HasPrefix(base, "Dockerfile") && copiesAll.Match(t.Data):
			run.lines(t.Path, string(t.Data), path.Dir(t.Path))
		default:
			if dir, ok := t.Mise(); ok {
				run.lines(t.Path, string(t.Data), dir)
			}
		}
		x.add(t.Path, t.Path, run.steps)
	}
}

// directives reads the lines of go:generate.
func (x *Reader) directives() {
	for _, f := range x.repo.Files {
		run := &run{Reader: x}
		run.directives(f, nil)
		x.add(f.Path, "generate", run.steps)
	}
}

// fields are the words of a line of go:generate: a word in double quotes is a string of Go.
func fields(line string) (words []string) {
	for line = strings.TrimLeft(line, " \t"); line != ""; line = strings.TrimLeft(line, " \t") {
		end := strings.IndexAny(line, " \t")
		if line[0] == '"' {
			if quoted, err := strconv.QuotedPrefix(line); err == nil {
				word, _ := strconv.Unquote(quoted)
				words, line = append(words, word), line[len(quoted):]
				continue
			}
		}
		if end < 0 {
			end = len(line)
		}
		words, line = append(words, line[:end]), line[end:]
	}
	return words
}

// add adds a sequence that has a step of interest.
func (x *Reader) add(name, called string, all []Step) {
	if slices.ContainsFunc(all, func(s Step) bool { return x.wanted(strings.Join(s.Words, " ")) }) {
		x.found.Sequences = append(x.found.Sequences, Sequence{Name: name, Steps: all, Generates: Generates(called)})
	}
}

var (
	generating = []string{"manifests", "manifest", "generate", "generated", "gen", "codegen", "crd", "crds", "deepcopy", "update", "rbac", "webhook", "webhooks", "code", "api", "apis", "regenerate", "generation"}
	otherwise  = []string{"verify", "check", "test", "tests", "clean", "e2e", "docs", "doc", "lint", "deploy", "undeploy", "install", "uninstall", "docker", "run", "build", "release", "bundle", "helm", "chart", "charts", "diff", "validate"}
	separators = lazyregexp.New(`[^a-z0-9]+`)
)

// Generates reports whether a name is one of what people run to generate code, and not to check, to deploy or to release it.
func Generates(name string) bool {
	name = strings.ReplaceAll(strings.ToLower(name), "controller-gen", "") // the tool, which is installed
	parts := separators.Split(name, -1)
	has := func(words []string) bool {
		return slices.ContainsFunc(parts, func(p string) bool { return slices.Contains(words, strings.TrimLeft(p, "0123456789")) })
	}
	return has(generating) && !has(otherwise)
}

// text is a file of the repository.
func (x *Reader) text(file string) (string, bool) {
	if text, ok := x.texts[file]; ok {
		return text, true
	}
	local := filepath.FromSlash(file)
	if !filepath.IsLocal(local) {
		return "", false
	}
	data, err := safefs.ReadFile(filepath.Join(x.repo.Root, local), maxText)
	if err != nil {
		return "", false
	}
	x.texts[file] = string(data)
	return string(data), true
}

// maxText is larger than any makefile.
const maxText = 512 << 10

func (x *Reader) glob(pattern string) (all []string) {
	if !filepath.IsLocal(filepath.FromSlash(pattern)) {
		return nil
	}
	found, _ := workspace.Glob(x.repo.Root, path.Clean(pattern)) // a bad pattern matches nothing
	for _, f := range found {
		if rel, err := filepath.Rel(x.repo.Root, f); err == nil {
			all = append(all, filepath.ToSlash(rel))
		}
	}
	return all
}

// shell answers the commands whose output the repository's files tell.
func (x *Reader) shell(command, dir string) (string, bool) {
	return shell.Output(command, dir, x.prints)
}

// prints is what a command prints, if the repository's files tell.
func (x *Reader) prints(words []string, dir string) (string, bool) {
	last := words[len(words)-1]
	switch {
	case words[0] == "date" && strings.Trim(last, `"'`) == "+%Y":
		return config.CurrentYear, true
	case len(words) > 2 && slices.Equal(words[:3], []string{"go", "list", "-m"}):
		return x.listed(words[3:], dir)
	case len(words) == 5 && slices.Equal(words[:3], []string{"go", "list", "-f"}) && strings.Trim(words[3], `"'`) == "{{.Dir}}":
		at, ok := x.repo.Modules.Dir(last)
		return path.Join(shell.Root, at), ok
	case words[0] == "cat" && len(words) == 2:
		text, ok := x.text(Local(dir, last))
		return strings.TrimSpace(text), ok
	case slices.Equal(words, []string{"ls", "-d", "*/"}):
		return x.goDirs(Local(dir, "."), "/")
	case words[0] == "find" && len(words) == 8 && findsDirs.MatchString(strings.Join(words[2:], " ")):
		dirs, ok := x.goDirs(Local(dir, words[1]), "")
		return prefixed(dirs, words[1]), ok
	case slices.Equal(words, []string{"go", "env", "GOBIN"}):
		return "", true // unless a person has set it, for tools to be elsewhere
	case words[0] == "ls" && slices.Contains(words, "-d") && !slices.ContainsFunc(words[1:len(words)-1], func(w string) bool { return !strings.HasPrefix(w, "-") }):
		return last, x.repo.Exists(Local(dir, last)) // one path, which is printed as it is
	}
	return "", false
}

// findsDirs are the arguments of find that have it print the directories in a directory.
var findsDirs = lazyregexp.New(`^(-maxdepth 1 -mindepth 1|-mindepth 1 -maxdepth 1) -type d$`)

// prefixed puts a directory before each of some lines, as find does.
func prefixed(lines, dir string) string {
	var all []string
	for line := range strings.Lines(lines) {
		all = append(all, strings.TrimSuffix(dir, "/")+"/"+strings.TrimSpace(line))
	}
	return strings.Join(all, "\n")
}

// goDirs are the directories in a directory that have Go code of the repository in or below them, as ls -d */ and find print them: for those that
// have none, no generator that is given them makes anything.
func (x *Reader) goDirs(at, end string) (string, bool) {
	seen := map[string]bool{}
	for _, f := range x.repo.Files {
		if rel := repo.Rel(at, f.Path); rel != f.Path || at == "." {
			if top, _, below := strings.Cut(rel, "/"); below && !strings.HasPrefix(top, ".") {
				seen[top+end] = true
			}
		}
	}
	return strings.Join(slices.Sorted(maps.Keys(seen)), "\n"), at != ""
}

// listed is what go list -m prints.
func (x *Reader) listed(words []string, dir string) (string, bool) {
	module, _ := x.repo.Modules.Of(Local(dir, "."))
	if len(words) == 0 {
		if module == nil {
			return "", false
		}
		_, at := x.repo.Modules.Of(Local(dir, "."))
		return x.repo.Modules.ImportPath(at), true
	}
	if len(words) == 3 && words[0] == "-f" && strings.Trim(words[1], `"'`) == "{{.Version}}" {
		version, _ := module.Requirement(words[2])
		return version, version != ""
	}
	return "", false
}

// Local is a path of a command as one relative to the repository's root; "" if it is outside, or not known.
func Local(dir, p string) string {
	if strings.Contains(p, "$") {
		return ""
	}
	if !path.IsAbs(p) {
		p = path.Join(dir, p)
	}
	rest, ok := strings.CutPrefix(path.Clean(p), shell.Root)
	if !ok || rest != "" && rest[0] != '/' {
		return ""
	}
	return path.Clean("." + rest)
}
