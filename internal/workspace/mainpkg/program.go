// SPDX-License-Identifier: Apache-2.0

package mainpkg

import (
	"cmp"
	"go/ast"
	"go/token"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// reading is one look at the sources of a program.
type reading struct {
	program Program
	client  bool // it uses client-go
	loads   bool // it can read a kubeconfig
	uses    map[string]bool
	consts  map[string]map[string]string // of strings, by import path and name
	env     map[string]bool
	kinds   map[Kind]bool
	certs   map[string]bool
	// managers are the directories of packages that make a manager.
	managers map[string]bool
	paths    map[string]bool
	module   *module
	// commands are those of cobra, and function is the one that is read.
	commands commands
	function string
	// loose are flags of which it is not known to what subcommand they belong, if there are any.
	loose []ownFlag
	// ofKingpin and ofKong report whether the package that is read imports these libraries.
	ofKingpin, ofKong bool
}

// program reads the main package in a directory, and what it needs of the module; nil where it makes no manager and has no client.
func (m *module) program(dir string) (*Program, error) {
	all, err := m.reached(dir)
	if err != nil {
		return nil, err
	}
	r := &reading{
		program: Program{Dir: dir}, uses: map[string]bool{"main": true, "init": true},
		consts: map[string]map[string]string{}, env: map[string]bool{}, kinds: map[Kind]bool{}, certs: map[string]bool{}, paths: map[string]bool{}, module: m, managers: map[string]bool{},
		commands: commands{names: map[symbol]string{}, added: map[symbol]bool{}},
	}
	for _, s := range all {
		for _, f := range s.files {
			r.collect(s, f)
			r.commands.collect(s, f)
		}
	}
	for _, s := range all {
		r.ofKingpin, r.ofKong = s.imports(isKingpin), s.imports(func(importPath string) bool { return importPath == kong })
		for _, f := range s.files {
			r.read(s, f)
		}
	}
	if !r.program.Manager && !r.client {
		return nil, nil
	}
	if !r.program.Subcommands {
		r.commands.flags = append(r.commands.flags, r.loose...)
	}
	r.program.Flags = r.commands.settle()
	r.program.Starter = r.starter()
	for _, f := range r.program.Flags {
		delete(r.certs, f.Default)
	}
	r.program.CertDirs = slices.Sorted(maps.Keys(r.certs))
	r.program.Paths = slices.Sorted(maps.Keys(r.paths))
	r.program.Env = slices.Sorted(maps.Keys(r.env))
	r.program.Kinds = slices.SortedFunc(maps.Keys(r.kinds), func(a, b Kind) int {
		return cmp.Or(strings.Compare(a.Package, b.Package), strings.Compare(a.Name, b.Name))
	})
	return &r.program, nil
}

// collect notes the client and the constants of a file, and the names of what is used in it. A function whose name is used nowhere is not called.
func (r *reading) collect(s *source, f *file) {
	for _, importPath := range f.imports {
		r.client = r.client || strings.HasPrefix(importPath, clientGo+"/") || importPath == sharedMain
		r.loads = r.loads || importPath == clientGo+"/tools/clientcmd" || importPath == sharedMain || strings.HasPrefix(importPath, controllerRuntime)
		r.program.queue = r.program.queue || importPath == workQueue || importPath == sharedMain
		r.program.informer = r.program.informer || importPath == informerCache
	}
	pkg := map[string]string{}
	if known := r.consts[s.dir]; known != nil {
		pkg = known
	}
	r.consts[s.dir] = pkg
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		switch {
		case !ok:
			ast.Inspect(d, r.use(pkg))
		case fn.Body != nil: // without its own name
			ast.Inspect(fn.Type, r.use(pkg))
			ast.Inspect(fn.Body, r.use(pkg))
		}
	}
}

// use notes identifiers, and constants of strings with their values.
func (r *reading) use(consts map[string]string) func(ast.Node) bool {
	return func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			r.uses[n.Name] = true
		case *ast.ValueSpec:
			for i, name := range n.Names {
				if i < len(n.Values) {
					if value, ok := literal(n.Values[i]); ok {
						consts[name.Name] = value
					}
				}
			}
		}
		return true
	}
}

