// SPDX-License-Identifier: Apache-2.0

package args

import (
	"cmp"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/controller-tools/pkg/applyconfiguration"
	"sigs.k8s.io/controller-tools/pkg/crd"
	"sigs.k8s.io/controller-tools/pkg/deepcopy"
	"sigs.k8s.io/controller-tools/pkg/genall"
	"sigs.k8s.io/controller-tools/pkg/markers"
	"sigs.k8s.io/controller-tools/pkg/rbac"
	"sigs.k8s.io/controller-tools/pkg/schemapatcher"
	"sigs.k8s.io/controller-tools/pkg/webhook"

	"github.com/crdctl/crdctl/internal/gen/crdform"
)

// FuzzWord has controller-tools read the same word: what one accepts, the other does, and they understand the same.
func FuzzWord(f *testing.F) {
	registry := upstream(f)
	for _, word := range []string{
		"crd", "crd:maxDescLen=0,crdVersions=v1;v2", "crd:crdVersions={v1,v2},allowDangerousTypes=true", "crd:maxDescLen=-1", "crd:maxDescLen=x", "crd:maxDescLen=0x1",
		"crd:allowDangerousTypes", "crd:trivialVersions=true", "crd:x=1", "crd=1", "crd:", "crd:=", "crd:maxDescLen=1,", "crd:maxDescLen=1,,", "crd:maxDescLen = 1", "crd:headerFile=a b,year=1 2",
		`object:headerFile="a,b",year=2026`, "object:headerFile=`a`", "object:headerFile='a'", "object:year=,headerFile=x", "object:year=", `object:headerFile="a" b`, `object:year="`,
		"object:headerFile=./a/../b.txt", "object:headerFile=a;b", "object:headerFile=a}b", "object:headerFile={}", "object:headerFile=//x", "object:headerFile=/*x",
		"rbac", "rbac:roleName=", "rbac:roleName=x,fileName=y.yaml", "webhook", "webhook:headerFile=x", "schemapatch:manifests=./a", "schemapatch",
		"applyconfiguration:externalApplyConfigurations=a.B@c;d.E@f", "applyconfiguration:externalApplyConfigurations={\"a\", b}", "applyconfiguration:externalApplyConfigurations={a",
		"paths", "paths=", "paths=./a;./b", "paths=a,b", "paths={a,b}", "paths={a,b}c", "paths={}", "paths:x=a", "paths=./...", "paths=;", "paths=a;", "paths=../x y",
		"output:dir=x", "output:dir=", "output:dir", "output:crd:dir=x", "output:crd:dir:x=y", "output:none", "output:none=x", "output:stdout", "output:artifacts", "output:artifacts:config=x,code=y",
		"output:crd:artifacts:code=y", "output:crd:artifacts:config=", "output:foo:dir=x", "output:crd:foo", "output", "+crd", "++crd", "object:paths=x", "object:year=+", "object:year=\t1",
	} {
		f.Add(word)
	}
	f.Fuzz(func(t *testing.T, word string) {
		if word == "" || strings.HasPrefix(word, "-") {
			return // not a marker
		}
		raw := word
		if raw[0] != '+' {
			raw = "+" + raw
		}
		var want any
		definition := registry.Lookup(raw, markers.DescribesPackage)
		err := fmt.Errorf("unknown option")
		if definition != nil {
			want, err = definition.Parse(raw)
		}
		p := &parser{rules: map[string]rule{}}
		if got := cmp.Or(p.word(word), Check(p.call, crdform.Version)); err != nil {
			require.Error(t, got, "controller-tools says: %v", err)
			return
		} else {
			require.NoError(t, got)
		}
		c := p.call
		switch want := want.(type) {
		case genall.InputPaths:
			assert.Equal(t, append([]string(nil), want...), c.Paths)
		case deepcopy.Generator:
			assert.Equal(t, want, deepcopy.Generator{HeaderFile: c.Object.HeaderFile, Year: c.Object.Year})
		case crd.Generator:
			g := c.CRD
			assert.Equal(t, want, crd.Generator{
				IgnoreUnexportedFields: g.IgnoreUnexportedFields, AllowDangerousTypes: g.AllowDangerousTypes, MaxDescLen: g.MaxDescLen, CRDVersions: g.CRDVersions,
				GenerateEmbeddedObjectMeta: g.GenerateEmbeddedObjectMeta, HeaderFile: g.HeaderFile, Year: g.Year,
				DeprecatedV1beta1CompatibilityPreserveUnknownFields: g.PreserveUnknownFieldsCompat, OmitToolVersion: g.OmitToolVersion,
			})
		case rbac.Generator:
			assert.Equal(t, want, rbac.Generator{RoleName: c.RBAC.RoleName, FileName: c.RBAC.FileName, HeaderFile: c.RBAC.HeaderFile, Year: c.RBAC.Year})
		case webhook.Generator:
			assert.Equal(t, want, webhook.Generator{HeaderFile: c.Webhook.HeaderFile, Year: c.Webhook.Year})
		case schemapatcher.Generator:
			g := c.SchemaPatch
			assert.Equal(t, want, schemapatcher.Generator{ManifestsPath: g.Manifests, MaxDescLen: g.MaxDescLen, GenerateEmbeddedObjectMeta: g.GenerateEmbeddedObjectMeta})
		case applyconfiguration.Generator:
			g := c.ApplyConfiguration
			assert.Equal(t, want, applyconfiguration.Generator{HeaderFile: g.HeaderFile, ExternalApplyConfigurations: g.ExternalApplyConfigurations, OmitToolVersion: g.OmitToolVersion})
		case genall.OutputRule:
			assert.True(t, p.defaultRule != nil || len(p.rules) == 1)
		default:
			t.Errorf("%T", want)
		}
	})
}

// upstream is the registry that controller-gen has in its package main.
func upstream(t testing.TB) *markers.Registry {
	registry := &markers.Registry{}
	require.NoError(t, genall.RegisterOptionsMarkers(registry))
	rules := map[string]genall.OutputRule{"dir": genall.OutputToDirectory(""), "none": genall.OutputToNothing, "stdout": genall.OutputToStdout, "artifacts": genall.OutputArtifacts{}}
	register := func(name string, value any) {
		require.NoError(t, registry.Register(markers.Must(markers.MakeDefinition(name, markers.DescribesPackage, value))))
	}
	for name, g := range map[string]genall.Generator{
		"crd": crd.Generator{}, "rbac": rbac.Generator{}, "object": deepcopy.Generator{}, "applyconfiguration": applyconfiguration.Generator{},
		"webhook": webhook.Generator{}, "schemapatch": schemapatcher.Generator{},
	} {
		register(name, g)
		for rule, value := range rules {
			register("output:"+name+":"+rule, value)
		}
	}
	for rule, value := range rules {
		register("output:"+rule, value)
	}
	return registry
}
