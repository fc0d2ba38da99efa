// SPDX-License-Identifier: Apache-2.0

package stories

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/crdctl/crdctl/e2e/internal/binary"
	"github.com/crdctl/crdctl/e2e/internal/testcache"
	"github.com/crdctl/crdctl/internal/controlplane/sockettest"
)

// script is a story in testdata/script while it runs. See the commands for what its lines mean.
type script struct {
	*world
	ts      *testscript.TestScript
	started map[string]*process
	kubectl []string // what "kubectl" stands for
}

// commands are those of the scripts that testscript does not have.
var commands = map[string]func(s *script, neg bool, args []string){
	"crdctl":     (*script).command,    // ARG...
	"kubectl":    (*script).ask,        // ARG...: the embedded kubectl for the control plane of the directory, or that of "plane"
	"exits":      (*script).exits,      // CODE PROGRAM ARG...
	"eventually": (*script).eventual,   // TEXT PROGRAM ARG...: runs the program until it ends well and prints the text
	"says":       (*script).says,       // TEXT...: the last program printed these
	"start":      (*script).begin,      // NAME PROGRAM ARG...: starts a program in the background
	"await":      (*script).await,      // NAME TEXT...: waits until it has printed these, in this order, after those before
	"printed":    (*script).printed,    // NAME TEXT...: it has printed these, at any time
	"signal":     (*script).send,       // NAME SIGNAL
	"count":      (*script).count,      // NAME N TEXT: it has printed this N times
	"ends":       (*script).ends,       // NAME CODE...: waits until it ends, with one of the exit codes
	"interrupt":  (*script).stop,       // NAME...: presses Ctrl-C, and holds that it ends with exit code 0
	"quiet":      (*script).quiet,      // waits until no process of the story is left
	"clean":      (*script).clean,      // [DIR]: no process, no temporary file and no state in the directory is left
	"edit":       (*script).edit,       // FILE OLD NEW: replaces text
	"plane":      (*script).usePlane,   // [NAMESPACE]: uses the shared control plane, and a new namespace there
	"finds":      (*script).finds,      // NAME TEXT...: waits until it has printed these, in any order, at any time
	"idle":       (*script).idle,       // NAME TEXT WORK: waits until it has printed a text three times since it last printed that it works
	"asks":       (*script).asks,       // NAME TEXT PATH: asks the server whose quoted address it printed after a text
	"doors":      (*script).doors,      // [NAME KUBECONFIG]: it, or the control plane in the background, listens where the kubeconfig or its status says, and nowhere else
	"helm":       (*script).helm,       // ARG...: Helm, of the version that tools/helm/go.mod names
	"released":   (*script).released,   // MODULE VERSION: builds upstream's kubectl as $RELEASED_KUBECTL
	"dlv":        (*script).delve,      // VERSION: puts the debugger Delve into PATH
	"small":      (*script).small,      // NAME: builds the build of crdctl with that name, as the variable in capitals
	"system":     (*script).makeSystem, // NAME: makes a system of docs/scaffold.md, and enters its directory
	"follow":     (*script).follow,     // PAGE SECTION: does what a section of a page has its reader do
	"page":       (*script).page,       // PAGE FILE BEGIN TEXT...: writes the one block of a page that begins with a text and has others
}

// The stories of testdata/script. What they start belongs to a world of their own.
func TestScripts(t *testing.T) {
	all := map[string]func(*testscript.TestScript, bool, []string){}
	for name, do := range commands {
		all[name] = func(ts *testscript.TestScript, neg bool, args []string) {
			s := ts.Value(t).(*script)
			s.ts = ts
			if name == "crdctl" || name == "kubectl" {
				args = append([]string{name}, args...)
			}
			do(s, neg, args)
		}
	}
	testdata, err := filepath.Abs("testdata")
	require.NoError(t, err)
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script", RequireUniqueNames: true, Cmds: all,
		Setup: func(e *testscript.Env) error {
			w := newLoneWorld(e.T().(testing.TB))
			w.dir = e.WorkDir
			w.setenv("PATH", filepath.Dir(crdctl)+string(os.PathListSeparator)+os.Getenv("PATH"))
			e.Vars = append(e.Vars, append(w.env(), "TESTDATA="+testdata, "CRDCTL="+crdctl, "FREE_PORT="+freePort(w))...)
			e.Values[t] = &script{world: w, started: map[string]*process{}, kubectl: []string{crdctl, "kubectl"}}
			return nil
		},
	})
}

