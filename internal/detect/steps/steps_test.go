// SPDX-License-Identifier: Apache-2.0

package steps

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/detect/repo"
)

// sequences prints what is found in an archive, from the first command named tool on.
func sequences(t *testing.T, archive string) string {
	t.Helper()
	root := t.TempDir()
	for _, f := range txtar.Parse([]byte(archive)).Files {
		name := filepath.Join(root, filepath.FromSlash(f.Name))
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		require.NoError(t, os.WriteFile(name, f.Data, 0o644))
	}
	if strings.Contains(archive, "-- build/top/Makefile --") {
		require.NoError(t, os.Symlink("build/top/Makefile", filepath.Join(root, "Makefile")))
	}
	r, err := repo.Open(root)
	require.NoError(t, err)
	found := Read(r, func(text string) bool { return strings.Contains(text, "controller-gen") })
	var b strings.Builder
	for _, s := range found.Sequences {
		fmt.Fprintf(&b, "%s generates=%t\n", s.Name, s.Generates)
		for _, step := range s.Steps {
			fmt.Fprintf(&b, "\t%s %s: %q", step.At(), strings.TrimPrefix(step.Dir, "/@"), step.Words)
			for _, name := range slices.Sorted(maps.Keys(step.Env)) {
				fmt.Fprintf(&b, " %s=%s", name, step.Env[name])
			}
			if len(step.Writes) > 0 {
				fmt.Fprintf(&b, " > %q", step.Writes)
			}
			if step.Maybe {
				b.WriteString(" maybe")
			}
			b.WriteString("\n")
		}
	}
	for _, u := range found.Unread {
		fmt.Fprintf(&b, "unread %s:%d %s\n", u.Path, u.Line, u.Text)
	}
	return b.String()
}

