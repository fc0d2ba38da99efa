package gotemplate

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/crdctl/crdctl/internal/loop/hook"
)

const patience = 30 * time.Second

const request = `{"controller":{"kind":"CompositeController"},"parent":{"metadata":{"name":"demo","namespace":"default"},
"spec":{"replicas":20000000,"ratio":0.5,"image":"nginx:1","ports":[80,443],"none":null}},"children":{"Pod.v1":{"a":{"status":{"phase":"Running"}}}},"related":{},"finalizing":false}`

// folder writes files: name, content, name, content.
func folder(t *testing.T, files ...string) string {
	t.Helper()
	dir := t.TempDir()
	for i := 0; i < len(files); i += 2 {
		if err := os.WriteFile(filepath.Join(dir, files[i]), []byte(files[i+1]), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func open(t *testing.T, files ...string) *Templates {
	t.Helper()
	before := runtime.NumGoroutine()
	d, err := Open(folder(t, files...), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		d.Close()
		d.Close() // again, to no effect
		for end := time.Now().Add(patience); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("%d goroutines before, %d after", before, runtime.NumGoroutine())
			}
		}
	})
	return d
}

func call(t *testing.T, d *Templates, op hook.Op) (string, error) {
	t.Helper()
	out, err := d.Call(t.Context(), hook.Call{Op: op, Kind: "CronTab", Key: "default/demo", Body: []byte(request)})
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
	if got, err := call(t, d, hook.Sync); err != nil || got != want {
		t.Errorf("got  %s\nwant %s\nerror %v", got, want, err)
	}
	if got, err := call(t, d, hook.Customize); err != nil || got != `{"relatedResources":[{"apiVersion":"v1","names":["demo"],"resource":"secrets"}]}` {
		t.Errorf("got %s, error %v", got, err)
	}
	if _, err := call(t, d, hook.Finalize); err == nil || !strings.Contains(err.Error(), "no template for finalize") {
		t.Errorf("error %v", err)
	}
	if !d.Has(hook.Sync) || !d.Has(hook.Customize) || d.Has(hook.Finalize) {
		t.Error("it has not what there are files for")
	}
	// Many at once render the same.
	var calls sync.WaitGroup
	for range 50 {
		calls.Go(func() {
			if got, err := call(t, d, hook.Sync); err != nil || got != want {
				t.Errorf("got %s, error %v", got, err)
			}
		})
	}
	calls.Wait()
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
		`{{ required "image" .parent.spec.image }}`: `"nginx:1"`,
		// What fails, with the place of it.
		`{{ .parent.spec.absent }}`:                        `error a.yaml:2:6: .parent.spec.absent is absent: give it a default`,
		`{{ .parent.spec.none }}`:                          `error a.yaml:2:6: .parent.spec.none is absent`,
		`{{ .parent.spec.absent.deep }}`:                   `error a.yaml:2:13: executing "a.yaml" at <.parent.spec.absent.deep>: nil pointer evaluating interface {}.deep; what is before`,
		`{{ required "no image" .parent.spec.absent }}`:    `error no image`,
		`{{ fail "never" }}`:                               `error never`,
		`{{ div 1 0 }}`:                                    `error integer divide by zero`,
		`{{ index .children "x" "y" }}`:                    `error a.yaml:2`,
		`"{{ .parent.spec.image }}`:                        `error a.yaml: line 2 of what it rendered is no YAML: found unexpected end of stream: "v: \"nginx:1"`,
		"x\nv: 2":                                          `error a.yaml: line 3 of what it rendered is no YAML: key "v" already set in map: "v: 2"`,
		"\n  a: 1\n b: 2":                                  `error a.yaml: line`,
		"x\n---\n- 1":                                      `error a.yaml: line 4 of what it rendered begins no object: "- 1"`,
		"x\n---\nok: 1\n---\na: b: c":                      `error a.yaml: line 6 of what it rendered is no YAML: mapping values are not allowed in this context: "a: b: c"`,
		`{{ repeat .parent.spec.replicas "x" }}`:           `error repeat less`,
		`{{ until .parent.spec.replicas }}`:                `error count less`,
		`{{ until "3" }}`:                                  `error 3 is no whole number`,
		`{{ indent 100000 "x" }}`:                          `error indent by 0 to 1000`,
		`{{ range 10000 }}{{ repeat 10000 "x" }}{{ end }}`: `error more than 8 MiB come out`,
		`{{ define "r" }}{{ template "r" . }}{{ end }}{{ template "r" . }}`: `error more than 100 deep`,
		`{{ define "i" }}{{ include "i" . }}{{ end }}{{ include "i" . }}`:   `error more than 100 deep`,
	} {
		d := open(t, "a.yaml", "k: 1\nv: "+text+"\n")
		got, err := call(t, d, hook.Sync)
		if word, ok := strings.CutPrefix(want, "error "); ok {
			if err == nil || !strings.Contains(err.Error(), word) || !strings.HasPrefix(err.Error(), d.dir+": ") {
				t.Errorf("%s: %.100s, error %v, not one with %q", text, got, err, word)
			}
		} else if err != nil || got != `{"children":[{"k":1,"v":`+want+`}]}` {
			t.Errorf("%s: %s, error %v", text, got, err)
		}
	}
}

