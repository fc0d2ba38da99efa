// SPDX-License-Identifier: Apache-2.0

package detect

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/crdctl/crdctl/internal/detect/shell"
)

// callsIn prints the calls in a script, one a line, with sorted flags.
func callsIn(file, src string) string {
	var b strings.Builder
	s := readScript(file, src, shell.Root)
	for _, c := range s.calls {
		fmt.Fprintf(&b, "%d %s", c.line, c.name)
		var flags []string
		for name, values := range c.flags {
			flags = append(flags, fmt.Sprintf(" %s=%s", name, strings.Join(values, "|")))
		}
		slices.Sort(flags)
		fmt.Fprintf(&b, "%s %q\n", strings.Join(flags, ""), c.args)
	}
	for _, p := range s.pins {
		fmt.Fprintf(&b, "pin %s %s\n", p.version, p.source)
	}
	return b.String()
}

func TestReadScript(t *testing.T) {
	for name, test := range map[string]struct{ file, in, want string }{
		"continuations, comments, and a positional argument anywhere": {"hack/up.sh", `
kube::codegen::gen_client pkg/apis \
  --with-watch \
  --output-dir out # not in
`, "2 gen_client --output-dir=out --with-watch= [\"pkg/apis\"]\n"},
		"the directory of the script": {"hack/up.sh", `
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." >/dev/null 2>&1 && pwd -P)
OTHER=$(dirname $0)/..
kube::codegen::gen_helpers --boilerplate "${ROOT}/h.txt" "$OTHER/apis"
`, "4 gen_helpers --boilerplate=/@/h.txt [\"/@/hack/../apis\"]\n"},
		"arrays, joined and with a prefix": {"up.sh", `
in=( a/v1 \
  b/v1 )
all=( "${in[@]/#/example.com/m/}" )
"$clientgen" --input "$( IFS=$','; echo "${all[*]}" )"
deepcopy-gen "${all[@]}" "${all[@]:1}"
`, "5 client-gen --input=example.com/m/a/v1,example.com/m/b/v1 []\n" +
			"6 deepcopy-gen [\"example.com/m/a/v1\" \"example.com/m/b/v1\" \"example.com/m/b/v1\"]\n"},
		"what is not known stays": {"up.sh", `
client-gen --output-dir "$(mktemp -d)/x" --go-header-file ${H:-h.txt} "$1" ${X}
`, "2 client-gen --go-header-file=h.txt --output-dir=$(mktemp -d)/x [\"$1\" \"${X}\"]\n"},
		"pins": {"up.sh", `
V=v0.36.1
go install k8s.io/code-generator/cmd/client-gen@${V}
function deepcopy-gen() {
  go run k8s.io/code-generator/cmd/deepcopy-gen@$V "$@"
}
CODEGEN_VERSION="v0.35.2"
`, "pin v0.36.1 up.sh:3\npin v0.36.1 up.sh:5\npin v0.35.2 up.sh:7\n"},
		"a pin in a variable of make with another sign in its name": {"tools.mk", `
client-gen@v := k8s.io/code-generator/cmd/client-gen@v0.25.2
`, "pin v0.25.2 tools.mk:2\n"},
		"a here document is no script": {"up.sh", `
cat <<END
client-gen --input no
END
lister-gen --output-dir yes
`, "5 lister-gen --output-dir=yes []\n"},
		"a copy of kube_codegen.sh": {"up.sh", `
function kube::codegen::gen_client() {
  "${gobin}/client-gen" --input "$x"
}
kube::codegen::gen_client --with-applyconfig apis
`, "5 gen_client --with-applyconfig= [\"apis\"]\n"},
		"a makefile": {"Makefile", `
PKG := example.com/m
ARGS ?= --go-header-file $(CURDIR)/.header
gen:
	@echo lister-gen --no
	$(CLIENT_GEN_BINARY) \
		$(ARGS) \
		--output-pkg "$(PKG)/client" $$HOME
`, "6 client-gen --go-header-file=/@/.header --output-pkg=example.com/m/client [\"$HOME\"]\n"},
		"a container file": {"Dockerfile", `
ARG K8S=1.36.1
RUN go install k8s.io/code-generator/cmd/client-gen@kubernetes-$K8S && \
    true
`, "pin v0.36.1 Dockerfile:3\n"},
		"a file of tools": {"mise.toml", `
"go:k8s.io/code-generator/cmd/client-gen" = "0.36.3"
`, "pin v0.36.3 mise.toml:2\n"},
		"nothing of the machine is read": {"up.sh", `
client-gen ~/a ~root/b "$HOME" "$USER" /etc/host* {~root,c} $RANDOM ${X:=~root/d} ${X#~root} $(cat /etc/hostname) $(<up.sh) <(ls) $((X++)) ${!X} ${X@P}
`, `2 client-gen ["~/a" "~root/b" "$HOME" "$USER" "/etc/host*" "{~root,c}" "$RANDOM" "~root/d" "${X#~root}" "$(cat /etc/hostname)" "$(<up.sh)" "<(ls)" "$((X++))" "${!X}" "${X@P}"]
`},
		"two values in a word, after a loop": {"up.sh", `
for g in a b; do d=$(dirname "$g"); done
client-gen --output-dir "$(pwd)/$(basename x)"
`, "3 client-gen --output-dir=/@/x []\n"},
		"directories of subshells and pushd": {"up.sh", `
(cd a && client-gen "$PWD")
pushd b >/dev/null
client-gen "$PWD"
popd
client-gen "$PWD"
`, "2 client-gen [\"/@/a\"]\n4 client-gen [\"/@/b\"]\n6 client-gen [\"/@\"]\n"},
		"a branch does not take away what is known": {"up.sh", `
out=gen
if [[ $1 == verify ]]; then
  out=$(mktemp -d)
fi
[[ -n "$hdr" ]] || hdr=h.txt
client-gen --output-dir "${out}/x" --go-header-file "${hdr%.txt}.go.txt"
`, "7 client-gen --go-header-file=h.go.txt --output-dir=gen/x []\n"},
		"functions, loops and replacements": {"up.sh", `
gen() {
  for v in a b; do deepcopy-gen "./${v}" "${1}" "$@"; done
}
all="a:v1,v2"
conversion-gen "x ${all//:/\/} y" --extra-peer-dirs=${all#*:},${all##*,}
`, "3 deepcopy-gen [\"./a\" \"${1}\"]\n3 deepcopy-gen [\"./b\" \"${1}\"]\n6 conversion-gen --extra-peer-dirs=v1,v2,v2 [\"x a/v1,v2 y\"]\n"},
		"generate-groups.sh": {"up.sh", `
bash "${CODEGEN_PKG}"/generate-groups.sh "client,lister" example.com/m/client example.com/m/apis "g:v1,v2" --go-header-file h
`, "2 generate-groups --go-header-file=h [\"client,lister\" \"example.com/m/client\" \"example.com/m/apis\" \"g:v1,v2\"]\n"},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, test.want, callsIn(test.file, test.in), "read")
		})
	}
}