func literal(e ast.Expr) (string, bool) {
	l, ok := e.(*ast.BasicLit)
	if !ok {
		return "", false
	}
	if l.Kind != token.STRING {
		return l.Value, true
	}
	value, err := strconv.Unquote(l.Value)
	return value, err == nil
}

// value is a string that is written in the source, as a literal or as the name of a constant.
func (r *reading) value(s *source, f *file, e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.Ident:
		value, ok := r.consts[s.dir][e.Name]
		return value, ok
	case *ast.SelectorExpr:
		x, ok := e.X.(*ast.Ident)
		if !ok {
			return "", false
		}
		dir, ok := r.module.own(f.imports[x.Name])
		if !ok {
			return "", false
		}
		value, ok := r.consts[dir][e.Sel.Name]
		return value, ok
	}
	return literal(e)
}

// read notes what the functions of a file do that are used.
func (r *reading) read(s *source, f *file) {
	for _, d := range f.Decls {
		r.function = ""
		if fn, ok := d.(*ast.FuncDecl); ok {
			if !r.uses[fn.Name.Name] {
				continue
			}
			r.function = fn.Name.Name
		}
		ast.Inspect(d, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				r.call(s, f, n)
			case *ast.CompositeLit:
				r.composite(s, f, n)
			case *ast.StructType:
				if r.ofKong {
					r.kongFlags(n)
				}
			case *ast.BasicLit:
				value, ok := literal(n)
				if ok && s.dir == r.program.Dir && certDir.MatchString(value) {
					r.certs[value] = true
				}
				if ok && absolutePath.MatchString(value) {
					r.paths[value] = true
				}
			}
			return true
		})
	}
}

// call notes the calls that make a manager, define a flag or read a variable.
func (r *reading) call(s *source, f *file, c *ast.CallExpr) {
	callee, ok := c.Fun.(*ast.SelectorExpr)
	if !ok {
		return
	}
	of := ""
	if x, ok := callee.X.(*ast.Ident); ok {
		of = f.imports[x.Name]
	}
	switch name := callee.Sel.Name; {
	case of == controllerRuntime && name == "NewManager", of == controllerRuntime+"/pkg/manager" && name == "New":
		r.program.Manager, r.managers[s.dir] = true, true
	case of == clientGo+"/rest" && name == "InClusterConfig":
		r.program.InClusterOnly = !r.loads
	case of == "os" && (name == "Getenv" || name == "LookupEnv") && len(c.Args) == 1:
		if variable, ok := r.value(s, f, c.Args[0]); ok {
			r.env[variable] = true
		}
	case of == "flag" && name == "Lookup" && len(c.Args) == 1:
		looked, _ := r.value(s, f, c.Args[0])
		r.program.ReadsKubeconfig = r.program.ReadsKubeconfig || looked == "kubeconfig"
	case of == "" && name == "Parse" && len(c.Args) == 1 && f.imports["flag"] == "flag" && afterWord(c.Args[0]):
		r.program.Subcommands = true
	case of == clusterAPIFlags && (name == "AddManagerOptions" || name == "AddDiagnosticsOptions"):
		r.diagnostics(s)
	case name == "AddCommand":
		r.add(s, f, c.Args)
	default:
		if name, one, ok := r.flag(s, f, name, c.Args); ok {
			r.commands.flags = append(r.commands.flags, ownFlag{name, one, r.owner(s, f, callee.X)})
		} else if r.ofKingpin && (of == "" || isKingpin(of)) {
			r.kingpin(s, f, callee)
		}
	}
}

// afterWord reports whether the arguments that a set of flags parses begin after a first word, which then is a subcommand: os.Args[2:], or
// args[1:] of a variable, which has the arguments without the name of the program.
func afterWord(e ast.Expr) bool {
	rest, ok := e.(*ast.SliceExpr)
	if !ok {
		return false
	}
	from, _ := literal(rest.Low)
	if _, all := rest.X.(*ast.SelectorExpr); all {
		return from == "2"
	}
	return from == "1"
}

