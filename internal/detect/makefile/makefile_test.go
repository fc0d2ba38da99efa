// SPDX-License-Identifier: Apache-2.0

package makefile

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/assert"
)

// files answers from an archive; a shell knows what echo prints.
func files(archive *txtar.Archive) System {
	return System{
		Read: func(file string) (string, bool) {
			for _, f := range archive.Files {
				if f.Name == file {
					return string(f.Data), true
				}
			}
			return "", false
		},
		Glob: func(pattern string) (all []string) {
			for _, f := range archive.Files {
				if ok, _ := path.Match(pattern, f.Name); ok {
					all = append(all, f.Name)
				}
			}
			slices.Sort(all)
			return all
		},
		Shell: func(command, dir string) (string, bool) {
			if command == "pwd" {
				return dir, true
			}
			text, ok := strings.CutPrefix(command, "echo ")
			return text, ok
		},
	}
}

// recipes prints the rules of a makefile with their recipes as the shell gets them.
func recipes(src string) string {
	archive := txtar.Parse([]byte("-- Makefile --\n" + src))
	f := Read("Makefile", "/@", ".", files(archive))
	var b strings.Builder
	for _, r := range f.Rules {
		maybe := ""
		if r.Maybe {
			maybe = " ?"
		}
		fmt.Fprintf(&b, "%s: %s%s\n", r.Name(), strings.Join(r.Needs, " "), maybe)
		for _, line := range f.Lines(r, r.Targets[0], "", nil) {
			fmt.Fprintf(&b, "%s:%d %s\n", line.Path, line.Line, line.Text)
		}
	}
	for _, u := range f.Undecided {
		fmt.Fprintf(&b, "undecided %s:%d %s\n", u.Path, u.Line, u.Text)
	}
	for _, u := range f.Missing {
		fmt.Fprintf(&b, "missing %s:%d %s\n", u.Path, u.Line, u.Text)
	}
	return b.String()
}

// The wanted texts are those that GNU make runs, but for what only a command knows.
func TestRead(t *testing.T) {
	for name, test := range map[string]struct{ in, want string }{
		"variables are expanded where they are used, or at once": {`
A = $(B)
B := 1
C := $(B)
B := 2
x:
	echo $(A) $(C) ${A} $B $$B $(UNSET)|
`, "x: \nMakefile:7 echo 2 1 2 2 $B |\n"},
		"defaults and additions": {`
A ?= 1
A ?= 2
A += 3
B := x
B += $(A)
A += 4
x: ; echo $(A) $(B)
`, "x: \nMakefile:8 echo 1 3 4 x 1 3\n"},
		"the prefixes of a recipe, comments, continued lines": {`
x: y | z ## what it does
	@-echo a \
	  b # of the shell
# of make
	+echo c
`, "x: y z\nMakefile:3 echo a \\\n\t  b # of the shell\nMakefile:6 echo c\n"},
		"a continued value": {`
A = a \
    b \
	c # not in it
x: $(A)
`, "x: a b c\n"},
		"automatic variables": {`
out/x: a b
	echo $@ $< $^ $(@D) $(@F)
`, "out/x: a b\nMakefile:3 echo out/x a a b out x\n"},
		"functions": {`
ALL := b a
x: $(addprefix gen-,$(ALL)) $(patsubst %,%-z,$(ALL)) $(ALL:a=c) $(ALL:%=p/%)
	echo $(sort $(ALL)) $(abspath q/../r) $(notdir a/b.c) $(dir a/b.c) $(firstword $(ALL)) $(lastword $(ALL)) $(word 2,$(ALL))
	echo $(if $(ALL),yes,no)$(if ,yes,no) $(or ,o) $(and a,b) $(filter a%,$(ALL)) $(filter-out a,$(ALL)) $(subst a,e,banana)
	echo $(foreach i,$(ALL),<$(i)>) $(strip  a   b ) $(findstring a,abc) $(join a b,1 2) $(basename a.b)
`, `x: gen-b gen-a b-z a-z b c p/b p/a
Makefile:4 echo a b /@/r b.c a/ b a a
Makefile:5 echo yesno o b a b benene
Makefile:6 echo <b> <a> a b a a1 b2 a
`},
		"what the environment may set, or else": {`
TOOL = $(or ${CONTROLLER_GEN},$(BIN)/tool)
BIN = bin
x: ; $(TOOL) $(or $(GOBIN),$(CONTROLLER_GEN)) $(or $(shell uname),c)
`, "x: \nMakefile:4 bin/tool $(or $(GOBIN),$(CONTROLLER_GEN)) $(or $(shell uname),c)\n"},
		"what only a command knows stays": {`
A := $(shell uname -s)
B := $(shell pwd)/bin $(shell echo one two)
x:
	$(B) $(A) $(abspath $(A)/x) $(GOBIN) $(CONTROLLER_GEN)
`, "x: \nMakefile:5 /@/bin one two $(shell uname -s) $(shell uname -s)/x $(GOBIN) $(CONTROLLER_GEN)\n"},
		"conditions": {`
A = 1
ifeq ($(A),1)
x: a
else ifeq ($(A),2)
x: b
else
x: c
endif
ifneq "$(A)" '1'
y: a
else
y: b
endif
ifdef A
  ifndef B
z: ab
  endif
endif
`, "x: a\ny: b\nz: ab\n"},
		"a condition that cannot be decided: both branches, and the first value that is known": {`
ifeq (,$(shell go env GOBIN))
A = $(shell go env GOPATH)/bin
B = 1
x: a
else
A = known
B = 2
x: b
endif
y: ; $(A) $(B)
`, "x: a ?\nx: b ?\ny: \nMakefile:11 known 1\nundecided Makefile:2 ifeq (,$(shell go env GOBIN))\n"},
		"several lines, and calls with arguments": {`
define install
@[ -f $(1) ] || { \
go install $(2)@$(3) ;\
}
echo $(1)
endef
x:
	$(call install,$@,example.com/tool,v1)
`, "x: \nMakefile:9 [ -f x ] || { \\\ngo install example.com/tool@v1 ;\\\n}\necho x\n"},
		"included files": {`
include make/*.mk
-include none.mk
include gone.mk
x: ; $(A) $(B) $(MAKEFILE_LIST)
-- make/a.mk --
A = a
-- make/b.mk --
B := $(A)b $(lastword $(MAKEFILE_LIST))
`, "x: \nMakefile:5 a ab /@/make/b.mk /@/Makefile /@/make/a.mk /@/make/b.mk\nmissing Makefile:4 gone.mk\n"},
		"variables of a target, of the environment, and a static pattern": {`
x: A := 1
x: export B = $(A)2
x:
	echo $(A) $(B)
a.o b.o: %.o: %.c
	cc
A = 3
export C ?= 4
`, "x: \nx: \nMakefile:5 echo 1 12\na.o b.o: %.c\nMakefile:7 cc\n"},
		"what recipes set is not known": {`
x:
	$(eval DIR := $(shell mktemp -d))
	tool $(DIR)
`, "x: \nMakefile:3 $(eval DIR := $(shell mktemp -d))\nMakefile:4 tool $(DIR)\n"},
		"a variable that refers to itself": {"A = $(A)x\nx: ; $(A)\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			got := recipes(test.in)
			if test.want == "" {
				assert.Contains(t, got, "x: ")
				return
			}
			assert.Equal(t, test.want, got)
		})
	}
}