// freePort is a port of 127.0.0.1 that is free now.
func freePort(w *world) string {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	w.check(err)
	w.check(l.Close())
	return strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
}

// exec runs a program to its end.
func (s *script) exec(args []string) error {
	switch args[0] {
	case "crdctl":
		args = append([]string{crdctl}, args[1:]...)
	case "kubectl":
		args = slices.Concat(s.kubectl, args[1:])
	}
	return s.ts.Exec(args[0], args[1:]...)
}

func (s *script) command(neg bool, args []string) {
	if err := s.exec(args); (err != nil) != neg {
		s.ts.Fatalf("%s: %v", args[0], err)
	}
}

// ask runs kubectl. "kubectl wait" fails at once where an object does not exist yet, or has no status: it is run until then.
func (s *script) ask(neg bool, args []string) {
	if neg || len(args) < 2 || args[1] != "wait" {
		s.command(neg, args)
		return
	}
	var err error
	s.until(strings.Join(args, " ")+" has what to wait for", func() bool {
		err = s.exec(args)
		said := s.ts.ReadFile("stderr")
		return err == nil || !strings.Contains(said, "(NotFound)") && !strings.Contains(said, "accessor error")
	})
	if err != nil {
		s.ts.Fatalf("%s: %v", args[0], err)
	}
}

func (s *script) exits(_ bool, args []string) {
	if code := strconv.Itoa(exitCode(s.exec(args[1:]))); code != args[0] {
		s.ts.Fatalf("exit code %s, want %s", code, args[0])
	}
}

func (s *script) eventual(_ bool, args []string) {
	s.until(args[0]+" is printed", func() bool {
		return s.exec(args[1:]) == nil && strings.Contains(s.ts.ReadFile("stdout"), args[0])
	})
}

func (s *script) says(neg bool, args []string) {
	s.has(s.ts.ReadFile("stdout")+s.ts.ReadFile("stderr"), neg, args)
}

func (s *script) has(text string, neg bool, parts []string) {
	for _, part := range parts {
		if strings.Contains(text, part) == neg {
			s.ts.Fatalf("%q is printed: %v", part, neg)
		}
	}
}

func (s *script) begin(_ bool, args []string) {
	name := args[1]
	if name == "crdctl" {
		name = crdctl
	}
	s.started[args[0]] = s.start(s.ts.MkAbs("."), name, args[2:]...)
}

func (s *script) process(name string) *process {
	p := s.started[name]
	if p == nil {
		s.ts.Fatalf("%s was not started", name)
	}
	return p
}

func (s *script) await(_ bool, args []string) { s.process(args[0]).waitFor(args[1:]...) }

func (s *script) printed(neg bool, args []string) { s.has(s.process(args[0]).text(), neg, args[1:]) }

func (s *script) send(_ bool, args []string) {
	s.process(args[0]).signal(map[string]os.Signal{
		"INT": os.Interrupt, "TERM": syscall.SIGTERM, "KILL": syscall.SIGKILL, "STOP": syscall.SIGSTOP, "CONT": syscall.SIGCONT,
	}[args[1]])
}

func (s *script) ends(_ bool, args []string) {
	if code := strconv.Itoa(s.process(args[0]).wait()); !slices.Contains(args[1:], code) {
		s.ts.Fatalf("%s: exit code %s, want %s", args[0], code, strings.Join(args[1:], " or "))
	}
}

