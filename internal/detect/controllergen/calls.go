// SPDX-License-Identifier: Apache-2.0

package controllergen

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/detect/evidence"
	"github.com/crdctl/crdctl/internal/detect/repo"
	"github.com/crdctl/crdctl/internal/detect/scriptline"
	"github.com/crdctl/crdctl/internal/detect/shell"
	"github.com/crdctl/crdctl/internal/detect/steps"
	"github.com/crdctl/crdctl/internal/gen/controllergen/args"
	"github.com/crdctl/crdctl/internal/text"
	"github.com/crdctl/crdctl/internal/text/lazyregexp"
)

// genCall is a call of controller-gen.
type genCall struct {
	config.ControllerGenCall
	at     string
	pinned string // the version that the call names itself
	// headerUnknown is set where only running the script tells which file has the header of its deep copies.
	headerUnknown bool
	// writes are the files that the shell writes what it prints to.
	writes []string
}

// names are those that controller-gen has in scripts: its own, and those of the variables that hold its path.
var (
	toolName = lazyregexp.New(`^controller-gen(?:[-_](?:v?\d[\w.-]*|latest|main|master|HEAD|(?:darwin|linux|windows)[\w.-]*|\$[({]?\w+[)}]?))?(?:@\S+)?$`)
	// toolVersion is the end of the name of a program that is installed with its version.
	toolVersion  = lazyregexp.New(`-v\d+\.\d+\.\d+$`)
	toolVariable = lazyregexp.New(`(?i)^\$[({]?(which |command -v )?[a-z_]*controller[-_]?gen[a-z_]*\b[^/]*$`)
	// toolInstalled is a command that installs it and prints its path.
	toolInstalled = lazyregexp.New(`^\$\([^()]*[ /]([a-z]+-)?controller-gen\)$`)
	markerWord    = lazyregexp.New(`^["']?\+?(paths=|output:|(object|crd|rbac|webhook|applyconfiguration|schemapatch)([:=]|$))`)
)

// wanted reports whether a text may call controller-gen.
func wanted(text string) bool {
	for _, name := range []string{"ontroller-gen", "CONTROLLER_GEN", "CONTROLLER-GEN", "CONTROLLERGEN", "ontroller_gen", "ontrollergen", "ontrollerGen", "ControllerGen"} {
		if strings.Contains(text, name) {
			return true
		}
	}
	return false
}

// wordsOf are the words of a call of controller-gen after its name, and the version that it names.
func wordsOf(words []string) (rest []string, pinned string, ok bool) {
	if slices.Contains(shell.NoGenerators, words[0]) || words[0] == "go" && (len(words) < 2 || words[1] != "run" && words[1] != "tool") {
		return nil, "", false
	}
	for i, w := range words {
		if markerWord.MatchString(w) {
			return nil, "", false // of another program
		}
		w = strings.TrimSuffix(w, "/main.go") // of a package that is run by the name of its file
		if name := path.Base(w); !toolName.MatchString(name) && !toolVariable.MatchString(w) && !toolVariable.MatchString(name) && !toolInstalled.MatchString(w) {
			continue
		}
		if !slices.ContainsFunc(words[i+1:], markerWord.MatchString) {
			return nil, "", false // it is asked for its version, for example
		}
		if _, pinned, _ = strings.Cut(path.Base(w), "@"); pinned == "" {
			pinned = strings.TrimPrefix(toolVersion.FindString(path.Base(w)), "-")
		}
		return words[i+1:], pinned, true
	}
	return nil, "", false
}

// readCalls finds the calls of controller-gen in what people run to generate code, or if there are none, in what else they run.
func (r *Reader) readCalls() []*genCall {
	r.steps = steps.Read(r.Repo, wanted)
	for _, u := range r.steps.Unread {
		r.Ask(repo.At(u.Path, u.Line), "the script cannot be parsed from here on: %s; what it generates is not read", u.Text)
	}
	var found []*genCall
	for _, generates := range []bool{true, false} {
		for i := range r.steps.Sequences {
			s := &r.steps.Sequences[i]
			if s.Generates != generates || !generates && checks.MatchString(s.Name) {
				continue
			}
			known := len(found)
			for _, step := range s.Steps {
				found = r.addCall(found, step, generates, s.Name, known)
			}
		}
	}
	if len(found) == 0 {
		for _, s := range r.steps.Sequences {
			for _, step := range beforeGit(s.Steps) {
				found = r.addCall(found, step, true, s.Name, 0)
			}
		}
	}
	r.Unread = slices.DeleteFunc(r.Unread, func(u evidence.Finding) bool {
		// With other variables the same call can be read: a target runs another one for a purpose of its own.
		return strings.Contains(u.Text, cannotBeRead) && slices.ContainsFunc(found, func(c *genCall) bool { return c.at == u.Place })
	})
	return found
}

