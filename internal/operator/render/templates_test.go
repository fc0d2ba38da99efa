// SPDX-License-Identifier: Apache-2.0

package render

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const request = `{"controller":{"kind":"CompositeController"},"parent":{"metadata":{"name":"demo","namespace":"default"},
"spec":{"two":2,"replicas":20000000,"ratio":0.5,"image":"nginx:1","ports":[80,443],"none":null}},"children":{"Pod.v1":{"a":{"status":{"phase":"Running"}}}},"related":{},"finalizing":false}`

const limit = 8 << 20

// files are name, content, name, content, less those that are not templates.
func files(list ...string) map[string]string {
	all := map[string]string{}
	for i := 0; i < len(list); i += 2 {
		if Wanted(list[i]) {
			all[list[i]] = list[i+1]
		}
	}
	return all
}

func open(t *testing.T, list ...string) *Set {
	t.Helper()
	s, err := Parse(files(list...))
	require.NoError(t, err)
	return s
}

func call(s *Set) (string, error) {
	out, err := s.Sync([]byte(request), limit)
	return string(out), err
}

func TestChildrenStatusAndRelated(t *testing.T) {
	d := open(t,
		"a.yaml", "kind: A\nmetadata:\n  name: {{ .parent.metadata.name }}\n  labels: {{- include \"labels\" . | nindent 4 }}\n---\n---\n# nothing\n--- \nkind: B\nreplicas: {{ .parent.spec.replicas }}\nratio: {{ .parent.spec.ratio }}\n",
		"b.yml", "{{ range .parent.spec.ports }}\n---\nkind: Port\nport: {{ . }}\n{{ end }}",
		"c.tmpl", "{{ if .finalizing }}kind: C{{ end }}",
		"status.yaml", "running: {{ len (index .children \"Pod.v1\") }}\n",
		"customize.yaml", "- apiVersion: v1\n  resource: secrets\n  names: [{{ .parent.metadata.name }}]\n",
		"_labels.tpl", "{{ define \"labels\" }}app: {{ .parent.metadata.name | quote }}\nby: crdctl{{ end }}",
		"README.md", "{{ not a template", ".hidden.yaml", "{{ nor this",
	)
	want := `{"status":{"running":1},"children":[{"kind":"A","metadata":{"labels":{"app":"demo","by":"crdctl"},"name":"demo"}},{"kind":"B","ratio":0.5,"replicas":20000000},{"kind":"Port","port":80},{"kind":"Port","port":443}]}`
	if got, err := call(d); err != nil || got != want {
		t.Errorf("got  %s\nwant %s\nerror %v", got, want, err)
	}
	if got, err := d.Related([]byte(request), limit); err != nil || string(got) != `{"relatedResources":[{"apiVersion":"v1","names":["demo"],"resource":"secrets"}]}` {
		t.Errorf("got %s, error %v", got, err)
	}
	assert.Equal(t, "customize.yaml", d.Customize(), "customize")
	_, err := d.Sync([]byte(`[]`), limit)
	assert.ErrorContains(t, err, "not a JSON object")
}

