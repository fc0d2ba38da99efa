package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"
)

// crd is the CRD of all sides.
//
//go:embed crd.yaml
var crd []byte

const (
	crdsPath    = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
	crdName     = "widgets.bench.example.com"
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

// install creates the CRD and waits until it is established, with no more than an API.
func (a *api) install(ctx context.Context, ended <-chan struct{}) error {
	object, err := yaml.YAMLToJSON(crd)
	if err != nil {
		return err
	}
	if err := a.insist(ctx, ended, crdsPath, object); err != nil {
		return err
	}
	return poll(ctx, ended, func(ctx context.Context) bool {
		data, err := a.client.Get().AbsPath(crdsPath, crdName).DoRaw(ctx)
		var got apiextv1.CustomResourceDefinition
		if err != nil || json.Unmarshal(data, &got) != nil {
			return false
		}
		for _, c := range got.Status.Conditions {
			if c.Type == apiextv1.Established && c.Status == apiextv1.ConditionTrue {
				return true
			}
		}
		return false
	})
}
