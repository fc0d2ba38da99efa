// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/trace"
)

func decode(t testing.TB, s string) any {
	t.Helper()
	var v any
	require.NoError(t, json.Unmarshal([]byte(s), &v), s)
	return v
}

func encode(t testing.TB, v any) string {
	t.Helper()
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	require.NoError(t, e.Encode(v))
	return strings.TrimSpace(b.String())
}

var deployments = Target{Group: "apps", Resource: "deployments"}

const widgetCRD = `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","spec":{"group":"example.com",
	"names":{"plural":"widgets","kind":"Widget"},"versions":[{"name":"v1","schema":{"openAPIV3Schema":{"properties":{"spec":{"properties":{
	"login":{"type":"string","format":"password"},"size":{"type":"integer"},
	"users":{"type":"array","items":{"properties":{"pin":{"type":"string","format":"password"}}}},
	"accounts":{"type":"object","additionalProperties":{"type":"string","format":"password"}},
	"codes":{"type":"array","items":{"type":"string","format":"password"}}}}}}}}]}}`

var crds = Target{Group: "apiextensions.k8s.io", Resource: "customresourcedefinitions"}
var widgets = Target{Group: "example.com", Resource: "widgets"}

// Each place holds MARKER, or its Base64 form where it says B64; nothing of it may be left. What is else in the object is.
var places = []struct {
	name   string
	target Target
	body   string
	keeps  string
}{
	{"data", secrets, `{"data":{"a":"B64"},"metadata":{"name":"KEPT"}}`, "KEPT"},
	{"data that is not Base64", secrets, `{"data":{"a":"MARKER"}}`, `"a"`},
	{"stringData", secrets, `{"stringData":{"a":"MARKER"},"type":"KEPT"}`, "KEPT"},
	{"data of another form", secrets, `{"data":["MARKER"],"stringData":{"a":{"b":["MARKER"]}}}`, "data"},
	{"list of Secrets", secrets, `{"kind":"SecretList","items":[{"data":{"a":"B64"}},{"stringData":{"a":"MARKER"}}]}`, "items"},
	{"last applied Secret", secrets, `{"metadata":{"annotations":{"kubectl.kubernetes.io/last-applied-configuration":"{\"stringData\":{\"a\":\"MARKER\"}}","x":"KEPT"}}}`, "KEPT"},
	{"other copy of a Secret", secrets, `{"metadata":{"annotations":{"tool/copy":" {\"a\":\"MARKER\"}"}}}`, "tool/copy"},
	{"JSON patch of a Secret", secrets, `[{"op":"add","path":"/data/a","value":"B64"},{"op":"add","path":"/stringData","value":{"a":"MARKER"}},{"op":"replace","path":"/metadata/annotations","value":{"a":"MARKER"}},{"op":"add","path":"/metadata/labels/a","value":"KEPT"}]`, "KEPT"},
	{"JSON patch that replaces a Secret", secrets, `[{"op":"replace","path":"","value":{"data":{"a":"B64"},"metadata":{"name":"KEPT"}}}]`, "KEPT"},
	{"Secret in a hook's answer", Target{}, `{"children":[{"apiVersion":"v1","kind":"Secret","metadata":{"name":"KEPT"},"stringData":{"a":"MARKER"}}]}`, "KEPT"},
	{"list in a list", Target{}, `{"apiVersion":"v1","kind":"List","items":[{"apiVersion":"v1","kind":"SecretList","items":[{"data":{"a":"B64"}}]}]}`, "items"},
	{"Secret in a custom resource", widgets, `{"spec":{"resources":[{"apiVersion":"v1","kind":"Secret","data":{"a":"B64"}}],"size":"KEPT"}}`, "KEPT"},
	{"environment", deployments, `{"spec":{"template":{"spec":{"containers":[{"env":[{"name":"DB_PASSWORD","value":"MARKER"},{"name":"MODE","value":"KEPT"}]}]}}}}`, "KEPT"},
	{"environment, other names", deployments, `{"spec":[{"name":"apiToken","value":"MARKER"},{"name":"secret","value":{"a":"MARKER"}},{"name":"SSH_KEY_1","value":"MARKER"},{"name":"x","value":"KEPT"}]}`, "KEPT"},
	{"environment as a map", widgets, `{"spec":{"env":{"GITHUB_TOKEN":"MARKER","MODE":"KEPT"}}}`, "KEPT"},
	{"last applied environment", deployments, `{"metadata":{"annotations":{"kubectl.kubernetes.io/last-applied-configuration":"{\"spec\":{\"env\":[{\"name\":\"A_KEY\",\"value\":\"MARKER\"},{\"name\":\"a\",\"value\":\"KEPT\"}]}}"}}}`, "KEPT"},
	{"last applied, cut off", deployments, `{"metadata":{"name":"KEPT","annotations":{"kubectl.kubernetes.io/last-applied-configuration":"{\"env\":[{\"name\":\"A_KEY\",\"value\":\"MARKER"}}}`, "KEPT"},
	{"JSON patch of an environment", deployments, `[{"op":"replace","path":"/spec/template/spec/containers/0/env/0/value","value":"MARKER"},{"op":"add","path":"/spec/env/-","value":{"name":"A_KEY","value":"MARKER"}},{"op":"add","path":"/spec/x","value":"KEPT"}]`, "KEPT"},
	{"JSON patch of annotations", deployments, `[{"op":"add","path":"/metadata/annotations/kubectl.kubernetes.io~1last-applied-configuration","value":"{\"env\":[{\"name\":\"A_KEY\",\"value\":\"MARKER\"}]}"},{"op":"add","path":"/metadata/annotations","value":{"kubectl.kubernetes.io/last-applied-configuration":"MARKER","x":"KEPT"}}]`, "KEPT"},
	{"password", widgets, `{"spec":{"login":"MARKER","size":"KEPT"}}`, "KEPT"},
	{"passwords in arrays and maps", widgets, `{"spec":{"users":[{"name":"KEPT","pin":"MARKER"}],"accounts":{"a":"MARKER"},"codes":["MARKER"]}}`, "KEPT"},
	{"passwords in a list", widgets, `{"items":[{"spec":{"login":"MARKER","size":"KEPT"}}]}`, "KEPT"},
	{"password in a hook's question", Target{}, `{"parent":{"apiVersion":"example.com/v1","kind":"Widget","spec":{"login":"MARKER","size":"KEPT"}}}`, "KEPT"},
	{"last applied password", widgets, `{"metadata":{"annotations":{"kubectl.kubernetes.io/last-applied-configuration":"{\"apiVersion\":\"example.com/v1\",\"kind\":\"Widget\",\"spec\":{\"login\":\"MARKER\",\"size\":\"KEPT\"}}"}}}`, "KEPT"},
	{"JSON patch of a password", widgets, `[{"op":"add","path":"/spec/login","value":"MARKER"},{"op":"add","path":"/spec/users/0","value":{"pin":"MARKER"}},{"op":"add","path":"/spec/codes/-","value":"MARKER"},{"op":"add","path":"/spec","value":{"login":"MARKER","size":"KEPT"}}]`, "KEPT"},
	{"token request", Target{Resource: "serviceaccounts", Subresource: "token"}, `{"status":{"token":"MARKER"}}`, ""},
	{"token review", Target{Group: "authentication.k8s.io", Resource: "tokenreviews"}, `{"spec":{"token":"MARKER"}}`, ""},
	{"certificate signing request", Target{Group: "certificates.k8s.io", Resource: "certificatesigningrequests"}, `{"spec":{"request":"B64"}}`, ""},
	{"token in a list", Target{}, `{"items":[{"apiVersion":"authentication.k8s.io/v1","kind":"TokenReview","spec":{"token":"MARKER"},"metadata":{"name":"KEPT"}}]}`, "KEPT"},
	{"ConfigMap", configMaps, `{"data":{"a":"MARKER"},"binaryData":{"a":"B64"},"metadata":{"name":"KEPT"}}`, "KEPT"},
}

