// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"runtime/debug"
	"strings"
)

// bill is a bill of materials as CycloneDX 1.6 has it: https://cyclonedx.org/docs/1.6/json. It is made of what the linker wrote into the
// program, so it has the modules of that build for that platform and no others.
type bill struct {
	Format      string `json:"bomFormat"`
	SpecVersion string `json:"specVersion"`
	Version     int    `json:"version"`
	Metadata    struct {
		Component component `json:"component"`
	} `json:"metadata"`
	Components []component `json:"components"`
}

type component struct {
	Ref        string     `json:"bom-ref"`
	Type       string     `json:"type"`
	Name       string     `json:"name"`
	Version    string     `json:"version"`
	Hashes     []hash     `json:"hashes,omitempty"`
	PURL       string     `json:"purl"`
	Properties []property `json:"properties,omitempty"`
}

type hash struct {
	Algorithm string `json:"alg"`
	Content   string `json:"content"`
}

type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// billOf returns the bill of materials of a program.
func billOf(info *debug.BuildInfo, version, build string) ([]byte, error) {
	b := bill{Format: "CycloneDX", SpecVersion: "1.6", Version: 1}
	b.Metadata.Component = componentOf("application", info.Main.Path, version)
	b.Metadata.Component.Properties = []property{{"crdctl:build", build}}
	b.Components = []component{componentOf("library", "std", strings.TrimPrefix(info.GoVersion, "go"))}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		c := componentOf("library", m.Path, m.Version)
		sum, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(m.Sum, "h1:"))
		if err != nil || len(sum) == 0 {
			return nil, fmt.Errorf("module %s has the sum %q; build from a module that is not replaced", m.Path, m.Sum)
		}
		c.Hashes = []hash{{"SHA-256", hex.EncodeToString(sum)}} // of the list of its files with their sums, as in go.sum
		b.Components = append(b.Components, c)
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetIndent("", " ")
	err := enc.Encode(b)
	return out.Bytes(), err
}

func componentOf(kind, path, version string) component {
	purl := "pkg:golang/" + path + "@" + strings.ReplaceAll(version, "+", "%2B")
	return component{Ref: purl, Type: kind, Name: path, Version: version, PURL: purl}
}