// Nothing that depends on the clock, chance, the machine or the network can be called, and nothing that could is there under a name
// that is allowed.
func TestFunctionsThatThereAreNot(t *testing.T) {
	for _, name := range []string{"now", "date", "ago", "toDate", "randInt", "randAlphaNum", "shuffle", "uuidv4", "env", "expandenv", "getHostByName", "genCA", "bcrypt", "htpasswd", "derivePassword", "encryptAES", "osBase"} {
		if _, err := Open(folder(t, "a.yaml", "{{ "+name+" }}"), slog.New(slog.DiscardHandler)); err == nil || !strings.Contains(err.Error(), `function "`+name+`" not defined`) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	for name, f := range functions() {
		if f == nil {
			t.Errorf("%s is not in sprig", name)
		}
	}
}

func TestRenderingThatDoesNotEnd(t *testing.T) {
	d := open(t, "a.yaml", "{{ range 1000000000000 }}{{ end }}")
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("long enough")
	time.AfterFunc(50*time.Millisecond, func() { cancel(cause) })
	if _, err := d.Call(ctx, hook.Call{Op: hook.Sync, Body: []byte(request)}); !errors.Is(err, cause) {
		t.Errorf("error %v", err)
	}
	// The next rendering is not harmed by it.
	if _, err := d.Call(ctx, hook.Call{Op: hook.Sync, Body: []byte(`[]`)}); err == nil || !strings.Contains(err.Error(), "no JSON object") {
		t.Errorf("error %v", err)
	}
}

func TestFoldersThatAreRefused(t *testing.T) {
	for want, files := range map[string][]string{
		"a.yaml:2: unclosed action":                          {"a.yaml", "k: v\nx: {{ .parent"},
		"has no templates; write files *.yaml":               {"_only.yaml", "x", "README.md", "y", "customize.yaml", "[]"},
		"status.yaml and status.yml are for the same":        {"status.yaml", "", "status.yml", ""},
		"customize.tmpl and customize.yaml are for the same": {"customize.yaml", "", "customize.tmpl", ""},
	} {
		if _, err := Open(folder(t, files...), slog.New(slog.DiscardHandler)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, not %q", err, want)
		}
	}
	if _, err := Open(filepath.Join(t.TempDir(), "absent"), slog.New(slog.DiscardHandler)); err == nil || !strings.Contains(err.Error(), "--template") {
		t.Errorf("error %v", err)
	}
	for want, customize := range map[string]string{"give a list of rules": "a: 1", "no list": "relatedResources: 3", "{\"relatedResources\":[]}": "", "[{\"a\":1}]": "relatedResources: [{a: 1}]"} {
		d := open(t, "a.yaml", "", "customize.yaml", customize)
		if got, err := call(t, d, hook.Customize); !strings.Contains(got, want) && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %s, error %v", customize, got, err)
		}
	}
	d := open(t, "status.yaml", "a: 1\n---\nb: 1")
	if _, err := call(t, d, hook.Sync); err == nil || !strings.Contains(err.Error(), "a parent has one status") {
		t.Errorf("error %v", err)
	}
	d = open(t, "status.yaml", "{{ if .finalizing }}a: 1{{ end }}")
	if got, err := call(t, d, hook.Sync); err != nil || got != `{"status":{},"children":[]}` {
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
		`{{ .parent | include "d" }}`:                                true, // can't be told
	} {
		if d := open(t, "a.yaml", text, "_d.tpl", define); d.ReadsChildren() != want {
			t.Errorf("%s: %v", text, !want)
		}
	}
	if d := open(t, "a.yaml", "", "status.yaml", "{{ .children }}"); !d.ReadsChildren() {
		t.Error("the status reads them")
	}
}

type lockedBuffer struct {
	mu sync.Mutex
	bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Buffer.Write(p)
}

func (b *lockedBuffer) has(s string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return strings.Contains(b.String(), s)
}

func TestChangedOnDisk(t *testing.T) {
	dir := folder(t, "a.yaml", "v: 1")
	var log lockedBuffer
	d, err := Open(dir, slog.New(slog.NewTextHandler(&log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, "a.yaml"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	renders := func(want string) {
		t.Helper()
		if got, err := call(t, d, hook.Sync); err != nil || !strings.Contains(got, want) {
			t.Errorf("%s, error %v, not %s", got, err, want)
		}
	}
	renders(`"v":1`)
	// What does not parse changes nothing, and is said.
	write("v: {{ broken")
	for end := time.Now().Add(patience); !log.has("can't be used"); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("nothing is said of what does not parse")
		}
	}
	select {
	case <-d.Changed():
		t.Error("what does not parse is a change")
	default:
	}
	renders(`"v":1`)
	write("v: {{ add 1 1 }}")
	select {
	case <-d.Changed():
	case <-time.After(patience):
		t.Fatal("no change")
	}
	renders(`"v":2`)
}