// Each of these lines, as printed by a controller, holds MARKER.
var lines = []string{
	"calling with Bearer MARKER-MARKER KEPT",
	"curl -H \"Authorization: Bearer MARKERMARKER\" KEPT",
	"authorization: basic MARKERMARKER KEPT",
	`headers map[Authorization:[Bearer MARKERMARKER] Accept:KEPT]`,
	"new line\neyJhbGciOi.MARKERMARKER.MARKERMARKER_x KEPT",
	"read -----BEGIN RSA PRIVATE KEY-----\nMARKER\n-----END RSA PRIVATE KEY----- KEPT",
	"read -----BEGIN PRIVATE KEY-----\nMARKER",
	"credential <MARKER&co> refused, KEPT",
	"goroutine 1:\n\t/home/MARKER/src/main.go:12 KEPT",
	"open /home/MARKER: permission denied, KEPT",
}

// refusals are answers of the API server, which a controller repeats.
var refusals = []string{
	`spec.login: Invalid value: "MARKER": too short`,
	`spec.login: Invalid value: "a\"MARKER\\": too short`,
	`[spec.size: Invalid value: 3: too low, spec.login: Unsupported value: "MARKER": supported values: "a"]`,
	`spec.users[1]: Duplicate value: {"name":"a","login":"MARKER"}`,
	`spec.users: Invalid value: main.User{Name:"a", PIN:"MARKER"}: no`,
	`spec.login: Invalid value: "MARKER`,
	`spec.login: Invalid value: `,
}