func TestSequences(t *testing.T) {
	for name, test := range map[string]struct{ in, want string }{
		"what a target needs runs first, once, and targets that others run are not read again": {`
-- Makefile --
generate: manifests deepcopy
	echo done
manifests: tools
	controller-gen crd
deepcopy: tools manifests
	cd api && X=1 controller-gen object
tools: ; mkdir bin
verify: generate
	git diff
`, `Makefile: generate generates=true
	Makefile:4 : ["controller-gen" "crd"]
	Makefile:6 : ["cd" "api"]
	Makefile:6 /api: ["controller-gen" "object"] X=1
	Makefile:2 : ["echo" "done"]
`},
		"recipes of which one shell runs all lines": {`
-- Makefile --
.ONESHELL:
generate:
	@cd api
	# not in the root

	controller-gen \
		object
	-controller-gen crd
`, `Makefile: generate generates=true
	Makefile:3 : ["cd" "api"]
	Makefile:6 /api: ["controller-gen" "object"]
	Makefile:8 /api: ["controller-gen" "crd"]
`},
		"functions of mage, in the directory above": {`
-- op/magefiles/magefile.go --
//go:build mage

package main

func GenerateController() error {
	fmt.Println("x", dir)
	return sh.RunV("controller-gen", ` + "`paths=\"./...\"`" + `, "output:dir="+dir)
}

func verify() { must.Command(tool, "controller-gen").Run() }
-- go.mod --
module example.com/m
`, `op/magefiles/magefile.go: GenerateController generates=true
	op/magefiles/magefile.go:6 /op: ["x" "$dir"]
	op/magefiles/magefile.go:7 /op: ["controller-gen" "paths=\"./...\"" "$"]
op/magefiles/magefile.go: verify generates=false
	op/magefiles/magefile.go:10 /op: ["$tool" "controller-gen"]
`},
		"the usual place of tools, and directories that find lists": {`
-- Makefile --
LOCALBIN := $(shell go env GOBIN)
LOCALBIN := $(if $(LOCALBIN),$(LOCALBIN),$(shell pwd)/bin)
generate:
	for mod in $(shell find modules/ -maxdepth 1 -mindepth 1 -type d); do \
		$(LOCALBIN)/controller-gen object paths="./$$mod/..." ; \
	done
-- modules/a/types.go --
// +groupName=a.example.com
package a
-- modules/b/v1/types.go --
// +groupName=b.example.com
package v1
-- modules/docs/x.txt --
`, `Makefile: generate generates=true
	Makefile:5 : ["/@/bin/controller-gen" "object" "paths=./modules/a/..."]
	Makefile:5 : ["/@/bin/controller-gen" "object" "paths=./modules/b/..."]
`},
		"a link to a makefile": {`
-- build/top/Makefile --
manifests:
	controller-gen crd
`, `build/top/Makefile: manifests generates=true
	build/top/Makefile:2 : ["controller-gen" "crd"]
`},
		"a makefile of another ending": {`
-- Makefile --
include op/op.make
-- op/op.make --
manifests:
	controller-gen crd
`, `Makefile: manifests generates=true
	op/op.make:2 : ["controller-gen" "crd"]
`},
		"a pattern rule for all targets ends": {`
-- Makefile --
generate: out.txt
	controller-gen crd
%: %.stamp
	cp $< $@
%.stamp: ; touch $@
`, `Makefile: generate generates=true
	Makefile:2 : ["controller-gen" "crd"]
`},
		"targets with other variables, by make itself": {`
-- Makefile --
DIR ?= none
manifests:
	$(MAKE) one DIR=a
	make one DIR=b
	@$(MAKE) -C sub one
one:
	controller-gen paths=./$(DIR)
`, `Makefile: manifests generates=true
	Makefile:7 : ["controller-gen" "paths=./a"]
	Makefile:7 : ["controller-gen" "paths=./b"]
`},
		"scripts with their arguments, functions and branches": {`
-- Makefile --
export OUT = config
generate:
	bash -e ./hack/gen.sh api "x y" && sh -c 'sed -i s/a/b/ out.yaml'
-- hack/gen.sh --
run() {
  controller-gen paths=./$1 output:dir=${OUT}/$2
}
: ${KEPT:=kept}
if [[ -n "$UNSET_HERE" ]]; then
  OUT=wrong
elif [ -z "$KEPT" ]; then
  OUT=wrong
fi
run "$1" crds
for f in $OUT/*.yaml; do
  { cat "$KEPT"; cat "$f"; } > "$f.tmp"
  mv "$f.tmp" "$f"
done
not_called() { controller-gen object; }
`, `Makefile: generate generates=true
	hack/gen.sh:4 : [":" "kept"]
	hack/gen.sh:7 : ["[" "-z" "kept" "]"]
	hack/gen.sh:2 : ["controller-gen" "paths=./api" "output:dir=config/crds"]
	hack/gen.sh:12 : ["cat" "kept"]
	hack/gen.sh:12 : ["cat" "config/*.yaml"]
	hack/gen.sh:12 : [">"] > ["config/*.yaml.tmp"]
	hack/gen.sh:13 : ["mv" "config/*.yaml.tmp" "config/*.yaml"]
	hack/gen.sh:15 : ["controller-gen" "object"]
	Makefile:3 : ["sed" "-i" "s/a/b/" "out.yaml"]
`},
		"a script that cannot be parsed, and one to verify": {`
-- hack/update.sh --
controller-gen crd
if
-- hack/verify.sh --
controller-gen crd
`, `hack/update.sh generates=true
	hack/update.sh:1 : ["controller-gen" "crd"]
hack/verify.sh generates=false
	hack/verify.sh:1 : ["controller-gen" "crd"]
unread hack/update.sh:2 ` + "`if` must be followed by a statement list\n"},
		"lines of go:generate": {`
-- api/doc.go --
package api

//go:generate go run example.com/controller-gen "crd:a=b c" $GOFILE
//go:generate -command x y
//go:generate mv a b
//go:generate sh -c "controller-gen rbac paths=\"./...\" output:stdout > role.yaml"
`, `api/doc.go generates=true
	api/doc.go:3 /api: ["go" "run" "example.com/controller-gen" "crd:a=b c" "doc.go"]
	api/doc.go:5 /api: ["mv" "a" "b"]
	api/doc.go:6 /api: ["controller-gen" "rbac" "paths=./..." "output:stdout"] > ["role.yaml"]
`},
		"lines of go:generate with variables of the environment": {`
-- Makefile --
DIR := crds
generate:
	@DIR="$(DIR)" OTHER= go generate -tags=generate gen.go
-- gen.go --
package main

//go:generate go run example.com/controller-gen output:dir=${DIR}/$OTHER$UNKNOWN
-- other.go --
package main

//go:generate mv a b
`, `Makefile: generate generates=true
	Makefile:3 : ["go" "generate" "-tags=generate" "gen.go"] DIR=crds OTHER=
	gen.go:3 : ["go" "run" "example.com/controller-gen" "output:dir=crds/${UNKNOWN}"]
gen.go generates=true
	gen.go:3 : ["go" "run" "example.com/controller-gen" "output:dir=${DIR}/${OTHER}${UNKNOWN}"]
`},
		"substitutions of assignments, of one word, and of nothing": {`
-- Makefile --
A := $(shell v='1.2'; echo "$${v%.*}")
B := $(shell "go list -m" x)$(shell "")$(shell)
generate:
	controller-gen crd
	test -n "$(A)$(B)" && controller-gen object
`, `Makefile: generate generates=true
	Makefile:4 : ["controller-gen" "crd"]
	Makefile:5 : ["test" "-n" "1$(shell \"go list -m\" x)"]
	Makefile:5 : ["controller-gen" "object"]
`},
		"a make with a variable of the environment, which comes before ?= and after =": {`
-- Makefile --
G = g
generate:
	controller-gen crd
	F=f G=env $(MAKE) change
change: F ?= e
change:
	mv a $(F)$(G)
`, `Makefile: generate generates=true
	Makefile:3 : ["controller-gen" "crd"]
	Makefile:7 : ["mv" "a" "fg"]
`},
		"a condition that is not decided": {`
-- Makefile --
ifeq ($(shell uname),Linux)
generate:
	controller-gen crd
endif
`, `Makefile: generate generates=true
	Makefile:3 : ["controller-gen" "crd"] maybe
`},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, test.want, sequences(t, strings.TrimPrefix(test.in, "\n")))
		})
	}
}

