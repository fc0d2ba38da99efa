package main

import (
	"go/format"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestSettings(t *testing.T) {
	s, rest, err := readSettings([]string{"bin/crdctl"}, io.Discard)
	if err != nil || !slices.Equal(s.objects, []int{10000, 50000}) || s.runs != 3 || s.paced != 20*time.Second || s.burst != 5000 || len(s.sides) != len(sides) || !s.judge || !slices.Equal(rest, []string{"bin/crdctl"}) {
		t.Errorf("%+v, %v, %v", s, rest, err)
	}
	s, _, err = readSettings([]string{"-objects", "300,20", "-sides", "crdctl-whole"}, io.Discard)
	if err != nil || !slices.Equal(s.objects, []int{20, 300}) || s.most() != 300 || len(s.sides) != 1 || s.sides[0].program != "ours" {
		t.Errorf("%+v, %v", s, err)
	}
	for want, args := range map[string][]string{
		"is not a number above 1": {"-objects", "many"}, "there is no side \"x\"; there are controller-runtime": {"-sides", "x"}, "measure nothing": {"-runs", "0"}, "not defined": {"-what"},
	} {
		if _, _, err := readSettings(args, io.Discard); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", args, err)
		}
	}
}

func TestUnpack(t *testing.T) {
	dir := t.TempDir()
	if err := unpack(dir); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"controllerruntime/main.go", "samplecontroller/main.go", "harness/harness.go", "harness/main.go"} {
		source, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if formatted, err := format.Source(source); err != nil || string(formatted) != string(source) {
			t.Errorf("%s is not as gofmt writes it: %v", name, err)
		}
	}
	if tests, err := filepath.Glob(filepath.Join(dir, "*", "*_test.go")); err != nil || len(tests) > 0 {
		t.Errorf("%q, %v", tests, err)
	}
	if got := programsOf(sides); !slices.Equal(got, []string{"controllerruntime", "samplecontroller", "ours"}) {
		t.Errorf("%q", got)
	}
}