// beforeGit are the steps before one that has git show what changed: a check of that kind generates where the files are.
func beforeGit(all []steps.Step) []steps.Step {
	i := slices.IndexFunc(all, func(s steps.Step) bool {
		return len(s.Words) > 1 && s.Words[0] == "git" && (s.Words[1] == "diff" || s.Words[1] == "status")
	})
	return all[:max(i, 0)]
}

// thisYear is the year of a header as a shell asks for it, or as a variable that a makefile sets so has it.
var thisYear = lazyregexp.New(`\byear=\$(\(date "?'?\+"?'?%Y"?'?\)|\{?\w*(YEAR|year)\w*\}?)`)

const cannotBeRead = "the call of controller-gen cannot be read without running it"

// checks is the name of what compares or tests and generates elsewhere for that.
var checks = lazyregexp.New(`(?i)verify|check|test|e2e|diff|lint`)

// addCall adds the call that a step makes, if it does and it was not added yet. Where a sequence that is not run to generate code has
// a call that others have not, that is noted.
func (r *Reader) addCall(found []*genCall, step steps.Step, generates bool, name string, known int) []*genCall {
	words, pinned, ok := wordsOf(step.Words)
	if !ok {
		return found
	}
	c, err := r.readCall(step, words)
	if err != nil {
		unreadable := errors.Is(err, errUnreadable)
		// A line of go:generate may have been read with the variables that a makefile sets for it.
		if generates && !(unreadable && slices.ContainsFunc(found, func(c *genCall) bool { return c.at == step.At() })) {
			r.Ask(step.At(), "%v", err)
			if unreadable {
				r.listPatched(step, words)
			}
		}
		return found
	}
	c.pinned = pinned
	for _, o := range found {
		if o.sameAs(c) {
			o.IgnoreErrors = o.IgnoreErrors && c.IgnoreErrors
			return found
		}
	}
	if !generates && known > 0 && !r.alone(found[:known], c) {
		r.Note(step.At(), "%s calls controller-gen in its own way, which does not generate code here", name)
		return found
	}
	if step.Maybe {
		r.Note(step.At(), "whether this call runs depends on a condition that only make can decide")
	}
	return append(found, c)
}

var errUnreadable = errors.New(cannotBeRead)

// readCall reads the call of a step from the words after the name of the program. What cannot be read without running it is errUnreadable.
func (r *Reader) readCall(step steps.Step, given []string) (*genCall, error) {
	c := &genCall{at: step.At()}
	words := slices.Clone(given)
	for i, w := range words {
		words[i] = thisYear.ReplaceAllString(w, "year="+config.CurrentYear)
		if unknownHeader.MatchString(words[i]) {
			words[i], c.headerUnknown = "object", true
		}
	}
	dir := steps.Local(step.Dir, ".")
	if slices.ContainsFunc(words, notKnown) || dir == "" {
		return nil, fmt.Errorf("%w: %s", errUnreadable, scriptline.Short(given))
	}
	// Older releases run a generator twice that is given twice, and the second overwrites what the first made.
	var last []string
	for i, w := range words {
		if !slices.Contains(config.ControllerGenNames, w) || !slices.ContainsFunc(words[i+1:], func(o string) bool { return strings.HasPrefix(o, w+":") }) {
			last = append(last, w)
		}
	}
	call, err := args.Parse(last)
	if err != nil {
		return nil, err
	}
	if dir != "." {
		call.Dir = dir
	}
	r.localize(&call)
	for _, name := range []string{"GOFLAGS", "GOWORK", "CGO_ENABLED"} {
		if value := step.Env[name]; value != "" && !notKnown(value) {
			if call.Env == nil {
				call.Env = map[string]string{}
			}
			if name == "GOWORK" && text.Below(shell.Root, value) {
				value = relative(call.Dir, steps.Local("", value))
			}
			call.Env[name] = value
		}
	}
	if missing := cmp.Or(r.missingRoot(&call), r.missingHeader(&call)); missing != "" {
		return nil, fmt.Errorf("the call of controller-gen names %s, which does not exist; it runs in another directory than %s, or no longer runs", missing, dir)
	}
	for _, w := range step.Writes {
		c.writes = append(c.writes, steps.Local(step.Dir, w))
	}
	c.ControllerGenCall = call
	c.IgnoreErrors = step.GoesOn
	return c, nil
}

