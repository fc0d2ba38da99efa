// SPDX-License-Identifier: Apache-2.0

// Package mainpkg finds the programs of a module that run controllers, with controller-runtime or with client-go alone, and reads from
// their sources what one has to know to start them: the flags that they define, the variables of the environment that they read, and the
// kinds that they use.
//
// It reads files; it runs no go command, checks no types, and does not decide which arguments a program gets.
package mainpkg

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/safefs"
	"github.com/crdctl/crdctl/internal/workspace"
)

// Program is a main package that runs controllers.
type Program struct {
	// Dir is the directory of the main package, slash-separated and relative to the root.
	Dir string
	// Manager reports whether it makes a controller-runtime manager. A program that makes none uses client-go.
	Manager bool
	// Flags are the flags that the program's module defines for it, by name.
	Flags map[string]Flag
	// Env are the names of the variables that it reads, sorted.
	Env []string
	// WebhookPort is the port that a webhook.Options has in the source; 0 where none is written there.
	WebhookPort int
	// CertDirs are absolute directories of certificates that the main package names, and that are not the default of a flag, sorted.
	CertDirs []string
	// Authority is the name of the authority by which a rotator of cert-controller makes the certificates of webhooks; "" without one,
	// or where the source does not have it as a constant.
	Authority string
	// ReadsKubeconfig reports whether the sources look the flag --kubeconfig up, which controller-runtime defines.
	ReadsKubeconfig bool
	// InClusterOnly reports whether it reads the configuration that a pod has, and no kubeconfig.
	InClusterOnly bool
	// ElectsInPod reports whether it always elects a leader, in the namespace that only a pod knows.
	ElectsInPod bool
	// Subcommands reports whether the sources define any, with a library, or parse flags only after a first word.
	Subcommands bool
	// Starter is the subcommand of cobra whose package makes the manager, if it has no other command and is not the main package; "" without one.
	Starter string
	// Paths are the absolute paths that the sources have as strings, sorted. Some are those of URLs.
	Paths []string
	// Kinds are the types of other modules of which the program makes values, such as v1.Certificate of cert-manager.
	Kinds []Kind

	queue    bool // it reads a queue of client-go
	informer bool // it has informers of client-go
}

// Flag is a flag of a program.
type Flag struct {
	Bool bool
	// Number reports whether its value is a whole number, as that of a port.
	Number bool
	// Negated reports whether it is a switch that takes no value: --no-NAME turns it off, as with kingpin.
	Negated bool
	// Outside reports whether it is a switch that lets the program run outside of a cluster, as its usage has it.
	Outside bool
	// Commands are the subcommands of cobra that have it; none for the program's own.
	Commands []string
	// Default is the default where the source has it as a literal.
	Default string
}

// Argument sets the flag, which has a name, to a value.
func (f Flag) Argument(name, value string) string {
	switch {
	case f.Negated && value == "true":
		return "--" + name
	case f.Negated && value == "false":
		return "--no-" + name
	}
	return "--" + name + "=" + value
}

// Kind is a type of a package of another module.
type Kind struct{ Package, Name string }

// ManyError reports that a module has more than one such program, so that a person has to choose.
type ManyError struct {
	Dirs []string
	// Manager reports whether they run controller-runtime managers.
	Manager bool
}

func (e *ManyError) Error() string {
	run := "a controller"
	if e.Manager {
		run = "a controller-runtime manager"
	}
	return fmt.Sprintf("%d main packages run %s: %s", len(e.Dirs), run, strings.Join(e.Dirs, ", "))
}

// The modules of controller-runtime and client-go, and the package that controllers without controller-runtime have their work from.
const (
	controllerRuntime = "sigs.k8s.io/controller-runtime"
	clientGo          = "k8s.io/client-go"
	workQueue         = clientGo + "/util/workqueue"
	// informerCache is where those have their events from that keep their work in a queue of their own. Others read it too, so it counts last.
	informerCache = clientGo + "/tools/cache"
)

// sharedMain is the package of Knative that has the main function of its controllers: their work queues and clients are there.
const sharedMain = "knative.dev/pkg/injection/sharedmain"