func redactor(marker string) *Redactor {
	r := New(Options{Home: "/home/" + marker, ConfigMaps: true})
	r.Hide("<" + marker + "&co>")
	r.Hide("")
	return r
}

// record puts a marker in each place, and returns the recording's file, unzipped.
func record(t testing.TB, dir, marker string) string {
	t.Helper()
	r := redactor(marker)
	require.NotNil(t, r.Object(crds, decode(t, widgetCRD)))
	path := filepath.Join(dir, "x.crdctl.gz")
	rec, err := trace.New(trace.Options{File: path, Redact: r.Line, RedactBody: r.Body, Header: trace.Header{Redacted: r.Rules()}})
	require.NoError(t, err)
	require.NoError(t, rec.Begin())
	fill := strings.NewReplacer("MARKER", marker, "B64", base64.StdEncoding.EncodeToString([]byte(marker))).Replace
	for _, p := range places {
		var body json.RawMessage
		if v := r.Object(p.target, decode(t, fill(p.body))); v != nil {
			body = json.RawMessage(encode(t, v))
		}
		rec.Add(&trace.Version{Type: p.name, Full: body})
	}
	for _, l := range lines {
		rec.Add(&trace.Log{Message: fill(l)})
	}
	rec.Add(&trace.Request{Message: r.Message(widgets, fill(`spec.login: Invalid value: "MARKER": too short`))})
	for _, message := range refusals {
		message = fill(message)
		rec.Add(&trace.Log{Message: message})
		rec.Add(&trace.Log{Message: fmt.Sprintf("E1123 x.go:1] %q err=%q", "failed", message)})
		rec.Add(&trace.Log{Message: "failed", Attrs: map[string]any{"error": message, "all": []any{message}}})
		rec.Add(&trace.Reconcile{Err: message})
		rec.Add(&trace.Hook{Stderr: message})
		rec.Add(&trace.Request{Message: r.Message(widgets, message)})
		rec.Add(&trace.Request{Message: r.Message(Target{}, message)})
		rec.Add(&trace.Request{Message: r.Message(secrets, message)})
	}
	question := json.RawMessage(fill(`{"parent":{"apiVersion":"example.com/v1","kind":"Widget","spec":{"login":"MARKER","size":"KEPT"}}}`))
	answer := json.RawMessage(fill(`{"children":[{"apiVersion":"v1","kind":"Secret","stringData":{"a":"MARKER"}}]}`))
	rec.Add(&trace.Hook{Question: question, Answer: answer, Stderr: fill("Bearer MARKERMARKER")})
	rec.Add(&trace.Hook{Answer: json.RawMessage(fill(`{"name":"PASSWORD","value":"MARKER`))})
	rec.Add(&trace.Admission{Patch: json.RawMessage(fill(`[{"op":"add","path":"/spec/env/-","value":{"name":"A_KEY","value":"MARKER"}}]`))})
	rec.Add(&trace.Log{Message: "KEPT", Attrs: map[string]any{"n": 1.0, "secret": decode(t, fill(`{"apiVersion":"v1","kind":"Secret","data":{"a":"B64"}}`))}})
	require.NoError(t, rec.Close())
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	z, err := gzip.NewReader(bytes.NewReader(b))
	require.NoError(t, err)
	all, err := io.ReadAll(z)
	require.NoError(t, err)
	return string(all)
}

