// SPDX-License-Identifier: Apache-2.0

package postprocess_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/crdctl/crdctl/internal/gen/postprocess"
)

const generated = `---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  annotations:
    controller-gen.kubebuilder.io/version: v0.19.0
  name: orders.shop.example.com
spec:
  group: shop.example.com
  versions:
  - name: v1
    schema:
      openAPIV3Schema:
        description: Order is an order.
        properties:
          count:
            default: 1
            type: integer
        required:
        - count
        - name
        type: object
    served: true
`

// edited is what was generated with a text replaced.
func edited(old, with string) string {
	if !strings.Contains(generated, old) {
		panic(old)
	}
	return strings.ReplaceAll(generated, old, with)
}

func TestCompare(t *testing.T) {
	const count = "spec.versions[v1].schema.openAPIV3Schema.properties.count"
	for what, c := range map[string]struct {
		file  string
		how   postprocess.Relation
		lacks []string
	}{
		"as generated":              {generated, postprocess.Equal, nil},
		"without the dashes":        {strings.TrimPrefix(generated, "---\n"), postprocess.Commented, nil},
		"below a header":            {"# Copyright\n\n" + generated, postprocess.Commented, nil},
		"in a template":             {"{{- if .Values.crds }}\n" + generated + "{{- end }}\n", postprocess.Commented, nil},
		"with other line ends":      {strings.ReplaceAll(generated, "\n", "\r\n"), postprocess.Commented, nil},
		"in another order":          {edited("            default: 1\n            type: integer\n", "            type: \"integer\"\n            default: 1.0\n"), postprocess.Values, nil},
		"of another version":        {edited("v0.19.0", "v0.20.0"), postprocess.Values, nil},
		"without the annotation":    {edited("  annotations:\n    controller-gen.kubebuilder.io/version: v0.19.0\n", ""), postprocess.Values, nil},
		"annotations by a template": {edited("  annotations:\n    controller-gen.kubebuilder.io/version: v0.19.0\n", "  {{- with .Values.more }}\n  annotations:\n    {{- toYaml . | nindent 4 }}\n  {{- end }}\n"), postprocess.Values, nil},
		"with an annotation":        {edited("v0.19.0\n", "v0.19.0\n    argocd.argoproj.io/sync-options: ServerSideApply=true\n"), postprocess.More, nil},
		"with labels":               {edited("  name: orders", "  labels: {a: b}\n  name: orders"), postprocess.More, nil},
		"with a conversion":         {edited("  versions:\n", "  conversion: {strategy: Webhook}\n  versions:\n"), postprocess.More, nil},
		"with a version":            {edited("  versions:\n", "  versions:\n  - name: v0\n"), "", []string{"spec.versions[v0] is not generated"}},
		"with one more in a list":   {edited("        - name\n", "        - more\n        - name\n"), "", []string{`spec.versions[v1].schema.openAPIV3Schema.required["more"] is not generated`}},
		"with a property of before": {edited("          count:\n", "          old: {type: string}\n          count:\n"), "", []string{"spec.versions[v1].schema.openAPIV3Schema.properties.old is not generated"}},
		"with a document":           {generated + "---\nkind: Service\n", postprocess.More, nil},
		"without a property":        {edited("          count:\n            default: 1\n            type: integer\n", "          other: {}\n"), "", []string{count + " is missing"}},
		"with another type":         {edited("integer", "string"), "", []string{count + `.type is "string", and should be "integer"`}},
		"a number as a text":        {edited("default: 1", `default: "1"`), "", []string{count + `.default is "1", and should be 1`}},
		"with another description":  {edited("an order.", "something."), "", []string{`spec.versions[v1].schema.openAPIV3Schema.description is "Order is something.", and should be "Order is an order."`}},
		"with fewer in a list":      {edited("        - name\n", ""), "", []string{`spec.versions[v1].schema.openAPIV3Schema.required["name"] is missing`}},
		"with no mapping":           {edited("          count:\n            default: 1\n            type: integer\n", "          count: none\n"), "", []string{count + ` is "none", and should be a mapping`}},
		"without the version":       {edited("- name: v1", "- name: v2"), "", []string{"spec.versions[v1] is missing", "spec.versions[v2] is not generated"}},
		"nothing":                   {"", "", []string{"CustomResourceDefinition orders.shop.example.com is missing"}},
		"another document":          {"kind: Service\n---\nkind: Pod\n", "", []string{"CustomResourceDefinition orders.shop.example.com is missing"}},
		"templates in the middle":   {edited("served: true", "served: {{ .Values.served }}"), "", []string{"it is not YAML: invalid map key: map[string]interface {}{\".Values.served\":interface {}(nil)}"}},
		"the dashes in a text stay": {edited("Order is an order.", "|\n          ---\n          Order"), "", []string{`spec.versions[v1].schema.openAPIV3Schema.description is "--- Order", and should be "Order is an order."`}},
	} {
		t.Run(what, func(t *testing.T) {
			got := postprocess.Compare("crd.yaml", []byte(generated), []byte(c.file))
			assert.Equal(t, c.lacks, got.Differences)
			assert.Equal(t, c.lacks == nil, got.Fresh())
			if c.lacks == nil {
				assert.Equal(t, c.how, got.How)
			}
		})
	}
}

