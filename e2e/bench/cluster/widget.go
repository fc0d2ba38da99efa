package main

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
)

// crd is the CRD of all sides.
//
//go:embed crd.yaml
var crd []byte

const (
	widgetsPath = "/apis/bench.example.com/v1/namespaces/default/widgets"
)

// widget is an object of the CRD, as JSON of a size.
func widget(n, size int) []byte {
	object := func(text string) []byte {
		data, err := json.Marshal(map[string]any{
			"apiVersion": "bench.example.com/v1", "kind": "Widget",
			"metadata": map[string]any{"name": fmt.Sprintf("widget-%05d", n)},
			"spec":     map[string]any{"size": n, "text": text},
		})
		if err != nil {
			panic(err) // of maps of strings and a number
		}
		return data
	}
	return object(strings.Repeat("x", max(0, size-len(object("")))))
}
