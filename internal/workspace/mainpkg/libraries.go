// SPDX-License-Identifier: Apache-2.0

package mainpkg

import (
	"go/ast"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

// These are the import paths, without a version, of other libraries than flag, pflag and cobra that define flags.
const (
	urfave  = "github.com/urfave/cli"
	kingpin = "github.com/alecthomas/kingpin"
	kong    = "github.com/alecthomas/kong"
)

// clusterAPIFlags is the package from which providers of Cluster API have the flags for their metrics.
const clusterAPIFlags = "sigs.k8s.io/cluster-api/util/flags"

// diagnostics notes the flags that this package defines.
func (r *reading) diagnostics(s *source) {
	of := symbol{s.dir, r.function}
	r.commands.flags = append(r.commands.flags,
		ownFlag{"diagnostics-address", Flag{Default: ":8443"}, of}, ownFlag{"insecure-diagnostics", Flag{Bool: true}, of})
}

// urfaveFlag is a type of urfave/cli of which a value is a flag.
var urfaveFlag = regexp.MustCompile(`^(Bool|BoolT|Duration|Float64|Generic|Int|Int64|IntSlice|Path|String|StringSlice|Timestamp|Uint|Uint64)Flag$`)

// isKingpin reports whether an import path is that of kingpin, also from before it had modules.
func isKingpin(importPath string) bool {
	return strings.HasPrefix(importPath, kingpin) || strings.HasPrefix(importPath, "gopkg.in/alecthomas/kingpin.")
}

// addLoose notes a flag of a library whose subcommands are not read: it counts if the program has none.
func (r *reading) addLoose(name string, one Flag) {
	name, _, _ = strings.Cut(name, ",") // urfave/cli has had shorter names after a comma
	if flagName.MatchString(name) {
		r.loose = append(r.loose, ownFlag{name: name, flag: one})
	}
}

// urfaveFlag notes a flag of urfave/cli.
func (r *reading) urfaveFlag(s *source, f *file, c *ast.CompositeLit, kind string) {
	if name, ok := r.value(s, f, valueOf(c, "Name")); ok {
		one := Flag{Bool: strings.HasPrefix(kind, "Bool"), Number: number.MatchString(strings.TrimSuffix(kind, "Flag"))}
		one.Default, _ = r.value(s, f, valueOf(c, "Value"))
		r.addLoose(name, one)
	}
}

// kingpin notes a command, and the flag that ends a chain of calls, as in app.Flag("name", "usage").Default("x").String().
func (r *reading) kingpin(s *source, f *file, end *ast.SelectorExpr) {
	r.program.Subcommands = r.program.Subcommands || end.Sel.Name == "Command"
	one := Flag{Negated: strings.HasPrefix(end.Sel.Name, "Bool")}
	one.Bool, one.Number = one.Negated, number.MatchString(strings.TrimSuffix(end.Sel.Name, "Var"))
	for on := end.X; ; {
		call, ok := on.(*ast.CallExpr)
		if !ok {
			return
		}
		callee, ok := call.Fun.(*ast.SelectorExpr)
		if !ok {
			return
		}
		switch {
		case callee.Sel.Name == "Default" && len(call.Args) == 1:
			one.Default, _ = r.value(s, f, call.Args[0])
		case callee.Sel.Name == "Flag" && len(call.Args) == 2:
			if name, ok := r.value(s, f, call.Args[0]); ok {
				r.addLoose(name, one)
			}
			return
		}
		on = callee.X
	}
}

// kongFlags notes the flags that the fields of a struct are for kong. With subcommands or prefixes, their names are not known.
func (r *reading) kongFlags(t *ast.StructType) {
	for _, field := range t.Fields.List {
		if field.Tag == nil || len(field.Names) != 1 {
			continue
		}
		text, err := strconv.Unquote(field.Tag.Value)
		if err != nil {
			continue
		}
		tag := reflect.StructTag(text)
		has := func(key string) bool { _, ok := tag.Lookup(key); return ok }
		switch {
		case has("cmd"), has("prefix"):
			r.program.Subcommands = true
		case has("embed"), has("arg"), has("json"), has("yaml"), !has("help") && !has("name") && !has("default") && !has("env"):
		default:
			name, ok := tag.Lookup("name")
			if !ok {
				name = dashed(field.Names[0].Name)
			}
			kind := ""
			if t, ok := field.Type.(*ast.Ident); ok {
				kind = t.Name
			}
			r.addLoose(name, Flag{Bool: kind == "bool", Number: number.MatchString(kind), Default: tag.Get("default")})
		}
	}
}

// dashed is the flag that kong makes of the name of a field: MetricsAddr becomes metrics-addr, and TLSDir tls-dir.
func dashed(field string) string {
	var b strings.Builder
	runes := []rune(field)
	for i, c := range runes {
		ends := i > 0 && unicode.IsUpper(c) && (!unicode.IsUpper(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1]))
		if ends {
			b.WriteByte('-')
		}
		b.WriteRune(unicode.ToLower(c))
	}
	return b.String()
}

// imports reports whether a file of the package imports a library.
func (s *source) imports(library func(string) bool) bool {
	for _, f := range s.files {
		for _, importPath := range f.imports {
			if library(importPath) {
				return true
			}
		}
	}
	return false
}
