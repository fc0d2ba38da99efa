// SPDX-License-Identifier: Apache-2.0

package detect

import (
	"path"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/detect/repo"
	"github.com/crdctl/crdctl/internal/detect/shell"
	"github.com/crdctl/crdctl/internal/text/lazyregexp"
)

// call is a call of a generator, or of a function of kube_codegen.sh.
type call struct {
	name   string // gen_client, client-gen, generate-groups
	flags  map[string][]string
	args   []string // those that are no flags
	script *script
	line   int
	cwd    string
}

var (
	generatorName = lazyregexp.New(`^(client|lister|informer|deepcopy|defaulter|conversion|register|openapi|applyconfiguration|validation|prerelease-lifecycle)-gen$`)
	inVariable    = lazyregexp.New(`(client|lister|informer|deepcopy|defaulter|conversion|register|openapi|applyconfiguration|validation|prereleaselifecycle)gen`)
	letters       = lazyregexp.New(`[^a-z]`)
)

// booleans are the flags that take no value.
var booleans = []string{"--with-watch", "--with-applyconfig", "--prefers-protobuf", "--update-report", "--logtostderr", "--single-directory", "--fake-clientset", "--verify-only", "--skip-unsafe"}

// newCall recognises a call of a generator.
func newCall(words []string, copied bool) (call, bool) {
	words = slices.Concat(strings.Fields(words[0]), words[1:]) // a variable may have more than the command's name
	if len(words) == 0 || slices.Contains(shell.NoGenerators, words[0]) {
		return call{}, false
	}
	if words[0] == "go" && (len(words) < 2 || words[1] != "run" && words[1] != "tool") {
		return call{}, false
	}
	for i, w := range words {
		name, _, _ := strings.Cut(path.Base(w), "@")
		switch {
		case strings.HasPrefix(w, "kube::codegen::gen_"):
			name = strings.TrimPrefix(w, "kube::codegen::")
		case copied:
			continue
		case name == "generate-groups.sh" || name == "generate-internal-groups.sh":
			name = "generate-groups"
		case strings.HasPrefix(w, "$"):
			if name = variableOf(w); name == "" {
				continue
			}
		case !generatorName.MatchString(name):
			continue
		}
		c := call{name: name, flags: map[string][]string{}}
		c.parse(words[i+1:])
		// A command that installs it is given its package, its name and its version.
		input := func(w string) bool { return variableOf(w) != name && w != name && !pinValue.MatchString(w) }
		return c, len(c.flags) > 0 || slices.ContainsFunc(c.args, input)
	}
	return call{}, false
}

// variableOf is the generator that a variable of scripts is named after, "" if there is none.
func variableOf(word string) string {
	name := inVariable.FindString(letters.ReplaceAllString(strings.ToLower(word), ""))
	if name == "" || !strings.HasPrefix(word, "$") {
		return ""
	}
	return strings.TrimSuffix(name, "gen") + "-gen"
}

// parse sorts words into flags and arguments.
func (c *call) parse(words []string) {
	for i := 0; i < len(words); i++ {
		w := words[i]
		if !strings.HasPrefix(w, "-") || w == "-" {
			if w != "$@" && w != "" {
				c.args = append(c.args, w)
			}
			continue
		}
		w = "--" + strings.TrimLeft(w, "-")
		name, value, has := strings.Cut(w, "=")
		if !has && !slices.Contains(booleans, name) && i+1 < len(words) {
			i++
			value = words[i]
		}
		c.flags[name] = append(c.flags[name], value)
	}
}

func (c *call) flag(name string) string {
	if v := c.flags[name]; len(v) > 0 {
		return v[len(v)-1]
	}
	return ""
}

func (c *call) has(name string) bool { return len(c.flags[name]) > 0 && c.flag(name) != "false" }

func (c *call) at() string { return repo.At(c.script.path, c.line) }

// callOf is the place of the first call of a name, or "".
func (d *discovery) callOf(name string) string {
	for _, c := range d.calls(name) {
		return c.at()
	}
	return ""
}

// calls are all calls of some names.
func (d *discovery) calls(names ...string) (all []*call) {
	for _, s := range d.scripts {
		for i := range s.calls {
			if slices.Contains(names, s.calls[i].name) {
				all = append(all, &s.calls[i])
			}
		}
	}
	return all
}

// local is the directory or file of the repository that a word of a call means, and whether it exists.
func (d *discovery) local(c *call, word string) (string, bool) {
	if rest, ok := strings.CutPrefix(path.Clean(word), shell.Root); ok {
		rel := path.Clean("." + rest)
		return rel, d.Exists(rel)
	}
	// A variable in front is mostly the root, which a script finds in its own way.
	if i := strings.LastIndexAny(word, "})"); strings.HasPrefix(word, "$") && strings.HasPrefix(word[i+1:], "/") {
		word = "." + word[i+1:]
	}
	if strings.Contains(word, "$") || path.IsAbs(word) {
		return "", false
	}
	cwd := path.Clean("." + strings.TrimPrefix(c.cwd, shell.Root))
	for _, from := range []string{cwd, ".", path.Dir(c.script.path)} {
		if rel := path.Join(from, word); d.Exists(rel) {
			return rel, true
		}
	}
	return path.Join(cwd, word), false
}

// groupsScript reports whether a file is a copy of generate-groups.sh, or of the one for internal types.
func groupsScript(file string) bool {
	return slices.Contains([]string{"generate-groups.sh", "generate-internal-groups.sh"}, path.Base(file))
}

// groupsOf are the calls of generate-groups.sh that run a generator, with the packages as arguments; ok is false where they cannot be read.
func (d *discovery) groupsOf(tool string) (all []*call, ok bool) {
	for _, c := range d.calls("generate-groups") {
		if len(c.args) < 4 || strings.Contains(strings.Join(c.args, ""), "$") {
			return nil, false
		}
		if gens := strings.Split(c.args[0], ","); c.args[0] != "all" && !slices.Contains(gens, strings.TrimSuffix(tool, "-gen")) {
			continue
		}
		one := *c
		one.args = nil
		groups, external := c.args[3:], c.args[2]
		internal := !strings.Contains(groups[0], ":")
		if !internal && c.args[0] == "all" && !slices.Contains([]string{"deepcopy-gen", "client-gen", "lister-gen", "informer-gen", "applyconfiguration-gen"}, tool) {
			continue
		}
		if internal { // generate-internal-groups.sh has the internal types in front
			groups, external = groups[1:], groups[0]
		}
		for _, group := range strings.Fields(strings.Join(groups, " ")) {
			name, versions, _ := strings.Cut(group, ":")
			if internal && tool != "defaulter-gen" {
				one.args = append(one.args, path.Join(c.args[2], name))
			}
			for version := range strings.SplitSeq(versions, ",") {
				one.args = append(one.args, path.Join(external, name, version))
			}
		}
		all = append(all, &one)
	}
	return all, true
}
