// SPDX-License-Identifier: Apache-2.0

package shell

import (
	"fmt"
	"path"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// commands prints what a script runs when it is called with arguments.
func commands(src string, call Call) string {
	var b strings.Builder
	for _, c := range ReadCall(Root+"/hack/x.sh", src, Root, call).Commands {
		fmt.Fprintf(&b, "%d %s %q", c.Line, strings.TrimPrefix(c.Dir, Root), c.Words)
		if len(c.Env) > 0 {
			fmt.Fprintf(&b, " %v", c.Env)
		}
		if len(c.Writes) > 0 {
			fmt.Fprintf(&b, " > %q", c.Writes)
		}
		b.WriteString("\n")
	}
	return b.String()
}

func TestReadCall(t *testing.T) {
	for name, test := range map[string]struct {
		in, want string
		call     Call
	}{
		"arguments and the environment":     {`a "$1" ${2:-two} $# "$@" $X ${Y:-y}`, `1  ["a" "one" "two" "1" "one" "x" "y"]` + "\n", Call{Args: []string{"one"}, Env: map[string]string{"X": "x"}}},
		"no arguments are not no knowledge": {`a "$1"`, `1  ["a" "$1"]` + "\n", Call{}},
		"functions run where they are called, with their arguments, and those that are not at the end": {`
f() { a $1; }
g() { b; }
h() { f $1; c $1; }
h one
f two
d $1
`, `2  ["a" "one"]
4  ["c" "one"]
2  ["a" "two"]
7  ["d" "zero"]
3  ["b"]
`, Call{Args: []string{"zero"}}},
		"arguments that are shifted, in a function also where its call may not run": {`
f() { shift; if x; then shift; fi; a "$@"; }
for i in 1 2; do f b c $i; done
a "$@"
shift 2
a "$@"
shift 9
a "$@"
`, `2  ["shift"]
2  ["x"]
2  ["shift"]
2  ["a" "c" "1"]
2  ["shift"]
2  ["x"]
2  ["shift"]
2  ["a" "c" "2"]
4  ["a" "p" "q" "r"]
5  ["shift" "2"]
6  ["a" "r"]
7  ["shift" "9"]
8  ["a" "r"]
`, Call{Args: []string{"p", "q", "r"}}},
		"a function that calls itself ends": {"f() { a; f; }\nf\n", strings.Repeat("1  [\"a\"]\n", maxDepth) + "1  [\"f\"]\n", Call{}},
		"a check that a variable is set":    {"A=1\na ${A:?} ${A?no A} ${B:?}\n", "2  [\"a\" \"1\" \"1\" \"${B:?}\"]\n", Call{}},
		"what output goes to": {"a > x 2>y\n{ b; c >> $1; } > z\n(d) > /dev/null\n", `1  ["a"] > ["x"]
2  ["b"]
2  ["c"] > ["one"]
2  [">"] > ["z"]
3  ["d"]
`, Call{Args: []string{"one"}}},
		"variables of one command": {"A=1 B=$1 a\n", "1  [\"a\"] map[A:1 B:one]\n", Call{Args: []string{"one"}}},
		"tests that are decided": {`
: ${A:=}
if [[ -n "$A" ]]; then a; elif [ -z "$A" ]; then b; else c; fi
if [ -z "$UNKNOWN" ]; then d; else e; fi
if [ -n "$1" ]; then f; fi
`, `2  [":"]
3  ["[" "-z" "" "]"]
3  ["b"]
4  ["[" "-z" "$UNKNOWN" "]"]
4  ["d"]
4  ["e"]
5  ["[" "-n" "one" "]"]
5  ["f"]
`, Call{Args: []string{"one"}}},
		"a default stays where a branch may change it": {"A=1\nif x; then A=2; fi\na $A\n", "2  [\"x\"]\n3  [\"a\" \"1\"]\n", Call{}},
		"what a loop or a function sets for each of its values, and not for what follows a branch": {`
f() { A=$1; if x; then A=3; fi; a $A; }
for i in 1 2; do B=b/$i; a $B; done
A=0
if y; then f 1; f 2; for i in 3 4; do A=$i; a $A; done; fi
a $A $B
`, `3  ["a" "b/1"]
3  ["a" "b/2"]
5  ["y"]
2  ["x"]
2  ["a" "1"]
2  ["x"]
2  ["a" "2"]
5  ["a" "3"]
5  ["a" "4"]
6  ["a" "0" "b/2"]
`, Call{}},
		"the branch that the variable of a loop decides": {`
D=x
for i in a b c; do
  o=o
  case $i in a) o=1 ;; b|z) o=2 ;; *) o=3 ;; esac
  if [[ "$i" != a ]]; then o=n$o; elif [ "${i}" = a ]; then o=e$o; fi
  case $D in y) o=4 ;; esac
  case $i in $X*) o=5 ;; *) o=6 ;; esac
  p=p
  case $i in [ab]?) p=0 ;; b*) p=1 ;; c|*) p=2 ;; esac
  g $o $p
done
`, `6  ["[" "a" "=" "a" "]"]
11  ["g" "e1" "2"]
11  ["g" "n2" "1"]
11  ["g" "n3" "2"]
`, Call{}},
		"arguments that a loop takes one after the other": {`
A=a B=b C=c
while [[ $# -gt 0 ]]; do
  case "$1" in
    --a) A="$2"; shift 2 ;;
    --b=*) B="${1#*=}"; shift ;;
    --) shift; break; never ;;
    -*) C=d; shift ;;
    *) break ;;
  esac
done
g $A $B $C "$@"
`, `5  ["shift" "2"]
6  ["shift"]
7  ["shift"]
7  ["break"]
12  ["g" "x" "y" "c" "-z" "w"]
`, Call{Args: []string{"--a", "x", "--b=y", "--", "-z", "w"}}},
		"arguments that a loop without a condition takes": {"while true; do case $1 in -a) A=$2; shift 2;; --) shift; break;; esac; done\ng $A $@\n",
			"1  [\"true\"]\n1  [\"shift\" \"2\"]\n1  [\"shift\"]\n1  [\"break\"]\n2  [\"g\" \"x\" \"y\"]\n", Call{Args: []string{"-a", "x", "--", "y"}}},
		"arguments that a loop does not end with, or that are not known": {"A=a\nwhile [ -n \"$1\" ]; do case $1 in x) A=1; shift;; esac; done\ng $A\n",
			"2  [\"[\" \"-n\" \"x\" \"]\"]\n2  [\"shift\"]\n3  [\"g\" \"1\"]\n", Call{Args: []string{"x", "y"}}},
		"patterns of files":                           {"for f in d/*.yaml $R/e; do a $f.x; done\n", "1  [\"a\" \"d/*.yaml.x\"]\n1  [\"a\" \"$R/e.x\"]\n", Call{}},
		"an array that is filled elsewhere":           {"d=()\nread_into d < <(git grep -l tag)\np=()\nfor i in \"${d[@]}\"; do\n\tp+=(\"./$i\")\ndone\ngen \"${p[@]}\"\n", "2  [\"read_into\" \"d\"]\n7  [\"gen\"]\n", Call{}},
		"a format for each argument":                  {"p=(a/b c)\ngen $(printf -- \" --peer %s\" \"${p[@]}\") x\n", "2  [\"gen\" \"--peer\" \"a/b\" \"--peer\" \"c\" \"x\"]\n", Call{}},
		"the variable of a loop keeps the last value": {"for f in x y; do :; done\na $f\nfor g in x y; do break; done\na $g\n", "1  [\":\"]\n1  [\":\"]\n2  [\"a\" \"y\"]\n3  [\"break\"]\n3  [\"break\"]\n4  [\"a\" \"$g\"]\n", Call{}},
		"variables of other scripts": {`source "$(dirname "$0")/env.sh"
. ./none.sh
a $ROOT
`, "1  [\"source\" \"/@/hack/env.sh\"]\n2  [\".\" \"./none.sh\"]\n3  [\"a\" \"/@\"]\n", Call{Load: func(file string) (string, bool) {
			return "ROOT=$(git rev-parse --show-toplevel)\nb\n", file == Root+"/hack/env.sh"
		}}},
		"words of functions of other scripts": {". ./lib.sh\nenter 'a text that is as long as that of the library'\na\n", "1  [\".\" \"./lib.sh\"]\n1  [\"cd\" \"$UNKNOWN\"]\n3  [\"a\"]\n", Call{Load: func(string) (string, bool) {
			return "enter() { cd \"$UNKNOWN\"; }\n", true
		}}},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, test.want, commands(test.in, test.call))
		})
	}
}

