package codegen

import (
	"go/parser"
	"go/token"
	"testing"
)

// A schema with back quotes stays Go, and other files stay as they are.
func TestRequote(t *testing.T) {
	const src = "package internal\n\nvar schemaYAML = typed.YAMLObject(`default: \"`\"\nmore: ``\n`)\n"
	got, ok := requote(File{Generator: "applyconfiguration-gen", Content: []byte(src)})
	if !ok {
		t.Fatal("not requoted")
	}
	if _, err := parser.ParseFile(token.NewFileSet(), "", got, 0); err != nil {
		t.Errorf("%v in\n%s", err, got)
	}
	const want = "package internal\n\nvar schemaYAML = typed.YAMLObject(`default: \"` + \"`\" + `\"\nmore: ` + \"`\" + `` + \"`\" + `\n`)\n"
	if string(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	for _, file := range []File{{Generator: "client-gen", Content: []byte(src)}, {Generator: "applyconfiguration-gen", Content: []byte("package x\n")}} {
		if _, ok := requote(file); ok {
			t.Errorf("%s: requoted %q", file.Generator, file.Content)
		}
	}
}
