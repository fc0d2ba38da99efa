// SPDX-License-Identifier: Apache-2.0

package codegen

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"

	"k8s.io/kube-openapi/pkg/validation/spec"

	"github.com/crdctl/crdctl/internal/logging"
	"github.com/crdctl/crdctl/internal/tempdir"
)

// BuiltSchema stands for the OpenAPI document that is made of the types, where a flag wants a file.
const BuiltSchema = "crdctl:build"

// BuiltReversedSchema is BuiltSchema with every name reversed up to its first slash, as config.BuildReversedSchema has it.
const BuiltReversedSchema = "crdctl:build-reversed"

// BuiltTaggedSchema is BuiltSchema without the types that openapi-gen does not define, as config.BuildTaggedSchema has it.
const BuiltTaggedSchema = "crdctl:build-tagged"

// builtSchema reports whether a flag is one of them.
func builtSchema(flag string) bool {
	return flag == BuiltSchema || flag == BuiltReversedSchema || flag == BuiltTaggedSchema
}

// WantsSchema reports whether a generator wants a document that is made of the types.
func (g Generator) WantsSchema() bool { return slices.ContainsFunc(g.Flags, builtSchema) }

// WithSchema is for a generator that runs elsewhere: it returns the generator with a file instead of BuiltSchema, and
// what removes the file.
func (p *Packages) WithSchema(g Generator) (with Generator, done func() error, err error) {
	logged, release := logging.Capture()
	defer release()
	_, err = logged.Guard(func() error {
		var err error
		with, done, err = p.withSchema(g)
		return err
	})
	return with, done, err
}

// withSchema returns the generator with a file instead of BuiltSchema, and what removes the file. Upstream reads
// nothing but files, which a program prints that is compiled with openapi-gen's code; here that code is read, not run.
func (p *Packages) withSchema(g Generator) (Generator, func() error, error) {
	at := slices.IndexFunc(g.Flags, builtSchema)
	if at < 0 {
		return g, func() error { return nil }, nil
	}
	doc, err := p.schema(g.Inputs, g.Flags[at])
	if err != nil {
		return g, nil, &SchemaError{err}
	}
	dir, err := tempdir.New(os.TempDir(), tempdir.RunPrefix)
	if err != nil {
		return g, nil, err
	}
	g.Flags = slices.Clone(g.Flags)
	g.Flags[at] = filepath.Join(dir.Path, "openapi.json")
	if err := os.WriteFile(g.Flags[at], doc, 0o600); err != nil {
		_ = dir.Remove() // the first error says more
		return g, nil, err
	}
	return g, dir.Remove, nil
}

// schema is the OpenAPI v2 document of the types that the kinds of some packages are made of; flag is what stands for it.
func (p *Packages) schema(inputs []string, flag string) ([]byte, error) {
	m, err := p.source.models(inputs, flag == BuiltReversedSchema)
	if err != nil {
		return nil, err
	}
	code, err := m.code()
	if err != nil {
		return nil, err
	}
	definitions, err := m.definitions(code)
	if err != nil {
		return nil, err
	}
	if flag == BuiltTaggedSchema {
		m.leaveUntagged(definitions)
	}
	return json.Marshal(&spec.Swagger{SwaggerProps: spec.SwaggerProps{
		Swagger:     "2.0",
		Info:        &spec.Info{InfoProps: spec.InfoProps{Title: "API", Version: "unversioned"}},
		Definitions: definitions,
	}})
}