// cd - goes back to the directory before the last change, also where that leads to an unknown one.
func TestDirectoryBefore(t *testing.T) {
	for src, want := range map[string]string{"cd a; cd b; cd -; gen": "a", "cd a; cd $X; cd -; gen": "a", "cd a; cd -; cd -; gen": "a", "cd -; gen": ""} {
		all := ReadCall(Root+"/gen.sh", src, Root, Call{}).Commands
		assert.Equal(t, path.Join(Root, want), all[len(all)-1].Dir, src)
	}
}

func TestOutput(t *testing.T) {
	other := func(words []string, dir string) (string, bool) {
		return fmt.Sprint(dir, words), words[0] == "known" || words[0] == "ls" && words[len(words)-1] == Root+"/sub/there"
	}
	for src, want := range map[string]string{
		"pwd": Root + "/sub", "cd ..; pwd": Root, "cd .. && pwd": Root, "dirname /a/b": "/a", "echo a b": "a b", "known a": Root + "/sub[known a]",
		"cd x && known": Root + "/sub/x[known]", "unknown": "", "echo $X": "", "a | b": "", "echo (": "", "known a | b": "", "git check-ignore -- * | sed 's/^/-e /'; echo a": "a", "git check-ignore -- * | wc -l; echo a": "",
		"echo a/ | grep -v -e 'b'": "a/", "echo a/ | grep -v 'b' | grep -v c": "a/", "echo a/ | grep -v '^b'": "", "echo a/ | grep b": "",
		"echo /a/b/ | sed 's#/$##'": "/a/b", `echo /a | sed 's\#/$\#\#'`: "/a", "echo /a/ | sed 's#a#b#'": "",
		"echo /a/ | sed -e 's:/*$::'": "/a", `echo /a/ | sed 's/\/*$//'`: "/a", "echo /a/ | sed 's//$//'": "", "echo /a/ | sed 's#/$#b#'": "", "echo /a/ | X=1": "",
		"v=1; known a":                     Root + "/sub[known a]",
		"[ -d there ] && echo a || echo b": "a", "[ -d none ] && echo a || echo b": "b", "[ -d $X ] && echo a || echo b": "", "[ -d /none ] && echo a || echo b": "",
		"test -e there || echo a; echo b": "b", "test -f none || echo a": "a",
		"command -v gen || echo \"$(go env GOPATH)/bin/gen\"": "gen", "which gen || true": "gen", "which gen": "",
	} {
		out, ok := Output(src, Root+"/sub", other)
		if assert.Equal(t, want != "", ok, src); ok {
			assert.Equal(t, want, out, src)
		}
	}
}