func TestNothingSecretIsInTheFile(t *testing.T) {
	const marker = "zkqXw7vJp2"
	b64 := strings.TrimRight(base64.StdEncoding.EncodeToString([]byte(marker)), "=")[:12]
	kept := 0
	for l := range strings.Lines(record(t, t.TempDir(), marker)) {
		assert.NotContains(t, l, marker)
		assert.NotContains(t, l, b64)
		kept += min(1, strings.Count(l, "KEPT"))
	}
	want := len(lines) - 1 + 2 // a key that does not end takes the rest of its line with it; a hook and a line have objects
	for _, p := range places {
		want += strings.Count(p.keeps, "KEPT")
	}
	assert.Equal(t, want, kept, "lines that keep what is not secret")
}

func FuzzRedaction(f *testing.F) {
	f.Add("zkqXw7vJp2")
	f.Add("01234567890123456789")
	f.Add("10000000") // JSON, but not an object
	word := regexp.MustCompile(`^[A-Za-z0-9]{8,40}$`)
	f.Fuzz(func(t *testing.T, marker string) {
		if !word.MatchString(marker) || strings.Contains(widgetCRD+strings.Join(lines, ""), marker) || strings.HasPrefix(marker, "redacted") {
			return
		}
		if strings.Contains(record(t, t.TempDir(), marker), marker) {
			t.Errorf("%q is in the file", marker)
		}
	})
}

// Equal values are equal after redaction, however they are written, and only within one recording.
func TestEqualValuesStayEqual(t *testing.T) {
	r := New(Options{})
	of := func(r *Redactor, s string) string {
		return Value.FindString(encode(t, r.Object(secrets, decode(t, s))))
	}
	a := of(r, `{"data":{"a":"aHVudGVyMg=="}}`)
	assert.Regexp(t, "^redacted:7:[0-9a-f]{8}$", a)
	assert.Equal(t, a, of(r, `{"stringData":{"b":"hunter2"}}`))
	assert.Equal(t, a, of(r, `{"stringData":{"b":"`+a+`"}}`), "what is redacted already stays")
	assert.NotEqual(t, a, of(r, `{"stringData":{"b":"hunter3"}}`))
	assert.NotEqual(t, a, of(New(Options{}), `{"data":{"a":"aHVudGVyMg=="}}`))
}

// What is not secret stays as it is.
func TestRestIsKept(t *testing.T) {
	r := New(Options{Project: "/src/p", Home: "/home/me"})
	for _, o := range []string{
		`{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"annotations":{"kubectl.kubernetes.io/last-applied-configuration":"{ \"a\": 1 }"}},"spec":{"replicas":3}}`,
		`{"kind":"Secret","apiVersion":"example.com/v1","data":{"a":"b"}}`,
		`{"env":[{"name":"A","value":"b"},{"name":"PASSWORD","valueFrom":{"secretKeyRef":{"key":"a","name":"b"}}}]}`,
	} {
		assert.Equal(t, encode(t, decode(t, o)), encode(t, r.Object(deployments, decode(t, o))))
	}
	assert.Equal(t, "b", r.Object(configMaps, decode(t, `{"data":{"a":"b"}}`)).(map[string]any)["data"].(map[string]any)["a"])
	for _, l := range []string{
		`the bearer token is wrong`, `a bearer of news`, `/src/pp/x /mnt/src/p /home/me2`, `eyJ is how a JWT begins`, `Authorization: ok`,
		`controller-manager.go:12] key="default/x"`,
	} {
		assert.Equal(t, l, string(r.Line([]byte(l))))
	}
	assert.Equal(t, `"$PROJECT/main.go:3 ~/x ~. /home/me2 ~"`, string(r.Line([]byte(`"/src/p/main.go:3 /home/me/x /home/me. /home/me2 /home/me"`))))
	assert.Equal(t, `x: Invalid value: "a"`, r.Message(deployments, `x: Invalid value: "a"`))
	r.Hide("a credential that is longer than thirty-two characters")
	line := []byte(`a line that has nothing of all that`)
	assert.Zero(t, testing.AllocsPerRun(100, func() { r.Line(line) }), "to look at a line must not make garbage: all records have one")
}