// The rules of a target are found with the variables that it has in another line, and with the pattern that matches it.
func TestRule(t *testing.T) {
	f := Read("Makefile", "/@", "sub", files(txtar.Parse([]byte("-- Makefile --\nall: gen-b\ngen-%: A = 1\ngen-%: dep-%\n\tgen $* $(A) $(X) $(CURDIR)\n"))))
	rules, stem := f.Rule("gen-b")
	assert.Equal(t, "b", stem)
	assert.Equal(t, "gen b 1 y /@/sub", f.Lines(rules[len(rules)-1], "gen-b", stem, map[string]string{"X": "y"})[0].Text)
}

func FuzzRead(f *testing.F) {
	f.Add("A = $(A)$(B)\nB := $(shell x)$(A)\ninclude Makefile *.mk\nx: ; $(call A,$(1),$(foreach a,$(A),$(A)))\n")
	f.Add("define A\n$(A)\nendef\nifeq ($(A),\nx:y:z=1\n\t$(A:%=%%)$(A:$(A)=$(A))\nelse ifdef\nendif\nendif\nelse\n")
	f.Add("x%: %.o; $@ $* $(@D)\n.ONESHELL:\nexport\nexport A\nunexport A\nundefine A\n-include $(wildcard *)\n")
	f.Add("A=1\nA+=$(A) $(A)\nA:=$(A)$(A)$(A)$(A)\nA:=$(A)$(A)$(A)$(A)\nA:=$(A)$(A)$(A)$(A)\nx:;$(subst 1,$(A),$(A))\n")
	f.Add("$(eval A := b)\n$(if $(or a,b),$(and a,),)\n$(word 99999999999999999999,a)$(word -1,a)\n(:)\n{:}=")
	f.Fuzz(func(t *testing.T, src string) {
		archive := &txtar.Archive{Files: []txtar.File{{Name: "Makefile", Data: []byte(src)}, {Name: "a.mk", Data: []byte(src)}}}
		file := Read("Makefile", "/@", ".", files(archive))
		lines := 1 + strings.Count(src, "\n")
		size := 0
		for _, r := range file.Rules {
			for _, line := range file.Lines(r, r.Targets[0], "", nil) {
				if line.Line < 1 || line.Line > lines {
					t.Errorf("line %d of a makefile with %d", line.Line, lines)
				}
				size += len(line.Text)
			}
		}
		if size > 4*maxBudget+len(src)*lines {
			t.Errorf("%d bytes of %d", size, len(src))
		}
	})
}