// The places of the differences show whether a script that changes only the form, or the metadata, can be their cause.
func TestWhereItDiffers(t *testing.T) {
	for what, c := range map[string]struct {
		file            string
		content, object bool
	}{
		"the name":                     {edited("name: orders", "name: others"), true, false},
		"a type":                       {edited("integer", "string"), true, true},
		"an element of before":         {edited("        - name\n", "        - more\n        - name\n"), true, true},
		"the white space of a text":    {edited("Order is an order.", "'Order is  an order.'"), false, false},
		"all, as it is not YAML":       {edited("served: true", "served: {{ .Values.served }}"), false, false},
		"the name in one of documents": {edited("name: orders", "labels: {}\n  name: orders") + "---\nkind: Pod\n", false, false},
	} {
		got := postprocess.Compare("crd.yaml", []byte(generated), []byte(c.file))
		assert.Equal(t, c.content, got.Content, what)
		assert.Equal(t, c.object, got.Object, what)
	}
	const two = "kind: A\nmetadata: {name: a}\nrules: [1]\n---\nkind: B\nmetadata: {name: b}\n"
	for what, c := range map[string]struct {
		file   string
		object bool
	}{
		"the names of documents": {strings.NewReplacer("name: a", "name: c", "name: b", "name: c").Replace(two), false},
		"more than the name":     {strings.NewReplacer("name: a", "name: c", "[1]", "[2]").Replace(two), true},
		"two of its kind":        {strings.Replace(two, "name: a", "name: c", 1) + "---\nkind: A\nmetadata: {name: d}\n", true},
		"one of another kind":    {strings.Replace(two, "kind: A", "kind: C", 1), true},
	} {
		got := postprocess.Compare("all.yaml", []byte(two), []byte(c.file))
		assert.True(t, got.Content, what)
		assert.Equal(t, c.object, got.Object, what)
	}
	got := postprocess.Compare("z.go", []byte("package a\n\nfunc f() {}\n"), []byte("package a\n\nfunc g() {}\n"))
	assert.True(t, got.Content && got.Object)
	assert.False(t, postprocess.Compare("z.go", []byte("package a\n\nfunc f() {}\n"), []byte("<<<<<<<\n")).Content)
}

// An empty line in a text is a part of it, however it is written.
func TestCompareText(t *testing.T) {
	const text = "spec:\n  description: |-\n    Order is an order.\n\n    It has a count of goods that are to be sent to the customer.\n"
	for what, c := range map[string]struct {
		file string
		how  postprocess.Relation
		lack string
	}{
		"folded": {"spec:\n  description: >-\n    Order is an order.\n\n\n    It has a count of goods\n    that are to be sent to the customer.\n", postprocess.Values, ""},
		"headed": {"# Copyright\n\n" + text + "\n", postprocess.Commented, ""},
		"joined": {strings.Replace(text, "\n\n", "\n", 1), "", `is "Order is an order.\nIt has a count of goods that are to be…", and should be "Order is an order.\n\nIt has a count of goods that are to b…"`},
		"other":  {strings.Replace(text, "customer", "owner", 1), "", `is "…be sent to the owner.", and should be "…be sent to the customer."`},
	} {
		t.Run(what, func(t *testing.T) {
			got := postprocess.Compare("crd.yaml", []byte(text), []byte(c.file))
			if c.lack == "" {
				assert.Equal(t, c.how, got.How)
				assert.Empty(t, got.Differences)
			} else {
				assert.Equal(t, []string{"spec.description " + c.lack}, got.Differences)
			}
		})
	}
}