func TestExpressions(t *testing.T) {
	for text, want := range map[string]string{
		`{{ .parent.spec.absent | default "d" }}`:                               `"d"`,
		`{{ .parent.spec.none | default "d" }}`:                                 `"d"`,
		`{{ dig "a" "b" "d" .parent.spec }}`:                                    `"d"`,
		`{{ if .parent.spec.absent }}x{{ else }}z{{ end }}`:                     `"z"`,
		`{{ with .parent.spec.absent }}{{ .x }}{{ else }}z{{ end }}`:            `"z"`,
		`{{ eq .parent.spec.replicas 20000000 }}`:                               `true`,
		`{{ gt .parent.spec.replicas 3 }}`:                                      `true`,
		`{{ add .parent.spec.replicas 1 }}`:                                     `20000001`,
		`{{ .parent.spec.ports | toYaml | nindent 2 }}`:                         `[80,443]`,
		`{{ .parent.spec.ports | toJson }}`:                                     `[80,443]`,
		`{{ (fromYaml "a: [1, 2]").a | toJson }}`:                               `[1,2]`,
		`{{ keys (dict "c" 1 "b" 2 "a" 3) | toJson }}`:                          `["a","b","c"]`,
		`{{ values (dict "c" 1 "b" 2 "a" 3) | toJson }}`:                        `[3,2,1]`,
		`[{{ range $i, $n := until 3 }}{{ if $i }},{{ end }}{{ $n }}{{ end }}]`: `[0,1,2]`,
		`{{ seq 3 }}`:      `"1 2 3"`,
		`{{ seq 5 -2 1 }}`: `"5 3 1"`,
		// A whole number of the request is one for functions that take an int.
		`{{ trunc .parent.spec.two "abc" }}{{ repeat .parent.spec.two "x" }}`: `"abxx"`,
		`{{ len (until .parent.spec.two) }}{{ seq .parent.spec.two }}`:        `"21 2"`,
		`{{ required "image" .parent.spec.image }}`:                           `"nginx:1"`,
		// What fails, with the place of it.
		`{{ .parent.spec.absent }}`:                     `error a.yaml:2:6: .parent.spec.absent is absent: use default`,
		`{{ .parent.spec.none }}`:                       `error a.yaml:2:6: .parent.spec.none is absent`,
		`{{ .parent.spec.absent.deep }}`:                `error a.yaml:2:13: executing "a.yaml" at <.parent.spec.absent.deep>: nil pointer evaluating interface {}.deep; the part before`,
		`{{ required "no image" .parent.spec.absent }}`: `error no image`,
		`{{ fail "never" }}`:                            `error never`,
		`{{ div 1 0 }}`:                                 `error integer divide by zero`,
		`{{ index .children "x" "y" }}`:                 `error a.yaml:2`,
		`"{{ .parent.spec.image }}`:                     `error a.yaml: line 2 of the output is not YAML: found unexpected end of stream: "v: \"nginx:1"`,
		"x\nv: 2":                                       `error a.yaml: line 3 of the output is not YAML: key "v" already set in map: "v: 2"`,
		"\n  a: 1\n b: 2":                               `error a.yaml: line`,
		"x\n---\n- 1":                                   `error a.yaml: line 4 of the output does not begin an object: "- 1"`,
		"x\n---\nok: 1\n---\na: b: c":                   `error a.yaml: line 6 of the output is not YAML: mapping values are not allowed in this context: "a: b: c"`,
		`{{ until "3" }}`:                               `error 3 is not a whole number`,
		`{{ repeat -1 "x" }}`:                           `error negative Repeat count`,
		`{{ indent "x" "y" }}`:                          `error a.yaml:2:6: executing "a.yaml" at <indent "x" "y">`,
	} {
		d := open(t, "a.yaml", "k: 1\nv: "+text+"\n")
		got, err := call(d)
		if word, ok := strings.CutPrefix(want, "error "); ok {
			assert.ErrorContains(t, err, word, "%s: %.100s, error %v, not one with %q", text, got, err, word)
		} else if err != nil || got != `{"children":[{"k":1,"v":`+want+`}]}` {
			t.Errorf("%s: %s, error %v", text, got, err)
		}
	}
}

// Nothing that depends on the clock, chance, the machine or the network can be called, and nothing that could is there under a name
// that is allowed.
func TestFunctionsThatThereAreNot(t *testing.T) {
	for _, name := range []string{"now", "date", "ago", "toDate", "randInt", "randAlphaNum", "shuffle", "uuidv4", "env", "expandenv", "getHostByName", "genCA", "bcrypt", "htpasswd", "derivePassword", "encryptAES", "osBase"} {
		_, err := Parse(files("a.yaml", "{{ "+name+" }}"))
		assert.ErrorContains(t, err, `function "`+name+`" not defined`, name)
	}
	for name, f := range functions() {
		assert.NotNil(t, f, "%s is not in sprig", name)
	}
}

// The output is bounded, also where an alias of YAML makes little text much.
func TestOutputLimit(t *testing.T) {
	for _, text := range []string{
		`v: {{ range 100 }}{{ repeat 100 "x" }}{{ end }}`,
		`{{ define "x" }}{{ repeat 9000 "x" }}{{ end }}v: {{ $x := include "x" . }}{{ len (include "x" .) }}`,
		"a: &a {{ repeat 2000 \"x\" }}\nv: [*a, *a, *a, *a, *a, *a]",
	} {
		d := open(t, "a.yaml", text)
		_, err := d.Sync([]byte(request), 9999)
		assert.ErrorIs(t, err, ErrOutput, text)
		// the next rendering begins anew
		_, err = d.Sync([]byte(request), 99_999)
		assert.NoError(t, err, text)
	}
}

