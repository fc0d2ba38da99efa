// SPDX-License-Identifier: Apache-2.0

package samples_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/crdctl/crdctl/internal/check/checktest"
	"github.com/crdctl/crdctl/internal/check/project"
	"github.com/crdctl/crdctl/internal/check/rule"
	"github.com/crdctl/crdctl/internal/check/samples"
	"github.com/crdctl/crdctl/internal/config"
)

// tree lays out a project with the CRDs of testdata/project.txtar, and with more files.
func tree(t *testing.T, files map[string]string) *project.Project {
	t.Helper()
	root := t.TempDir()
	archive, err := txtar.ParseFile("testdata/project.txtar")
	require.NoError(t, err)
	for _, f := range archive.Files {
		files[f.Name] = string(f.Data)
	}
	for name, text := range files {
		file := filepath.Join(root, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	}
	p, err := project.Open(root, &config.Project{CRDs: config.CRDs{Dir: "crds"}})
	require.NoError(t, err)
	return p
}

func TestExamples(t *testing.T) {
	checktest.Examples(t, rule.Samples, 1, func(t *testing.T, example []rule.Block) []rule.Finding {
		r, err := samples.Check(t.Context(), tree(t, map[string]string{"config/samples/x.yaml": example[0].Text}), nil)
		require.NoError(t, err)
		return r.Findings
	})
}

// Pages that "crdctl docs" wrote are not judged: docs --check compares them, and a correction would be overwritten.
func TestGeneratedPage(t *testing.T) {
	page := "```yaml\napiVersion: stable.example.com/v1\nkind: CronTab\nmetadata: {name: a}\nspec: {image: a, more: 1}\n```\n"
	r, err := samples.Check(t.Context(), tree(t, map[string]string{"docs/a.md": page, "docs/api/crontab.md": page + "\n" + samples.PageMark}), nil)
	require.NoError(t, err)
	require.Len(t, r.Findings, 1)
	assert.Equal(t, "docs/a.md", r.Findings[0].Place.File)
}

// What a project documents of a kind that only its test data has is a note: the CRD there is one example of it.
func TestKindOfTestData(t *testing.T) {
	page := "```yaml\napiVersion: %s/v1\nkind: CronTab\nmetadata: {name: a}\nspec: {image: a, more: 1}\n```\n"
	files := map[string]string{"docs/own.md": fmt.Sprintf(page, "stable.example.com"), "docs/example.md": fmt.Sprintf(page, "example.example.com")}
	p := tree(t, files)
	text := strings.ReplaceAll(files["crds/crontabs.yaml"], "stable.example.com", "example.example.com")
	example, err := project.Parse("testdata/project/config/crd/crontabs.yaml", []byte(text))
	require.NoError(t, err)
	p.CRDs = append(p.CRDs, example...)
	r, err := samples.Check(t.Context(), p, nil)
	require.NoError(t, err)
	var got []string
	for _, f := range r.Findings {
		got = append(got, f.Place.File+" "+f.Severity.String()+" "+f.Message)
	}
	assert.Equal(t, []string{"docs/example.md note the schema does not have spec.more", "docs/own.md warning the schema does not have spec.more"}, got)
}

// TestPlaces has files of all kinds: what is judged, how much it weighs, and where the findings are.
func TestPlaces(t *testing.T) {
	const head = "apiVersion: stable.example.com/v1\nkind: CronTab\nmetadata: {generateName: sample-}\n"
	p := tree(t, map[string]string{
		"config/samples/two.yaml":           head + "spec:\n  image: nginx\n---\n# second\n" + head + "spec:\n  image: nginx\n  ports:\n  - name: a\n    port: x\n  - nam: b\n    port: 1\n",
		"config/samples/list.yaml":          "apiVersion: v1\nkind: List\nitems:\n- apiVersion: stable.example.com/v1\n  kind: CronTab\n  metadata: {name: a}\n  spec:\n    image: 7\n",
		"config/samples/fill.yaml":          head + "spec:\n  image: [IMAGE]\n  replicas: <how many>\n  ports:\n  - name: a\n    port: PORT_NUMBER\n  - name: b\n    port: [80]\n  - name: c\n    port: _port_\n  - name: d\n    port: \"\" # fill me\n",
		"config/samples/kustomization.yaml": "patches:\n- path: patch.yaml\n",
		"config/samples/patch.yaml":         head + "spec: {replicas: 3}\n",
		"config/other/Kustomization":        "patches:\n- path: patch.yaml\n",
		"config/other/patch.yaml":           head + "spec: {replicas: 3}\n",
		"config/other/split.yaml":           head + "spec:\n  image: nginx\n--- next\n" + head,
		"config/other/text.yaml":            "# {{ a comment }}\n" + head + "spec: {image: \"a/{{ name }}:$TAG\", replicas: a}\n",
		"config/other/env.yaml":             head + "spec: {image: $IMAGE, replicas: a}\n",
		"test/e2e/chainsaw.yaml":            head + "spec: {image: ($image), replicas: a}\n",
		"config/other/quoted.yaml":          head + "spec: {image: '{{ image }}', replicas: a}\n",
		"charts/x/templates/a.yaml":         head + "spec: {replicas: {{ .Values.replicas }} }\n",
		"docs/page.md":                      "# Page\n\n1. Do this:\n\n   ```yaml\n   " + "apiVersion: stable.example.com/v1\n   kind: CronTab\n   metadata: {name: a}\n   spec:\n     image: nginx\n     replicas: a lot\n   ```\n\n```yaml\n" + head + "spec: ...\n```\n",
		"config/samples/named.yaml":         strings.Replace(head, "generateName: sample-", "name: NAME", 1) + "spec: {image: nginx}\n",
		"config/samples/replica.yaml":       strings.Replace(head, "generateName: sample-", "name: 'a-{{ .Replica }}'", 1) + "spec: {image: nginx}\n",
		"pkg/testutils/inputs/a.yaml":       head + "spec: {x: 1}\n",
		"pkg/lintfixtures/a.yaml":           head + "spec: {x: 1}\n",
		"test/e2e/a.yaml":                   head + "spec: {x: 1}\n", // a part of an object, for a test to compare with

		"config/samples/owned.yaml":    strings.Replace(head, "generateName: sample-", "name: a, ownerReferences: [{apiVersion: v1, kind: Node, name: a}]", 1) + "spec: {image: nginx}\n",
		"pkg/fakeData/a.yaml":          head + "spec: {x: 1}\n",
		"specs/002-config/crd/a.yaml":  head + "spec: {x: 1}\n", // what is planned
		"ci/invalidCR.yaml":            head + "spec: {}\n",
		"config/samples/broken/a.yaml": head + "spec: {}\n",
		"examples/bad-image.yaml":      head + "spec: {}\n",
		"vendor/a.yaml":                head + "spec: {}\n",
	})
	r, err := samples.Check(t.Context(), p, nil)
	require.NoError(t, err)
	var got []string
	for _, f := range rule.Sort(r.Findings) {
		got = append(got, f.Place.String()+" "+f.Severity.String()+" "+f.Rule.ID+" "+f.Message+" ("+f.Hint()+")")
	}
	assert.Equal(t, []string{
		`config/other/split.yaml:6 error sample-yaml invalid Yaml document separator: next (Correct the syntax.)`,
		`config/other/text.yaml:5:36 error sample-invalid spec.replicas must be of type integer, not string (Correct the value, or the marker or schema that forbids it.)`,
		`config/samples/fill.yaml:11:5 error sample-invalid spec.ports[1].port must be of type integer, not array (Correct the value, or the marker or schema that forbids it.)`,
		`config/samples/list.yaml:8:5 error sample-invalid spec.image must be of type string, not integer (Correct the value, or the marker or schema that forbids it.)`,
		`config/samples/owned.yaml:3:39 note sample-invalid metadata.ownerReferences[0].uid must not be empty (Add the field.)`,
		`config/samples/two.yaml:15:5 error sample-invalid spec.ports[0].port must be of type integer, not string (Correct the value, or the marker or schema that forbids it.)`,
		`config/samples/two.yaml:16:5 error sample-unknown-field the schema does not have spec.ports[1].nam (Did you mean name?)`,
		`docs/page.md:11:6 warning sample-invalid spec.replicas must be of type integer, not string (Correct the value, or the marker or schema that forbids it.)`,
		`pkg/fakeData/a.yaml:4:8 note sample-unknown-field the schema does not have spec.x (Correct the name of the field, or remove it.)`,
		`pkg/lintfixtures/a.yaml:4:8 note sample-unknown-field the schema does not have spec.x (Correct the name of the field, or remove it.)`,
		`pkg/testutils/inputs/a.yaml:4:8 note sample-unknown-field the schema does not have spec.x (Correct the name of the field, or remove it.)`,
		`specs/002-config/crd/a.yaml:4:8 note sample-unknown-field the schema does not have spec.x (Correct the name of the field, or remove it.)`,
		`test/e2e/a.yaml:4:8 note sample-unknown-field the schema does not have spec.x (Correct the name of the field, or remove it.)`,
	}, got)
	assert.Equal(t, "14 objects in 13 files, 3 skipped as examples of what is wrong, 4 templates skipped, 7 placeholders skipped", r.String())
}

// Objects are found in each form of a fenced block and in lists of their kind. What has no metadata is counted.
func TestForms(t *testing.T) {
	const object = "apiVersion: stable.example.com/v1\nkind: CronTab\nmetadata: {name: a}\nspec:\n  image: nginx\n  more: 1\n"
	in := func(first, rest, text string) string {
		return first + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n"+rest) + "\n"
	}
	block := "```yaml\n" + object + "```\n"
	p := tree(t, map[string]string{
		"a.md":                       in("Quote:\n\n> ", "> ", block) + "\nNext\n",
		"b.md":                       in("", "", strings.Replace(block, "yaml", " {.yaml}", 1)),
		"c.md":                       in("- ", "  ", block),
		"d.md":                       in("10. ", "    ", block),
		"e.md":                       "* Do:\n\n" + in("\t", "\t", block),
		"f.md":                       in("> - ", ">   ", strings.Replace(block, "yaml", "{ .yaml .numberLines }", 1)),
		"g.md":                       "```go\n" + object + "```\n\n" + in("> ", "> ", strings.ReplaceAll(block, "yaml", "text")),
		"config/samples/list.yaml":   "apiVersion: stable.example.com/v1\nkind: CronTabList\nitems:\n" + in("- ", "  ", object) + "- metadata: {name: b}\n  spec: {image: 7}\n",
		"config/samples/part.yaml":   "apiVersion: stable.example.com/v1\nkind: CronTab\nspec: {image: nginx}\n",
		"config/samples/config.yaml": "apiVersion: stable.example.com/v1\nkind: ManagerConfig\n",
	})
	r, err := samples.Check(t.Context(), p, nil)
	require.NoError(t, err)
	var got []string
	for _, f := range rule.Sort(r.Findings) {
		got = append(got, f.Place.String()+" "+f.Message)
	}
	assert.Equal(t, []string{
		"a.md:9:5 the schema does not have spec.more",
		"b.md:7:3 the schema does not have spec.more",
		"c.md:7:5 the schema does not have spec.more",
		"config/samples/list.yaml:9:5 the schema does not have spec.more",
		"config/samples/list.yaml:11:10 spec.image must be of type string, not integer",
		"d.md:7:7 the schema does not have spec.more",
		"e.md:9:4 the schema does not have spec.more",
		"f.md:7:7 the schema does not have spec.more",
	}, got)
	assert.Equal(t, "8 objects in 7 files, 1 object without a name or metadata skipped", r.String())
}

// Some files hold what the API server does not get in this form: what a program completes, kinds whose schema a kustomization patches, and
// examples that a program made.
func TestCompleted(t *testing.T) {
	const object = "apiVersion: stable.example.com/v1\nkind: CronTab\nmetadata: {name: a}\nspec: {image: 7}\n"
	weight := func(file, text string, more map[string]string) []string {
		files := map[string]string{file: text}
		maps.Copy(files, more)
		r, err := samples.Check(t.Context(), tree(t, files), nil)
		require.NoError(t, err)
		var got []string
		for _, f := range r.Findings {
			got = append(got, f.Severity.String())
		}
		return got
	}
	patch := func(what string) map[string]string {
		return map[string]string{
			"config/crd/kustomization.yaml": "patches:\n- {path: patch.yaml, target: {kind: CustomResourceDefinition, name: crontabs.stable.example.com}}\n",
			"config/crd/patch.yaml":         "- {op: replace, path: " + what + ", value: \"\"}\n",
		}
	}
	assert.Equal(t, []string{"error"}, weight("config/samples/a.yaml", object, nil))
	assert.Equal(t, []string{"error"}, weight("config/samples/a.yaml", object, patch("/metadata/labels/a")))
	assert.Equal(t, []string{"note"}, weight("config/samples/a.yaml", object, patch("/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/image/type")))
	inline := func(kustomization string) map[string]string {
		return map[string]string{"config/crd/kustomization.yaml": kustomization}
	}
	const ops, merge = "[{op: remove, path: /spec/versions/0/schema/openAPIV3Schema}]", "{kind: CustomResourceDefinition, metadata: {name: %s.stable.example.com}, spec: {versions: [{schema: {openAPIV3Schema: {}}}]}}"
	for _, patched := range []string{
		"patches:\n- patch: '" + ops + "'\n  target: {kind: CustomResourceDefinition, name: cron.*}\n",
		"patches:\n- patch: '" + ops + "'\n  target: {kind: CustomResourceDefinition}\n",
		"patches:\n- patch: '" + fmt.Sprintf(merge, "crontabs") + "'\n",
		"patchesStrategicMerge:\n- |\n  " + fmt.Sprintf(merge, "crontabs") + "\n",
	} {
		assert.Equal(t, []string{"note"}, weight("config/samples/a.yaml", object, inline(patched)), patched)
	}
	assert.Equal(t, []string{"note"}, weight("config/samples/a.yaml", object, map[string]string{
		"config/crd/kustomization.yaml": "patchesStrategicMerge: [patch.yaml]\n", "config/crd/patch.yaml": fmt.Sprintf(merge, "crontabs"),
	}))
	for _, others := range []string{
		"patches:\n- patch: '" + ops + "'\n  target: {kind: CustomResourceDefinition, name: cron}\n",
		"patches:\n- patch: '" + fmt.Sprintf(merge, "backups") + "'\n",
	} {
		assert.Equal(t, []string{"error"}, weight("config/samples/a.yaml", object, inline(others)), others)
	}
	assert.Equal(t, []string{"error"}, weight("config/samples/a.yaml", strings.Replace(object, "/v1", "/v2", 1), patch("/spec/versions/0/schema/openAPIV3Schema/type")), "no patch adds a version")
	assert.Equal(t, []string{"warning"}, weight("examples-generated/a.yaml", object, nil))
	assert.Empty(t, weight("pkg/config/a.yaml", strings.Replace(object, "{name: a}", "{creationTimestamp: null}", 1), nil))
	assert.Equal(t, []string{"error", "error"}, weight("pkg/config/a.yaml", strings.Replace(object, "{name: a}", "{name: null}", 1), nil))
	assert.Equal(t, []string{"error", "error"}, weight("pkg/config/a.yaml", strings.Replace(object, "{name: a}", "{labels: {a: b}}", 1), nil))
}

// interrupted is a context that ends after the first look at it.
type interrupted struct {
	context.Context
	looks int
}

func (c *interrupted) Err() error {
	if c.looks++; c.looks > 1 {
		return context.Canceled
	}
	return nil
}

// An object that was not judged to its end has no findings.
func TestInterrupted(t *testing.T) {
	p := tree(t, map[string]string{"config/samples/a.yaml": "apiVersion: stable.example.com/v1\nkind: CronTab\nmetadata: {name: a}\nspec: {image: 7}\n"})
	r, err := samples.Check(&interrupted{Context: t.Context()}, p, nil)
	require.ErrorIs(t, err, context.Canceled)
	assert.Empty(t, r.Findings)
	assert.Zero(t, r.Objects)
}

// A kind whose schema the API server would not take cannot be judged, and that is no verdict.
func TestSchemaThatIsRefused(t *testing.T) {
	p := tree(t, map[string]string{"config/samples/a.yaml": "apiVersion: stable.example.com/v1\nkind: Broken\nmetadata: {name: a}\n"})
	_, err := samples.Check(t.Context(), p, nil)
	assert.ErrorContains(t, err, "crds/broken.yaml:1: the samples of brokens.stable.example.com/v1 cannot be checked: the schema is not structural")

	p = tree(t, map[string]string{"config/samples/a.yaml": "apiVersion: stable.example.com/v1\nkind: Misspelt\nmetadata: {name: a}\nspec: {replicas: 2}\n"})
	r, err := samples.Check(t.Context(), p, nil)
	assert.ErrorContains(t, err, `crds/misspelt.yaml:1: the samples of misspelts.stable.example.com/v1 cannot be checked: schema.openAPIV3Schema.properties[spec].properties[replicas].type "integr" does not exist`)
	assert.Empty(t, r.Findings)
}

// What was wrong in an older state of a file is not reported again, though the file changed; what is wrong only now is.
func TestSince(t *testing.T) {
	const head = "apiVersion: stable.example.com/v1\nkind: CronTab\nmetadata: {name: a}\n"
	was := head + "spec: {image: a, more: 1}\n"
	p := tree(t, map[string]string{"config/samples/a.yaml": head + "spec: {image: a, more: 1, other: 2, replicas: x}\n", "config/samples/new.yaml": head + "spec: {image: }\n", "config/samples/other.yaml": head + "spec: {image: a, more2: 1}\n"})
	r, err := samples.Check(t.Context(), p, &samples.Since{
		Name: "main", CRDs: p.CRDs, Same: func(*project.CRD) bool { return true }, Mutates: func(string, string) bool { return false },
		Read: func(file string) ([]byte, error) {
			switch file {
			case "config/samples/a.yaml":
				return []byte(was), nil
			case "config/samples/other.yaml":
				return []byte(head + "spec: {image: a, more1: 1}\n"), nil
			}
			return nil, nil
		},
	})
	require.NoError(t, err)
	var got []string
	for _, f := range rule.Sort(r.Findings) {
		got = append(got, f.Place.File+": "+f.Message+" ("+f.Hint()+")")
	}
	assert.Equal(t, []string{
		"config/samples/a.yaml: the schema does not have spec.other (Correct the name of the field, or remove it.)",
		"config/samples/a.yaml: spec.replicas must be of type integer, not string (Correct the value, or the marker or schema that forbids it.)",
		"config/samples/new.yaml: spec.image is required (Give the field a value: it has none here, which is null.)",
		"config/samples/other.yaml: the schema does not have spec.more2 (Correct the name of the field, or remove it.)",
	}, got)
}

// What a webhook of the project set until it was removed is wrong now, in files that did not change.
func TestSinceWebhookRemoved(t *testing.T) {
	const head = "---\napiVersion: stable.example.com/v1\nkind: CronTab\nmetadata: {name: a}\nspec: "
	const text = head + "{more: 1}\n" + head + "{image: a, replicas: 11}\n"
	p := tree(t, map[string]string{"config/samples/a.yaml": text})
	for _, mutates := range []bool{true, false} {
		r, err := samples.Check(t.Context(), p, &samples.Since{
			Name: "main", CRDs: p.CRDs, Same: func(*project.CRD) bool { return true }, Mutates: func(_, plural string) bool { return mutates && plural == "crontabs" },
			Read: func(string) ([]byte, error) { return []byte(text), nil },
		})
		require.NoError(t, err)
		var got []string
		for _, f := range rule.Sort(r.Findings) {
			got = append(got, f.Severity.String()+": "+f.Message)
		}
		if !mutates {
			assert.Empty(t, got)
			assert.Equal(t, 2, r.Unchanged)
			continue
		}
		assert.Equal(t, []string{"error: spec.image is required", "error: spec.replicas must be at most 10"}, got)
	}
}

// A value that is wrong in several ways is one mistake; an object may have several.
func TestOneValue(t *testing.T) {
	files := map[string]string{"config/samples/a.yaml": "apiVersion: stable.example.com/v1\nkind: CronTab\nmetadata: {name: a}\nspec: {image: a, token: '', replicas: 11}\n"}
	p := tree(t, files)
	text := strings.Replace(files["crds/crontabs.yaml"], "image: {type: string}", `image: {type: string}
              token: {type: string, pattern: '^[a-f]+$', x-kubernetes-validations: [{rule: self.size() == 36, message: must be a UUID}, {rule: self != '', message: may not be empty}]}`, 1)
	text = strings.Replace(text, "            required: [image]", "            required: [image]\n            x-kubernetes-validations: [{rule: self.token != '', message: needs a token}, {rule: self.replicas < 5, message: needs few}]", 1)
	crds, err := project.Parse("crds/crontabs.yaml", []byte(text))
	require.NoError(t, err)
	p.CRDs = crds
	r, err := samples.Check(t.Context(), p, nil)
	require.NoError(t, err)
	var got []string
	for _, f := range rule.Sort(r.Findings) {
		got = append(got, f.Place.String()+" "+f.Rule.ID+" "+f.Message)
	}
	assert.Equal(t, []string{
		"config/samples/a.yaml:4:1 sample-rule spec: needs a token",
		"config/samples/a.yaml:4:1 sample-rule spec: needs few",
		"config/samples/a.yaml:4:18 sample-invalid spec.token should match '^[a-f]+$'; spec.token must be a UUID; spec.token: may not be empty",
		"config/samples/a.yaml:4:29 sample-rule spec.replicas must be at most 10",
	}, got)
}

// A kind of the group that a role of the project has may be one of another project.
func TestKindOfAnotherProject(t *testing.T) {
	const object = "apiVersion: stable.example.com/v1\nkind: CronTap\nmetadata: {name: a}\n"
	for marker, found := range map[string]int{"resources=crontabs;crontaps/status": 1, "resources=crontabs;crontaps": 0} {
		r, err := samples.Check(t.Context(), tree(t, map[string]string{
			"config/samples/a.yaml": object, "controller.go": "package p\n\n//+kubebuilder:rbac:groups=stable.example.com,namespace=\"a\"," + marker + ",verbs=get\nfunc Reconcile() {}\n",
		}), nil)
		require.NoError(t, err)
		assert.Len(t, r.Findings, found, marker)
	}
}
