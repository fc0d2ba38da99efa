// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/operator/operatortest"
	"github.com/crdctl/crdctl/internal/safefs/safefstest"
	"github.com/crdctl/crdctl/internal/ui"
)

// bed is a controller with templates, on an API server that is a function.
type bed struct {
	*testing.T
	api *operatortest.API
	log operatortest.Log
	out bytes.Buffer
	Options
}

const (
	foos    = "/apis/example.com/v1/foos"
	maps    = "/api/v1/configmaps"
	crdPath = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/foos.example.com"

	// oneMap is a template that reads no children.
	oneMap = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ .parent.metadata.name }}\ndata:\n  count: \"1\"\n"
)

func newBed(t *testing.T) *bed {
	t.Helper()
	b := &bed{T: t, api: operatortest.NewAPI(), log: operatortest.NewLog()}
	root := t.TempDir()
	b.Options = Options{
		Config: &rest.Config{Host: "http://api.test", Transport: b.api, ContentConfig: rest.ContentConfig{ContentType: "application/json"}},
		Own:    true, Root: root, NoEvents: true, Log: slog.New(b.log), Out: &b.out, Reporter: ui.NewReporter(io.Discard),
		Loop: config.Loop{Template: "templates", Owns: []string{"v1/ConfigMap"}}.WithDefaults("demo"),
		CRDs: []*apiextv1.CustomResourceDefinition{{
			ObjectMeta: metav1.ObjectMeta{Name: "foos.example.com"},
			Spec: apiextv1.CustomResourceDefinitionSpec{
				Group: "example.com", Scope: apiextv1.NamespaceScoped, Names: apiextv1.CustomResourceDefinitionNames{Plural: "foos", Kind: "Foo"},
				Versions: []apiextv1.CustomResourceDefinitionVersion{{Name: "v1", Served: true, Storage: true}},
			},
		}},
	}
	b.template(oneMap)
	b.api.Respond(b.usual)
	b.api.At(foos).Answer(nil, foo)
	b.api.At(maps)
	return b
}

const foo = `{"apiVersion":"example.com/v1","kind":"Foo","metadata":{"name":"a","namespace":"default","uid":"uid-a","resourceVersion":"1","generation":1}}`

func (b *bed) template(text string) {
	b.Helper()
	safefstest.WriteFiles(b.T, b.Root, map[string]string{"templates/map.yaml": text})
}

func (b *bed) usual(r operatortest.Request) (int, string) {
	switch {
	case r.Path == "/api/v1":
		return http.StatusOK, `{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"v1","resources":[{"name":"configmaps","kind":"ConfigMap","namespaced":true}]}`
	case r.Method == http.MethodPatch && strings.Contains(r.Path, "/foos/"):
		return http.StatusOK, foo
	case r.Method == http.MethodPatch:
		return http.StatusCreated, strings.Replace(r.Body, `"name":"a"`, `"name":"a","uid":"uid-m","resourceVersion":"1"`, 1)
	case strings.HasSuffix(r.Path, "/configmaps/a"):
		return http.StatusNotFound, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"NotFound","code":404}`
	}
	return 0, ""
}

// patience ends a wait for what does not come, with the log.
const patience = time.Minute

// until waits for something that another goroutine brings about.
func (b *bed) until(what string, is func() bool) {
	b.Helper()
	end := time.After(patience)
	for tick := time.NewTicker(5 * time.Millisecond); !is(); {
		select {
		case <-tick.C:
		case <-end:
			b.Fatalf("no %s: %q", what, b.log.Said())
		}
	}
}

// applied waits for a child to be applied with this in it.
func (b *bed) applied(part string) {
	b.Helper()
	b.until("child with "+part, func() bool {
		for _, r := range b.api.Asked() {
			if r.Method == http.MethodPatch && strings.Contains(r.Body, part) {
				return true
			}
		}
		return false
	})
}

func get(url string) (string, error) {
	response, err := http.Get(url)
	if err != nil {
		return "", err
	}
	defer func() { _ = response.Body.Close() }()
	var body bytes.Buffer
	_, err = body.ReadFrom(response.Body)
	return fmt.Sprint(response.StatusCode, " ", body.String()), err
}