func (s *script) count(_ bool, args []string) {
	if n := strconv.Itoa(strings.Count(s.process(args[0]).text(), args[2])); n != args[1] {
		s.ts.Fatalf("%s printed %q %s times, want %s", args[0], args[2], n, args[1])
	}
}

func (s *script) stop(_ bool, args []string) {
	for _, name := range args {
		s.end(s.process(name))
	}
}

func (s *script) quiet(bool, []string) {
	s.until("no process is left", func() bool { return len(s.processes()) == 0 })
}

func (s *script) clean(_ bool, args []string) { s.leavesNothing(s.ts.MkAbs(strings.Join(args, ""))) }

func (s *script) edit(_ bool, args []string) {
	lines := strings.NewReplacer(`\n`, "\n", `\t`, "\t")
	s.replace(s.ts.MkAbs(args[0]), lines.Replace(args[1]), lines.Replace(args[2]))
}

func (s *script) usePlane(_ bool, args []string) {
	_, kubeconfig := s.plane()
	s.ts.Setenv("KUBECONFIG", kubeconfig)
	s.kubectl = []string{crdctl, "kubectl", "--kubeconfig", kubeconfig}
	if len(args) > 0 {
		s.command(false, []string{"kubectl", "create", "namespace", args[0]})
		s.kubectl = append(s.kubectl, "-n", args[0])
	}
}

func (s *script) small(_ bool, args []string) {
	path, err := binary.Small(s.Context(), "crdctl_"+args[0])
	s.ts.Check(err)
	s.ts.Setenv(strings.ToUpper(args[0]), path)
}

// That the projects of the systems pass their own tests is shown where scaffolds of all shapes are built.
func (s *script) makeSystem(_ bool, args []string) {
	docs, err := os.ReadFile("../../docs/scaffold.md")
	s.ts.Check(err)
	_, section, _ := strings.Cut(string(docs), "\n### "+args[0]+":")
	section, _, _ = strings.Cut(section, "\n#")
	commands := strings.Join(blocks.FindAllString(section, -1), "")
	at := regexp.MustCompile(`-C (\S+)`).FindStringSubmatch(commands)
	if at == nil {
		s.ts.Fatalf("docs/scaffold.md has no commands for %s", args[0])
	}
	s.command(false, []string{"sh", "-e", "-c", commands})
	s.ts.Check(s.ts.Chdir(at[1]))
	s.command(false, []string{"crdctl", "verify"})
}

func (s *script) page(_ bool, args []string) {
	text, err := os.ReadFile(filepath.Join("../../docs", args[0]))
	s.ts.Check(err)
	found := map[string]bool{}
	for _, block := range blocks.FindAllString(string(text), -1) {
		block = strings.Trim(indent.ReplaceAllString(block, ""), "\n") + "\n"
		if strings.HasPrefix(block, args[2]) && !slices.ContainsFunc(args[3:], func(part string) bool { return !strings.Contains(block, part) }) {
			found[block] = true
		}
	}
	if len(found) != 1 {
		s.ts.Fatalf("%s has %d blocks that begin with %q and have %q, want one", args[0], len(found), args[2], args[3:])
	}
	s.ts.Check(os.WriteFile(s.ts.MkAbs(args[1]), []byte(slices.Collect(maps.Keys(found))[0]), 0o755))
}

// blocks are the indented parts of a page, with what they are indented by.
var blocks, indent = regexp.MustCompile(`(?m)(?:^(?:    .*)?\n)+`), regexp.MustCompile(`(?m)^    `)

func (s *script) finds(_ bool, args []string) {
	p := s.process(args[0])
	for _, text := range args[1:] {
		s.until("it printed "+text, func() bool { return strings.Contains(p.text(), text) })
	}
}

func (s *script) idle(_ bool, args []string) {
	p := s.process(args[0])
	s.until("it printed three times "+args[1], func() bool {
		text := p.text()
		return strings.Count(text[max(0, strings.LastIndex(text, args[2])):], args[1]) >= 3
	})
}

