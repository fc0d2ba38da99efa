package detect

import (
	"bytes"
	"path"
	"regexp"
	"slices"
	"strings"
)

// script is a file that runs generators.
type script struct {
	path  string
	calls []call
	pins  []pin
}

// pin is a version of code-generator that a script names.
type pin struct {
	version string
	source  string
}

var (
	definesHelpers = regexp.MustCompile(`(?m)^function kube::codegen::gen_`)

	pinned       = regexp.MustCompile(`k8s\.io/code-generator(?:/cmd/[\w-]+)?@(?:v(0\.\d+\.\d+)|kubernetes-1\.(\d+\.\d+))\b`)
	pinName      = regexp.MustCompile(`(?i)code_?gen(erator)?_?(ver(sion)?|tag)`)
	pinValue     = regexp.MustCompile(`^(?:v(0\.\d+\.\d+)|kubernetes-1\.(\d+\.\d+))$`)
	pinInTOML    = regexp.MustCompile(`code-generator[^\n=]*=[^\n]*"v?(0\.\d+\.\d+)"`)
	makeVariable = regexp.MustCompile(`^(?:export\s+|override\s+)?([A-Za-z_][\w.-]*)\s*(\?|:{1,3}|\+)?=\s*(.*)$`)
)

// generatorWords are in every script that matters.
var generatorWords = []string{"code-generator", "kube_codegen", "kube::codegen", "generate-groups", "client-gen", "clientgen", "deepcopy-gen", "deepcopygen",
	"conversion-gen", "conversiongen", "defaulter-gen", "register-gen", "openapi-gen", "openapigen", "applyconfiguration-gen"}

func runsGenerators(data []byte) bool {
	return slices.ContainsFunc(generatorWords, func(w string) bool { return bytes.Contains(data, []byte(w)) })
}

// readScripts reads the calls of generators in all scripts.
func (d *discovery) readScripts() {
	slices.SortFunc(d.texts, func(a, b textFile) int { return strings.Compare(a.path, b.path) })
	for _, t := range d.texts {
		if !runsGenerators(t.data) {
			continue
		}
		_, at := d.modules.of(path.Dir(t.path))
		if s := readScript(t.path, string(t.data), path.Join(inRepo, at)); len(s.calls)+len(s.pins) > 0 {
			d.scripts = append(d.scripts, s)
		}
	}
}

// readScript reads one script; cwd is the folder that it is thought to run in.
func readScript(file, src, cwd string) *script {
	sc := &script{path: file}
	if strings.HasSuffix(file, ".toml") {
		for i, line := range strings.Split(src, "\n") {
			if m := pinInTOML.FindStringSubmatch(line); m != nil {
				sc.pins = append(sc.pins, pin{"v" + m[1], at(file, i+1)})
			}
		}
		return sc
	}
	sh := &shell{src: src, line: 1, vars: map[string][]string{}, file: path.Join(inRepo, file), cwd: cwd, spent: new(int)}
	sh.onSet = sc.readValue
	if name := path.Base(file); strings.HasSuffix(strings.ToLower(name), "makefile") || strings.HasSuffix(name, ".mk") || strings.HasSuffix(name, ".mak") {
		sh.make = true
		sh.src = sc.readMake(sh, src)
	}
	// A copy of kube_codegen.sh defines what calls the generators; only who calls its functions tells something.
	copied := definesHelpers.MatchString(src)
	for {
		c, ok := sh.next()
		if !ok {
			return sc
		}
		for _, w := range c.words {
			sc.readPin(w, c.line)
		}
		switch c.words[0] {
		case "cd", "pushd":
			if len(c.words) > 1 && !strings.Contains(c.words[1], "$") {
				sh.cwd = sh.abs(c.words[1])
			}
		case "echo", "printf", "rm", "find", "function", "which", "command", "ls", "mkdir", "git", "grep", "clean":
		default:
			if call, ok := newCall(c.words, copied); ok {
				call.script, call.line, call.cwd = sc, c.line, sh.cwd
				sc.calls = append(sc.calls, call)
			}
		}
	}
}

// readMake takes the variables of a makefile and leaves its recipes, with every line in its place.
func (sc *script) readMake(sh *shell, src string) string {
	var out strings.Builder
	lines := strings.Split(src, "\n")
	for i := 0; i < len(lines); i++ {
		line, from := lines[i], i
		if strings.HasPrefix(line, "\t") {
			if i == 0 || !strings.HasSuffix(lines[i-1], "\\") {
				line = strings.TrimLeft(line, "\t @-+")
			}
			out.WriteString(line + "\n")
			continue
		}
		for strings.HasSuffix(line, "\\") && i+1 < len(lines) {
			i++
			line = strings.TrimSuffix(line, "\\") + " " + lines[i]
		}
		if m := makeVariable.FindStringSubmatch(line); m != nil {
			value := strings.Fields(sh.sub(m[3]).expandMake())
			if m[2] == "+" {
				value = append(slices.Clone(sh.vars[m[1]]), value...)
			}
			sh.set(m[1], []string{strings.Join(value, " ")}, from+1)
		}
		out.WriteString(strings.Repeat("\n", i-from+1))
	}
	return out.String()
}

func (s *shell) expandMake() string {
	text, _, _ := strings.Cut(s.src, " #")
	return s.expand(strings.ReplaceAll(text, `"`, ""))
}

func (sc *script) readPin(word string, line int) {
	if m := pinned.FindStringSubmatch(word); m != nil {
		sc.pins = append(sc.pins, pin{"v" + kubernetesVersion(m[1], m[2]), at(sc.path, line)})
	}
}

// readValue looks for a pin in the value of a variable.
func (sc *script) readValue(name, value string, line int) {
	if m := pinValue.FindStringSubmatch(value); m != nil && pinName.MatchString(name) {
		sc.pins = append(sc.pins, pin{"v" + kubernetesVersion(m[1], m[2]), at(sc.path, line)})
		return
	}
	sc.readPin(value, line)
}

// kubernetesVersion is the module's version, of it or of the tag that is named as Kubernetes is.
func kubernetesVersion(module, kubernetes string) string {
	if module != "" {
		return module
	}
	return "0." + kubernetes
}