func TestCompareGo(t *testing.T) {
	const code = "//go:build !ignore_autogenerated\n\n// Code generated by controller-gen. DO NOT EDIT.\n\npackage v1\n\nfunc (in *Order) DeepCopy() *Order { return nil }\n"
	assert.Equal(t, postprocess.Commented, postprocess.Compare("z.go", []byte(code), []byte("// Copyright\n\n"+code)).How)
	assert.True(t, postprocess.Compare("z.go", []byte(code), []byte("// Copyright\n\n"+code)).Fresh())
	assert.Equal(t, []string{"it differs in more than comments and the form of imports"}, postprocess.Compare("z.go", []byte(code), []byte(code+"\nfunc more() {}\n")).Differences)
}

func TestCompareImports(t *testing.T) {
	const body = "\nfunc f() { v1.F(); runtime.F() }\n"
	const vars = "package p\n\nvar a = f(1)\nvar b = []int{2}\n\nfunc f(n int) int { return (n) }\n"
	raw := "// Code generated\n\npackage p\n\nimport (\n\t\"example.com/own/v1\"\n\t\"k8s.io/runtime\"\n)\n" + body
	for what, c := range map[string]struct {
		generated, file string
		fresh           bool
	}{
		"grouped":        {raw, "package p\n\nimport (\n\t\"k8s.io/runtime\"\n\n\tv1 \"example.com/own/v1\"\n)\n" + body, true},
		"none":           {"package p\n\nimport ()\n\nfunc f() {}\n", "package p\n\nfunc f() {}\n", true},
		"spaced":         {raw, "package p\n\nimport (\n\t\"k8s.io/runtime\"\n\n\t\"example.com/own/v1\"\n)\n\nfunc f() {\n\tv1.F()\n\n\truntime.F()\n}\n", true},
		"renamed":        {raw, "package p\n\nimport (\n\t\"example.com/own/v1\"\n\tkruntime \"k8s.io/runtime\"\n)\n\nfunc f() { v1.F(); kruntime.F() }\n", true},
		"another name":   {raw, "package p\n\nimport (\n\t\"example.com/own/v1\"\n\tkruntime \"k8s.io/runtime\"\n)\n\nfunc f() { kruntime.F(); v1.F() }\n", false},
		"a field's name": {raw, "package p\n\nimport (\n\t\"example.com/own/v1\"\n\tF \"k8s.io/runtime\"\n)\n\nfunc f() { v1.F(); F.v1() }\n", false},
		"by gofumpt":     {vars, "package p\n\nvar (\n\ta = f(1)\n\tb = []int{\n\t\t2,\n\t}\n)\n\nfunc f(\n\tn int,\n) int { return (n) }\n", true},
		"another value":  {vars, "package p\n\nvar (\n\ta = f(1)\n\tb = []int{3}\n)\n\nfunc f(n int) int { return (n) }\n", false},
		"without one":    {strings.Replace(raw, "\t\"k8s.io/runtime\"\n", "", 1), "package p\n\nimport (\n\t\"example.com/own/v1\"\n\t\"k8s.io/runtime\"\n)\n" + body, true},
		"with one more":  {raw, "package p\n\nimport (\n\t\"example.com/own/v1\"\n\t\"fmt\"\n\t\"k8s.io/runtime\"\n)\n" + body, false},
		"another import": {raw, "package p\n\nimport (\n\t\"example.com/own/v2\"\n\t\"k8s.io/runtime\"\n)\n" + body, false},
		"another body":   {raw, "package p\n\nimport (\n\t\"k8s.io/runtime\"\n\n\t\"example.com/own/v1\"\n)\n" + body + "\nfunc g() {}\n", false},
		"not Go":         {raw, "imports", false},
	} {
		t.Run(what, func(t *testing.T) {
			result := postprocess.Compare("z.go", []byte(c.generated), []byte(c.file))
			assert.Equal(t, c.fresh, result.Fresh())
			if slices.Contains([]string{"spaced", "renamed", "by gofumpt"}, what) {
				assert.Equal(t, postprocess.Tokens, result.How)
			} else if c.fresh {
				assert.Equal(t, postprocess.Imports, result.How)
			}
		})
	}
}