func (s *script) asks(_ bool, args []string) {
	_, after, _ := strings.Cut(s.process(args[0]).text(), args[1]+`"`)
	address, _, _ := strings.Cut(after, `"`)
	request, err := http.NewRequestWithContext(s.Context(), http.MethodGet, "http://"+address+args[2], nil)
	s.ts.Check(err)
	response, err := http.DefaultClient.Do(request)
	s.ts.Check(err)
	defer func() { _ = response.Body.Close() }()
	_, err = io.Copy(s.ts.Stdout(), response.Body)
	s.ts.Check(err)
}

func (s *script) doors(_ bool, args []string) {
	if len(args) == 0 {
		var state struct {
			PID int
			URL string
		}
		s.ts.Check(s.exec([]string{"crdctl", "cluster", "status", "-o", "json"}))
		s.ts.Check(json.Unmarshal([]byte(s.ts.ReadFile("stdout")), &state))
		sockettest.OnlyAt(s, state.PID, state.URL)
		return
	}
	config, err := clientcmd.BuildConfigFromFlags("", s.ts.MkAbs(args[1]))
	s.ts.Check(err)
	sockettest.OnlyAt(s, s.process(args[0]).cmd.Process.Pid, config.Host)
}

// kubectlMain is what upstream's main package does, which lies in another module, and big.
const kubectlMain = `package main

import (
	"os"

	"k8s.io/kubectl/pkg/cmd"
)

func main() {
	if err := cmd.NewDefaultKubectlCommand().Execute(); err != nil {
		os.Exit(1)
	}
}
`

// helm runs Helm, which is built once for each version.
func (s *script) helm(neg bool, args []string) {
	root, err := filepath.Abs("../..")
	s.ts.Check(err)
	mod, err := os.ReadFile(filepath.Join(root, "tools/helm/go.mod"))
	s.ts.Check(err)
	dir, err := testcache.Dir("helm", []string{runtime.Version(), string(mod)}, func(dir string) error {
		s.run(root, "go", "build", "-modfile=tools/helm/go.mod", "-o", filepath.Join(dir, "helm"), "helm.sh/helm/v4/cmd/helm")
		return nil
	})
	s.ts.Check(err)
	s.command(neg, append([]string{filepath.Join(dir, "helm")}, args...))
}

// The releases of kubectl are not Go modules, and tests download nothing else. As in a release, the linker tells it its version.
func (s *script) released(_ bool, args []string) {
	dir, err := testcache.Dir("kubectl", []string{args[0], runtime.Version(), kubectlMain}, func(dir string) error {
		mod := "module example.com/kubectl\n\ngo 1.26.0\n\nrequire k8s.io/kubectl " + args[0] + "\n"
		s.ts.Check(errors.Join(os.WriteFile(filepath.Join(dir, "go.mod"), []byte(mod), 0o600), os.WriteFile(filepath.Join(dir, "main.go"), []byte(kubectlMain), 0o600)))
		s.run(dir, "go", "mod", "tidy")
		s.run(dir, "go", "build", "-o", "kubectl", "-ldflags=-X k8s.io/component-base/version.gitVersion="+args[1], ".")
		return nil
	})
	s.ts.Check(err)
	s.ts.Setenv("RELEASED_KUBECTL", filepath.Join(dir, "kubectl"))
}

// delve is built from its module, once.
func (s *script) delve(_ bool, args []string) {
	dir, err := testcache.Dir("dlv", []string{args[0], runtime.Version()}, func(dir string) error {
		_, stderr, err := s.tryWith([]string{"GOBIN=" + dir, "GOFLAGS="}, dir, "go", "install", "github.com/go-delve/delve/cmd/dlv@"+args[0])
		if err != nil {
			return fmt.Errorf("%w: %s", err, stderr)
		}
		return nil
	})
	s.ts.Check(err)
	path := dir + string(os.PathListSeparator) + s.ts.Getenv("PATH")
	s.ts.Setenv("PATH", path)
	s.setenv("PATH", path)
}
