// SPDX-License-Identifier: Apache-2.0

package fields_test

import (
	_ "embed"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

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
	require.NoError(t, err)
	var b strings.Builder
	fmt.Fprintf(&b, "%s--- sample\n%s--- imports\n%+v\n", goOf(t, set, set.SpecFields(), set.StatusFields(), set.Types()), set.Sample(0), set.Imports())
	golden(t, "code.txt", b.String())
}

// What templates ask of fields.
func TestAsk(t *testing.T) {
	set, err := fields.Parse([]string{"replicas:int32", "server.tls.certURL:string", "ports[].name:string", "status.availableReplicas:int32", "n:int32:required", "ip:string", "podIPs:string"}, fields.Options{Kind: "Foo", Status: true})
	require.NoError(t, err)
	for path, want := range map[string]string{
		"replicas": "*int32", "server.tls.certURL": "string", "server": "*FooServer", "ports[].name": "string",
		"status.availableReplicas": "*int32", "availableReplicas": "", "n": "int32", "ip": "string", "podIPs": "string", "ports": "[]FooPort",
	} {
		require.Equal(t, want, set.GoType(path), path)
		require.Equal(t, want != "", set.Has(path), path)
	}
}

// Fields that Kubernetes has are described as there; the author describes the others.
func TestComments(t *testing.T) {
	set, err := fields.Parse([]string{
		"replicas:int32", "image:*string", "template:corev1.PodTemplateSpec", "suspend:bool", "port:string", "server.port:int32", "ip:string",
		"status.replicas:int32", "status.phase:enum(Pending,Ready)", "status.image:string",
	}, fields.Options{Kind: "Foo", Status: true})
	require.NoError(t, err)
	source := set.SpecFields() + set.StatusFields() + set.Types()
	for _, want := range []string{
		"Replicas is the desired number of replicas.", "Image is the name of the container image.", "Template describes the pods that are created.",
		"Suspend tells the controller to suspend its work on the Foo.", "Port: describe this field here; users read this line with kubectl explain.",
		"Port is the number of the port.", "IP: describe this field here;", "Replicas is the number of replicas that were last observed.",
		"Phase is a simple, high-level summary of where the Foo is in its lifecycle.", "Image: describe this field here;",
	} {
		require.Contains(t, source, "// "+want)
	}
}