// certRotator is the package by which many controllers make and renew the certificates of their webhooks, in a Secret.
const certRotator = "github.com/open-policy-agent/cert-controller/pkg/rotator"

// Uses reports whether the module of a directory requires controller-runtime.
func Uses(root string) bool { return requires(root, controllerRuntime) }

// UsesClientGo reports whether the module of a directory requires client-go.
func UsesClientGo(root string) bool { return requires(root, clientGo) }

func requires(root, module string) bool {
	_, data, err := workspace.ReadAbove(root, "go.mod")
	return err == nil && bytes.Contains(data, []byte(module+" v"))
}

// ProjectFile is where kubebuilder and operator-sdk keep what they scaffolded.
const ProjectFile = "PROJECT"

// layouts are where kubebuilder puts the main package: since v4, and before.
var layouts = []string{"cmd", "."}

// Find returns the program of the module in root that runs a controller-runtime manager, or without any the one with a queue of
// client-go, or else with its informers; nil where there is none. Where a module has several, the one at kubebuilder's own place
// is meant if there is a PROJECT file, then the one that has the module's name, with or without a suffix as in NAME-controller.
func Find(root string) (*Program, error) {
	m, err := openModule(root)
	if err != nil {
		return nil, err
	}
	var found, informed []*Program
	for _, dir := range m.mainDirs() {
		p, err := m.program(dir)
		if err != nil {
			return nil, err
		}
		if p != nil && (p.Manager || p.queue) {
			found = append(found, p)
		} else if p != nil && p.informer {
			informed = append(informed, p)
		}
	}
	if len(found) == 0 {
		found = informed
	}
	if managers := slices.DeleteFunc(slices.Clone(found), func(p *Program) bool { return !p.Manager }); len(managers) > 0 {
		found = managers
	}
	at := func(dir string) int {
		return slices.IndexFunc(found, func(p *Program) bool { return p.Dir == dir })
	}
	var usual []string
	if _, err := os.Stat(filepath.Join(root, ProjectFile)); err == nil {
		usual = layouts
	}
	named := path.Join("cmd", workspace.ModuleName(m.path))
	switch usual = append(slices.Clone(usual), named, named+"-controller", named+"-operator", named+"-manager"); {
	case len(found) == 0:
		return nil, nil
	case len(found) == 1:
		return found[0], nil
	}
	for _, dir := range usual {
		if i := at(dir); i >= 0 {
			return found[i], nil
		}
	}
	many := &ManyError{Manager: found[0].Manager}
	for _, p := range found {
		many.Dirs = append(many.Dirs, p.Dir)
	}
	return nil, many
}

// Read returns the program in a directory below root; nil where that uses neither controller-runtime nor client-go.
func Read(root, dir string) (*Program, error) {
	m, err := openModule(root)
	if err != nil {
		return nil, err
	}
	return m.program(path.Clean(dir))
}

// aside are the names of directories whose programs are not controllers, or that are not read. Plugins of kubectl are in kubectl-NAME.
var aside = []string{"build", "docs", "e2e", "example", "examples", "hack", "samples", "scripts", "test", "testdata", "tests", "tool", "tools"}

// mainDirs are the directories of the module with a main function, sorted.
func (m *module) mainDirs() (dirs []string) {
	_ = filepath.WalkDir(m.root, func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return fs.SkipDir // what cannot be read holds no program that could be built
		case d.IsDir() && p != m.root && (workspace.Foreign(d.Name()) || strings.HasPrefix(d.Name(), "_") || strings.HasPrefix(d.Name(), "kubectl-") || slices.Contains(aside, d.Name()) || isFile(filepath.Join(p, "go.mod"))):
			return fs.SkipDir
		case d.IsDir() || !isSource(d.Name()):
			return nil
		}
		dir := m.relative(filepath.Dir(p))
		if slices.Contains(dirs, dir) {
			return nil
		}
		if data, err := safefs.ReadFile(p, safefs.MaxFile); err == nil && bytes.Contains(data, []byte("\nfunc main() {")) {
			dirs = append(dirs, dir)
		}
		return nil
	})
	slices.Sort(dirs)
	return dirs
}

func isSource(name string) bool {
	return strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") && !strings.HasPrefix(name, "zz_generated.")
}

func isFile(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular()
}