func FuzzReadCall(f *testing.F) {
	f.Add("f() { f $1; g; }\ng() { f \"$@\"; }\nf a\n", "a")
	f.Add("for f in $1*; do for g in $f $f $f; do source $g; eval $f; done; done > $f\n", "x y")
	f.Add("if [ -z \"${A:=$1}\" ]; then A+=$A; elif [[ -n $(pwd) ]]; then B=$A$A; fi\n${A[@]} $B", "{a,b}{c,d}")
	f.Fuzz(func(t *testing.T, src, arg string) {
		s := ReadCall(Root+"/x.sh", src, Root, Call{Args: []string{arg, arg}, Env: map[string]string{"E": arg}, Load: func(string) (string, bool) { return src, true }})
		for _, c := range s.Commands {
			if c.Line < 1 || c.Line > 1+strings.Count(src, "\n") {
				t.Errorf("line %d of a script with %d", c.Line, 1+strings.Count(src, "\n"))
			}
		}
	})
}

// A line of a Dockerfile, of a Taskfile or of mise's TOML may have something in front of its command, and quotes around it.
func TestLines(t *testing.T) {
	for line, want := range map[string][]string{
		`RUN --mount=type=cache,target=/x gen a`: {"gen", "a"},
		`      - gen a`:                          {"gen", "a"},
		`      - cmd: gen a`:                     {"gen", "a"},
		`    cmd: "gen x=\"a b\""`:               {"gen", "x=a b"},
		`run = 'gen paths="./..."'`:              {"gen", "paths=./..."},
		`gen 'a' b 'c'`:                          {"gen", "a", "b", "c"},
	} {
		commands := Read(Lines, Root+"/mise.toml", line, Root).Commands
		if assert.Len(t, commands, 1, line) {
			assert.Equal(t, want, commands[0].Words, line)
		}
	}
}