func TestFoldersThatAreRefused(t *testing.T) {
	for want, list := range map[string][]string{
		"a.yaml:2: unclosed action":                         {"a.yaml", "k: v\nx: {{ .parent"},
		"no templates found; write files *.yaml":            {"_only.yaml", "x", "README.md", "y", "customize.yaml", "[]"},
		"status.yaml and status.yml render the same":        {"status.yaml", "", "status.yml", ""},
		"customize.tmpl and customize.yaml render the same": {"customize.yaml", "", "customize.tmpl", ""},
	} {
		_, err := Parse(files(list...))
		assert.ErrorContains(t, err, want)
	}
	_, err := Read(filepath.Join(t.TempDir(), "absent"))
	assert.ErrorContains(t, err, "--template")
	for want, customize := range map[string]string{"add a list of rules": "a: 1", "not a list": "relatedResources: 3", "{\"relatedResources\":[]}": "", "[{\"a\":1}]": "relatedResources: [{a: 1}]"} {
		d := open(t, "a.yaml", "", "customize.yaml", customize)
		if got, err := d.Related([]byte(request), limit); !strings.Contains(string(got), want) && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %s, error %v", customize, got, err)
		}
	}
	d := open(t, "status.yaml", "a: 1\n---\nb: 1")
	_, err = call(d)
	assert.ErrorContains(t, err, "a parent has one status")
	d = open(t, "status.yaml", "{{ if .finalizing }}a: 1{{ end }}")
	if got, err := call(d); err != nil || got != `{"status":{},"children":[]}` {
		t.Errorf("%s, error %v", got, err)
	}
}

func TestReadsChildren(t *testing.T) {
	const define = `{{ define "d" }}{{ .parent.metadata.name }}{{ end }}{{ define "c" }}{{ .children }}{{ end }}{{ define "all" }}{{ toYaml . }}{{ end }}{{ define "top" }}{{ with .parent }}{{ toYaml $ }}{{ end }}{{ end }}`
	for text, want := range map[string]bool{
		`{{ .parent.metadata.name }}`:                                false,
		`{{ with .parent }}{{ .metadata | toYaml }}{{ . }}{{ end }}`: false,
		`{{ range .parent.spec.ports }}{{ . }}{{ end }}`:             false,
		`{{ $p := .parent }}{{ $p.spec.image }}{{ $p | toYaml }}`:    false,
		`{{ $.parent.spec.image }}`:                                  false,
		`{{ include "d" . }}{{ template "d" $ }}`:                    false,
		`{{ include "all" .parent }}`:                                false,
		`{{ include "top" .parent }}`:                                false,
		`{{ template "d" }}`:                                         false,
		`{{ .children }}`:                                            true,
		`{{ $.children.x }}`:                                         true,
		`{{ if and .parent (not .children) }}{{ end }}`:              true,
		`{{ range $k, $v := .children }}{{ end }}`:                   true,
		`{{ (index .children "Pod.v1").a }}`:                         true,
		`{{ index . "children" }}`:                                   true,
		`{{ toYaml . }}`:                                             true,
		`{{ $all := . }}`:                                            true,
		`{{ with $ }}{{ .parent }}{{ end }}`:                         true,
		`{{ with .parent }}{{ toYaml $ }}{{ end }}`:                  true,
		`{{ if .finalizing }}{{ else }}{{ .children }}{{ end }}`:     true,
		`{{ include "c" . }}`:                                        true,
		`{{ template "c" . }}`:                                       true,
		`{{ include "all" . }}`:                                      true,
		`{{ include "top" . }}`:                                      true,
		`{{ include "d" (dict "root" .) }}`:                          true,
		`{{ include (print "d") .parent }}`:                          true,
		`{{ .parent | include "d" }}`:                                true, // cannot be told
	} {
		assert.Equal(t, want, open(t, "a.yaml", text, "_d.tpl", define).ReadsChildren(), "%s: %v", text, !want)
	}
	assert.True(t, open(t, "a.yaml", "", "status.yaml", "{{ .children }}").ReadsChildren(), "the status reads them")
}
