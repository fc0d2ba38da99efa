// SPDX-License-Identifier: Apache-2.0

package composite

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/crdctl/crdctl/internal/operator/hook"
)

// decider answers what it was told to, and keeps what it was asked.
type decider struct {
	mu      sync.Mutex
	answers map[hook.Op]string // also what it has
	err     error
	calls   []hook.Call
}

func (d *decider) Has(op hook.Op) bool { _, has := d.answers[op]; return has }

func (d *decider) Call(_ context.Context, call hook.Call) ([]byte, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.calls = append(d.calls, call)
	return []byte(d.answers[call.Op]), d.err
}

func (d *decider) Changed() <-chan struct{} { return nil }

func (d *decider) Close() {}

// asked is how often a question was asked since the last time.
func (d *decider) asked(op hook.Op) (n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	var left []hook.Call
	for _, call := range d.calls {
		if call.Op == op {
			n++
		} else {
			left = append(left, call)
		}
	}
	d.calls = left
	return n
}

// foo is a parent in the namespace default. More are further fields of its metadata or, within braces, of its own.
func foo(name string, more ...string) string {
	meta, rest := fmt.Sprintf(`"name":%q,"namespace":"default","uid":"uid-%s"`, name, name), ""
	for _, each := range more {
		switch {
		case strings.HasPrefix(each, "{"):
			rest += "," + strings.TrimSuffix(strings.TrimPrefix(each, "{"), "}")
		case each != "":
			meta += "," + each
		}
	}
	if !strings.Contains(meta, "resourceVersion") {
		meta += `,"resourceVersion":"1"`
	}
	if !strings.Contains(meta, "generation") {
		meta += `,"generation":1`
	}
	return `{"apiVersion":"example.com/v1","kind":"Foo","metadata":{` + meta + `}` + rest + `}`
}

// owned is the field of the metadata of what a Foo of that name and UID controls.
func owned(name, uid string) string { return ownedBy("example.com/v1", "Foo", name, uid) }

func ownedBy(apiVersion, kind, name, uid string) string {
	return fmt.Sprintf(`"ownerReferences":[{"apiVersion":%q,"blockOwnerDeletion":true,"controller":true,"kind":%q,"name":%q,"uid":%q}]`, apiVersion, kind, name, uid)
}

// child is an object of the kind of children in the namespace default.
func child(kind Served, name string, more ...string) string {
	meta := append([]string{fmt.Sprintf(`"name":%q,"namespace":"default","uid":"uid-%s"`, name, name)}, more...)
	return fmt.Sprintf(`{"apiVersion":%q,"kind":%q,"metadata":{%s}}`, kind.apiVersion(), kind.Kind, strings.Join(meta, ","))
}

// wants is an answer with these children.
func wants(children ...string) string { return `{"children":[` + strings.Join(children, ",") + `]}` }

// bare is a child as a hook wants it.
func bare(kind Served, name string) string {
	return fmt.Sprintf(`{"apiVersion":%q,"kind":%q,"metadata":{"name":%q}}`, kind.apiVersion(), kind.Kind, name)
}

// stored is what the API server makes of what was applied.
func stored(body, version string, generation int) string {
	var content map[string]any
	if err := json.Unmarshal([]byte(body), &content); err != nil {
		panic(err)
	}
	meta := content["metadata"].(map[string]any)
	meta["uid"], meta["resourceVersion"] = "uid-"+meta["name"].(string), version
	if generation > 0 {
		meta["generation"] = generation
	}
	text, err := json.Marshal(content)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// status is an error of the API server.
func status(code int, reason string) (int, string) {
	return code, fmt.Sprintf(`{"kind":"Status","apiVersion":"v1","status":"Failure","message":"it says %s","reason":%q,"code":%d}`, reason, reason, code)
}

func notFound() (int, string) { return status(http.StatusNotFound, "NotFound") }

// expectError compares the end of an error.
func expectError(t *testing.T, err error, want string) {
	t.Helper()
	switch {
	case err == nil && want != "":
		t.Errorf("no error, want %s", want)
	case err != nil && (want == "" || !strings.HasSuffix(err.Error(), want)):
		t.Errorf("got the error %v, want %s", err, want)
	}
}