// The variables of a Taskfile and of a justfile are those of the shell.
func TestTemplates(t *testing.T) {
	for src, want := range map[string][]string{
		"vars:\n  BIN: '{{.ROOT_DIR}}/bin'\n  GEN: '{{.BIN}}/gen'\ntasks:\n  a:\n    cmds:\n      - '{{.GEN}} x=\"{{ .NONE }}\"'": {Root + "/bin/gen", "x={{ .NONE }}"},
		"vars:\n  DIR: '{{.DIR | default \"api\"}}'\ntasks:\n  a:\n    cmds:\n      - gen {{.OTHER}} {{.ROOT_DIR}}":               {"gen", "{{.OTHER}}", Root},
		"gen := \"bin/gen\"\na:\n    {{gen}} x":                   {"bin/gen", "x"},
		"export OUT := env('OUT', 'deploy')\na:\n    gen {{OUT}}": {"gen", "deploy"},
		"tasks:\n  a:\n    vars:\n      V: 2\n  b:\n    vars:\n      V: 1\n    cmds:\n      - gen {{.V | default \"3\"}} {{.W | default \"4\"}}": {"gen", "{{.V}}", "4"},
		"tasks:\n  a:\n    vars:\n      V: 2\n      W: 3\n  b:\n    vars:\n      V: 1\n      W: 3\n    cmds:\n      - gen {{.V}} {{.W}}":         {"gen", "{{.V}}", "3"},
	} {
		all := Read(Lines, Root+"/Taskfile.yml", src, Root).Commands
		if assert.NotEmpty(t, all, src) {
			assert.Equal(t, want, all[len(all)-1].Words, src)
		}
	}
}

// A script that does not end with a command that fails goes on, but for its last one.
func TestGoesOn(t *testing.T) {
	lib := func(string) (string, bool) { return "set -o errexit\n", true }
	for src, want := range map[string]bool{
		"#!/bin/sh\ngen\nls":                         true,
		"#!/usr/bin/env bash\nset -x\ngen | tee\n:":  true,
		"#!/bin/sh\nset -e\ngen || true\nls":         true,
		"#!/bin/sh\nrun() {\n  gen\n  ls\n}\nrun\n:": true,
		"#!/bin/sh\ngen":                             false,
		"#!/bin/sh -e\ngen\nls":                      false,
		"#!/bin/bash\nset -Eeuo pipefail\ngen\nls":   false,
		"#!/bin/sh\nNO=\ngen || $NO\nls":             false,
		"#!/bin/sh\ngen || exit 1\nls":               false,
		"#!/bin/sh\ngen\n[ $? = 0 ] || exit\nls":     false,
		"#!/bin/sh\n. ./lib.sh\ngen\nls":             false,
		"gen\nls":                                    false, // a part of a file, of which the shell is not known
	} {
		for _, c := range ReadCall(Root+"/hack/x.sh", src, Root, Call{Load: lib}).Commands {
			if c.Words[0] == "gen" {
				assert.Equal(t, want, c.GoesOn, "%s", src)
			}
		}
	}
}