// sameAs reports whether two calls are equal but for what becomes of their errors.
func (c *genCall) sameAs(other *genCall) bool {
	x, y := c.ControllerGenCall, other.ControllerGenCall
	x.IgnoreErrors, y.IgnoreErrors = false, false
	return reflect.DeepEqual(x, y)
}

// listPatched lists the CRDs into which a call puts schemas that cannot be read: the directory of the manifests is a copy that a script makes.
func (r *Reader) listPatched(step steps.Step, words []string) {
	if !slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(w, "schemapatch:") }) {
		return
	}
	for _, w := range words {
		out, ok := strings.CutPrefix(strings.Replace(w, ":schemapatch:", ":", 1), "output:dir=")
		dir := steps.Local(step.Dir, out)
		var files []string
		for _, crd := range r.CRDs {
			if ok && dir != "" && crd.Dir == dir && crd.IsOf(r.Kinds) && !r.Listed(crd.Path) {
				files = append(files, crd.Path)
			}
		}
		if len(files) > 0 {
			r.List("crd", Name, files, step.At()+" puts schemas into it, and "+cannotBeRead)
		}
	}
}

// alone reports whether a call writes CRDs to a directory that has such, and that none of others writes to.
func (r *Reader) alone(others []*genCall, c *genCall) bool {
	dir, ok := c.OutputDir("crd")
	return ok && c.CRD != nil && slices.ContainsFunc(r.ownManifests(), func(m repo.Manifest) bool {
		return m.Dir == dir && !r.madeByCall(others, m)
	})
}

// missingRoot is the first directory among a call's roots that does not exist, or "".
func (r *Reader) missingRoot(c *config.ControllerGenCall) string {
	for _, p := range c.Paths {
		root := strings.TrimSuffix(p, "/...")
		if first, _, _ := strings.Cut(root, "/"); strings.Contains(first, ".") && strings.Trim(first, ".") != "" {
			continue // an import path
		}
		dir := path.Join(c.Dir, root)
		exists := r.Exists(dir) || strings.Contains(dir, "...")
		if dir == ".." || strings.HasPrefix(dir, "../") {
			_, err := os.Stat(filepath.Join(r.Root, filepath.FromSlash(dir)))
			exists = err == nil
		}
		if !exists {
			return dir
		}
	}
	return ""
}

// missingHeader is the first header file of a call that does not exist, or "".
func (r *Reader) missingHeader(c *config.ControllerGenCall) string {
	for _, name := range c.Generators() {
		h := c.Header(name)
		if h == nil || h.HeaderFile == "" || path.IsAbs(h.HeaderFile) {
			continue
		}
		if file := path.Join(c.Dir, h.HeaderFile); !strings.HasPrefix(file, "..") && !r.Exists(file) {
			return file
		}
	}
	return ""
}

// notKnown reports whether a word has something in it that only running the script tells.
func notKnown(word string) bool {
	return strings.ContainsAny(word, "$`") || strings.Contains(word, "{{")
}

// localize makes the absolute paths of a call relative to the directory in which it runs.
func (r *Reader) localize(c *config.ControllerGenCall) {
	rel := func(p *string) {
		if strings.HasPrefix(*p, shell.Root+"/") || *p == shell.Root {
			*p = relative(c.Dir, steps.Local("", *p))
		}
	}
	if c.Object != nil {
		rel(&c.Object.HeaderFile)
	}
	if c.CRD != nil {
		rel(&c.CRD.HeaderFile)
	}
	if c.RBAC != nil {
		rel(&c.RBAC.HeaderFile)
	}
	if c.Webhook != nil {
		rel(&c.Webhook.HeaderFile)
	}
	if c.ApplyConfiguration != nil {
		rel(&c.ApplyConfiguration.HeaderFile)
	}
	if c.SchemaPatch != nil {
		rel(&c.SchemaPatch.Manifests)
	}
	for name, dir := range c.Output {
		rel(&dir)
		c.Output[name] = dir
	}
	for i, p := range c.Paths {
		if strings.HasPrefix(p, shell.Root) {
			dir, below := strings.CutSuffix(p, "/...")
			if rel(&dir); !strings.HasPrefix(dir, ".") {
				dir = "./" + dir
			}
			if below {
				dir += "/..."
			}
			c.Paths[i] = dir
		}
	}
}

// relative is a path of the repository as one from a directory of it.
func relative(dir, p string) string {
	if dir == "" || dir == "." {
		return p
	}
	from, to := strings.Split(dir, "/"), strings.Split(p, "/")
	for len(from) > 0 && len(to) > 0 && from[0] == to[0] {
		from, to = from[1:], to[1:]
	}
	if p == "." {
		to = nil
	}
	return path.Join(strings.Repeat("../", len(from)) + strings.Join(to, "/"))
}