func TestGenerates(t *testing.T) {
	for _, name := range []string{"manifests", "generate", "gen", "gen.crds", "generate-manifests-core", "codegen-crds-all", "hack/update-3generated-crd-code.sh", "hack/crd.generate.sh", "code"} {
		assert.True(t, Generates(name), name)
	}
	for _, name := range []string{"verify-manifests", "test", "hack/verify-codegen.sh", "deploy", "controller-gen", "bin/controller-gen", "generate-docs", "update-helm", "docker-build"} {
		assert.False(t, Generates(name), name)
	}
}

// What a command changes after go generate is not what the generator makes: each form in which people call it is to be seen, and in scripts, too.
func TestGoGenerate(t *testing.T) {
	const sources = "\n-- go.mod --\nmodule example.com/m\n-- api/doc.go --\npackage api\n\n//go:generate controller-gen crd\n" +
		"-- other/doc.go --\npackage other\n\n//go:generate controller-gen object\n"
	const both, one = "crd object sed", "crd sed"
	for form, want := range map[string]string{
		"go generate ./...":                       both,
		"go generate -x -run crd ./api":           one,
		"go generate ./api/doc.go":                one,
		"go generate example.com/m/...":           both,
		"go generate $(shell go list ./...)":      both,
		"$(GO) generate ./...":                    both,
		"/usr/local/go/bin/go generate ./api/...": one,
		"go -C api generate ./...":                one,
		"go -C=api generate":                      one,
		"cd api && go generate":                   one,
	} {
		t.Run(form, func(t *testing.T) {
			got := tools(sequences(t, "-- Makefile --\nGO ?= go\ngenerate:\n\t"+form+"\n\tsed -i s/a/b/ crd.yaml\n"+sources), "Makefile: generate")
			assert.Equal(t, want, got)
		})
	}
	script := "\n-- hack/gen.sh --\ncd api && go generate ./...\nsed -i s/a/b/ crd.yaml\n"
	t.Run("script", func(t *testing.T) {
		assert.Equal(t, one, tools(sequences(t, script+sources), "hack/gen.sh"))
	})
	t.Run("script of a makefile", func(t *testing.T) {
		assert.Equal(t, one, tools(sequences(t, "-- Makefile --\ngenerate:\n\thack/gen.sh\n"+script+sources), "Makefile: generate"))
	})
}

// tools are the commands of a sequence that has been printed: what controller-gen makes, and sed.
func tools(printed, sequence string) string {
	var words []string
	in := false
	for line := range strings.Lines(printed) {
		if !strings.HasPrefix(line, "\t") {
			in = strings.HasPrefix(line, sequence+" ")
		} else if _, made, ok := strings.Cut(line, `"controller-gen" "`); in && ok {
			words = append(words, strings.TrimRight(made, "\"]\n"))
		} else if in && strings.Contains(line, `["sed"`) {
			words = append(words, "sed")
		}
	}
	return strings.Join(words, " ")
}
