package main

import (
	"encoding/json"
	"go/format"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestUnpack(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "module")
	if err := unpack(dir); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"bare/main.go", "bare/etcd.go", "envtest/main.go"} {
		source, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if formatted, err := format.Source(source); err != nil || string(formatted) != string(source) {
			t.Errorf("%s is not as gofmt writes it: %v", name, err)
		}
	}
}

func TestWidget(t *testing.T) {
	object := widget(7, objectSize)
	var got struct{ Metadata struct{ Name string } }
	if err := json.Unmarshal(object, &got); err != nil || got.Metadata.Name != "widget-00007" || len(object) != objectSize {
		t.Errorf("%d bytes, %+v, %v", len(object), got, err)
	}
	if small := widget(0, 0); len(small) > 200 || !strings.Contains(string(small), `"widget-00000"`) {
		t.Errorf("%s", small)
	}
}
