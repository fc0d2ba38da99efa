package fields_test

import (
	_ "embed"
	"fmt"
	"strings"
	"testing"

	"github.com/crdctl/crdctl/internal/scaffold/fields"
)

//go:embed testdata/wide.txt
var wideText string

// wide has every type and every rule at least once.
func wide() []string { return strings.Split(strings.TrimSpace(wideText), "\n") }

// The Go code, the sample and the columns, as they are written.
func TestCode(t *testing.T) {
	set, err := fields.Parse(append([]string{
		"hard:string:pattern=^`[a-z]+`\\d{2}:\"x\"$", "spec:string", "list.a:string", "tls:enum(on-demand,1.3)", "applyConfiguration.x:string", "podCIDRs[].x:string", "kind:enum(a)",
		"caBundle:string:+custom=a", "quotas:[]object:default=[{name: a}]:+listType=map:+listMapKey=name", "quotas[].name:string:required", "quotas[].max:int32:default=1",
		"none:string:minLength=3:pattern=^a$",
	}, wide()...), fields.Options{Kind: "Widget", Status: true, Taken: []string{"WidgetKind"}})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s--- sample\n%s--- imports\n%+v\n", goOf(t, set), set.Sample(0), set.Imports())
	golden(t, "code.txt", b.String())
}

// What templates ask of fields.
func TestAsk(t *testing.T) {
	set, err := fields.Parse([]string{"replicas:int32", "server.tls.certURL:string", "ports[].name:string", "status.availableReplicas:int32", "n:int32:required", "ip:string", "podIPs:string"}, fields.Options{Kind: "Foo", Status: true})
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"replicas": "true Replicas *int32", "server.tls.certURL": "true Server.TLS.CertURL string", "server": "true Server *FooServer", "ports[].name": "true  string",
		"status.availableReplicas": "true AvailableReplicas *int32", "availableReplicas": "false  ", "n": "true N int32", "ip": "true IP string", "podIPs": "true PodIPs string", "ports": "true Ports []FooPort",
	} {
		if got := fmt.Sprint(set.Has(path), " ", set.GoName(path), " ", set.GoType(path)); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
	var none *fields.Set
	if none.Has("x") || none.SpecGo()+none.StatusGo()+none.TypesGo()+none.Sample(2)+none.GoName("x") != "" || !none.Empty() || len(none.Columns()) != 1 {
		t.Error("no set is not a set of no fields")
	}
}