func FuzzReadScript(f *testing.F) {
	f.Add("hack/a.sh", "A=(x y)\nB=\"${A[@]/#/p}\"\nclient-gen $B $(cd x && pwd) <<E\nE\n")
	f.Add("Makefile", "A=$(A)$(A)\nx:\n\tclient-gen $(A) $(shell pwd)\n")
	f.Add("a.sh", "A=$A$A\nA+=(\"${A[@]}\" \"${A[@]}\")\nx `y` $(( 1 )) ${#A} ${A:-${A:-b}}\n")
	f.Add("a.sh", "A=(~root {1..99999999} {a,b}{a,b})\nclient-gen ${A[@]//a/${A[*]}} ${A%%*a*a*} ${A:1} ${!A*} ${A@P} ~root /* <(ls)\n")
	f.Add("a.sh", "for a in x y z; do for b in $a 1 2; do for c in $a $b; do client-gen $a$b$c; done; done; done\n")
	f.Add("Dockerfile", "ARG A=v1\nRUN --mount=x client-gen \\\n $A\n")
	f.Add("a.sh", "client-gen 'open \"$( ( \\")
	f.Fuzz(func(t *testing.T, file, src string) {
		s := readScript(file, src, shell.Root)
		for _, c := range s.calls {
			if c.line < 1 || c.line > 1+strings.Count(src, "\n") {
				t.Errorf("line %d of a script with %d", c.line, 1+strings.Count(src, "\n"))
			}
		}
	})
}