var (
	absolutePath = regexp.MustCompile(`^(/[A-Za-z0-9][A-Za-z0-9._-]*)+$`)
	// certDir is where pods have certificates, as a volume.
	certDir = regexp.MustCompile(`^/(etc|run|var)/[^ ]*certs?/?$`)
	// flagCall is a method or function of package flag or pflag that defines a flag.
	flagCall = regexp.MustCompile(`^(Bool|String|Int|Int32|Int64|Uint|Uint16|Uint32|Uint64|Float32|Float64|Duration|StringSlice|StringArray|StringToString|IP|Text)?(Var)?(P)?$`)
	// number is the kind of such a flag that is a whole number.
	number = regexp.MustCompile(`^([uU]i|[iI])nt\d*$`)
	// outside is how the usage of a switch says that the program then runs outside of a cluster.
	outside = regexp.MustCompile(`(?i)\brun.*\b(outside|out of)\b.*\bcluster\b`)
	// flagName is how flags of controllers are named.
	flagName = regexp.MustCompile(`^[a-z][a-zA-Z0-9]*([-_.][a-zA-Z0-9]+)*$`)
)

// flag is the flag that a call defines. The name is the second argument of the functions that take a variable, and the first of others; usage is the last.
func (r *reading) flag(s *source, f *file, function string, args []ast.Expr) (name string, one Flag, ok bool) {
	form := flagCall.FindStringSubmatch(function)
	if form == nil || form[1] == "" && form[2] == "" {
		return "", Flag{}, false
	}
	at, least := 0, 3 // name, default, usage
	if form[2] != "" {
		at, least = 1, 4
		if form[1] == "" { // Var has no default
			least = 3
		}
	}
	if form[3] != "" {
		least++
	}
	if len(args) != least {
		return "", Flag{}, false
	}
	name, ok = r.value(s, f, args[at])
	if !ok || !flagName.MatchString(name) {
		return "", Flag{}, false
	}
	usage, _ := literal(args[len(args)-1])
	one = Flag{Bool: form[1] == "Bool", Number: number.MatchString(form[1]), Outside: form[1] == "Bool" && outside.MatchString(usage)}
	if form[1] != "" {
		one.Default, _ = r.value(s, f, args[len(args)-2])
	}
	return name, one, true
}

// composite notes whether a leader is elected, the port of a webhook server, the authority of a rotator of certificates, subcommands, and the kinds of other modules.
func (r *reading) composite(s *source, f *file, c *ast.CompositeLit) {
	t, ok := c.Type.(*ast.SelectorExpr)
	if !ok {
		return
	}
	x, ok := t.X.(*ast.Ident)
	if !ok {
		return
	}
	of := f.imports[x.Name]
	if (of == controllerRuntime || of == controllerRuntime+"/pkg/manager") && t.Sel.Name == "Options" {
		always, _ := valueOf(c, "LeaderElection").(*ast.Ident)
		if always != nil && always.Name == "true" && !r.uses["LeaderElectionNamespace"] && !r.uses["LeaderElectionResourceLockInterface"] {
			r.program.ElectsInPod = true
		}
	}
	switch _, own := r.module.own(of); {
	case of == controllerRuntime+"/pkg/webhook" && t.Sel.Name == "Options":
		if text, ok := literal(valueOf(c, "Port")); ok {
			r.program.WebhookPort, _ = strconv.Atoi(text)
		}
	case strings.HasPrefix(of, urfave) && t.Sel.Name == "Command":
		r.program.Subcommands = true
	case strings.HasPrefix(of, urfave) && urfaveFlag.MatchString(t.Sel.Name):
		r.urfaveFlag(s, f, c, t.Sel.Name)
	case of == certRotator && t.Sel.Name == "CertRotator":
		r.program.Authority, _ = r.value(s, f, valueOf(c, "CAName"))
	case of != "" && !own && strings.Contains(of, "."):
		r.kinds[Kind{Package: of, Name: t.Sel.Name}] = true
	}
}

// valueOf is what a literal gives a field; nil where it does not name it.
func valueOf(c *ast.CompositeLit, field string) ast.Expr {
	for _, e := range c.Elts {
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			if key, ok := kv.Key.(*ast.Ident); ok && key.Name == field {
				return kv.Value
			}
		}
	}
	return nil
}