const deployment = `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"x","namespace":"default","uid":"u","resourceVersion":"7","labels":{"app":"x"},
	"managedFields":[{"manager":"m","operation":"Apply","fieldsV1":{"f:spec":{"f:replicas":{},"f:template":{"f:spec":{"f:containers":{"k:{\"name\":\"x\"}":{".":{},"f:image":{}}}}}}}}]},
	"spec":{"replicas":1,"selector":{"matchLabels":{"app":"x"}},"template":{"metadata":{"labels":{"app":"x"}},"spec":{"containers":[{"name":"x","image":"x:1",
	"env":[{"name":"A","value":"b"},{"name":"B","value":"c"}],"resources":{"limits":{"cpu":"1"}},"ports":[{"containerPort":80}]}]}}},
	"status":{"conditions":[{"type":"Available","status":"True","reason":"r","message":"m"},{"type":"Progressing","status":"True"}],"replicas":1}}`

func BenchmarkObject(b *testing.B) {
	r := New(Options{})
	v := decode(b, deployment)
	b.ReportAllocs()
	for b.Loop() {
		r.Object(deployments, v)
	}
}

func BenchmarkLine(b *testing.B) {
	r := New(Options{Project: "/home/me/src/p", Home: "/home/me"})
	r.Hide("0123456789abcdef")
	r.Hide("0123456789abcdee")
	line := []byte(`{"seq":4711,"t":123456789012,"k":"event","watch":"2b1c5d62-0000-4f1e-9a67-7f6f0d9f3d55","actor":3,"type":"MODIFIED","obj":17,"rv":5121,"and":"` + strings.Repeat("x", 90) + `"}`)
	b.ReportAllocs()
	b.SetBytes(int64(len(line)))
	for b.Loop() {
		r.Line(line)
	}
}

// What a message has besides values is kept, and a message that names no more than a Secret as a whole.
func TestMessage(t *testing.T) {
	r := New(Options{})
	line := `{"message":"x: Invalid value: \"a\": too short"}`
	assert.Equal(t, line, string(r.Line([]byte(line))), "no field is a password")
	r.Learn(decode(t, widgetCRD))
	assert.Regexp(t, `^\{"message":"x: Invalid value: redacted:1:[0-9a-f]{8}: too short","n":1\}$`,
		string(r.Line([]byte(`{"message":"x: Invalid value: \"a\": too short","n":1}`))))
	once := r.Message(widgets, `[x: Invalid value: 3: too low, y: Duplicate value: "a"]`)
	assert.Regexp(t, `^\[x: Invalid value: redacted:1:[0-9a-f]{8}: too low, y: Duplicate value: redacted:1:[0-9a-f]{8}\]$`, once)
	assert.Equal(t, `{"message":"`+once+`"}`, string(r.Line([]byte(`{"message":"`+once+`"}`))))
	for _, message := range []string{
		`secrets "x" not found`, `secrets "x" already exists`,
		`secrets "x" is forbidden: User "u" cannot get resource "secrets" in API group "" in the namespace "default"`,
	} {
		assert.Equal(t, message, r.Message(secrets, message))
	}
	assert.Regexp(t, "^"+Value.String()+"$", r.Message(secrets, `Secret "x" is invalid: data: Too long: may not be more than 1 byte`))
}
