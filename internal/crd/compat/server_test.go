package compat_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiextclient "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"

	"github.com/crdctl/crdctl/internal/controlplane"
	"github.com/crdctl/crdctl/internal/crd/compat"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// patience bounds every wait. It is meant for a machine that is busy compiling.
const patience = 2 * time.Minute

// What Check says comes true: an API server stores the objects of all cases and is given the changed CRDs, and loses
// the fields and refuses the objects that Check said it would, and no others.
func TestServer(t *testing.T) {
	plane, err := controlplane.Start(t.Context(), controlplane.Options{})
	require.NoError(t, err)
	t.Cleanup(func() {
		assert.NoError(t, plane.Stop(context.Background()))
	})
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &server{plane: plane, dynamic: dynamic.NewForConfigOrDie(plane.RESTConfig()), group: strings.NewReplacer(" ", "-", ",", "").Replace(name) + ".example.com"}
			s.holds(t, c)
		})
	}
}

// server is the API server that a case's CRD lives in.
type server struct {
	plane   *controlplane.ControlPlane
	dynamic dynamic.Interface
	group   string
}

func (s *server) holds(t *testing.T, c testCase) {
	t.Helper()
	current, changed := crd(t, s.group, "current", c.current), crd(t, s.group, "changed", c.changed)
	// Some objects are not valid under the current CRD either, and come from a time when nothing was checked.
	open := current.DeepCopy()
	keep := true
	for i := range open.Spec.Versions {
		open.Spec.Versions[i].Schema = &apiextv1.CustomResourceValidation{OpenAPIV3Schema: &apiextv1.JSONSchemaProps{Type: "object", XPreserveUnknownFields: &keep}}
	}
	s.install(t, open)
	for _, u := range c.made(t, s.group) {
		s.eventually(t, "create "+u.GetName(), func(ctx context.Context) error { // the namespace comes when it comes
			_, err := s.at(c.current[0]).Create(ctx, &u, metav1.CreateOptions{})
			return err
		})
	}
	s.install(t, current)
	stored := s.list(t, c.current[0], "current")
	installed, err := apiextclient.NewForConfigOrDie(s.plane.RESTConfig()).ApiextensionsV1().CustomResourceDefinitions().Get(t.Context(), current.Name, metav1.GetOptions{})
	require.NoError(t, err)
	findings, err := compat.Check(t.Context(), installed, changed, stored)
	require.NoError(t, err)
	assert.Equal(t, strings.Join(append(slices.Clone(c.want), ""), "\n"), lines(findings), "findings")
	refusals := map[string][]string{} // of what is current, by version and name
	for _, v := range current.Spec.Versions {
		for _, u := range s.list(t, v.Name, "current") {
			refusals[v.Name+" "+u.GetName()] = s.refusal(t, v.Name, u)
		}
	}

	if slices.ContainsFunc(findings, func(f compat.Finding) bool { return f.Kind == compat.Gone }) {
		if err := controlplane.InstallCRDsPromptly(t.Context(), s.plane.RESTConfig(), changed); err == nil || !strings.Contains(err.Error(), "missing from spec.versions") {
			t.Errorf("a stored version is gone, and the API server says %v", err)
		}
		return
	}
	s.install(t, changed)
	for i, u := range s.list(t, c.changed[0], "changed") {
		s.holdsDropped(t, stored[i], u, of(findings, u, compat.Dropped, c.current[0]).Fields)
	}
	for _, version := range slices.Compact([]string{c.current[0], c.changed[0]}) {
		for _, u := range s.list(t, version, "changed") {
			before, known := refusals[version+" "+u.GetName()]
			if !known {
				before = refusals[c.current[0]+" "+u.GetName()]
			}
			s.holdsInvalid(t, before, s.refusal(t, version, u), of(findings, u, compat.Invalid, version))
		}
	}
}

// holdsDropped compares the fields that an object lost with those that were said.
func (s *server) holdsDropped(t *testing.T, before, after unstructured.Unstructured, said []string) {
	t.Helper()
	left := leaves("", after.Object)
	for _, path := range leaves("", before.Object) {
		lost := !slices.Contains(left, path)
		if told := slices.ContainsFunc(said, func(p string) bool { return path == p || strings.HasPrefix(path, p+".") }); told != lost {
			t.Errorf("%s: %s is lost: %v, and said to be: %v", before.GetName(), path, lost, told)
		}
	}
}

// holdsInvalid compares what the API server says of an object with what was said. It may say other words of a field that was invalid before.
func (s *server) holdsInvalid(t *testing.T, before, after []string, f compat.Finding) {
	t.Helper()
	for _, message := range f.Messages {
		assert.Contains(t, after, message, "%v: the API server said %q, and now %q", f, before, after)
		assert.NotContains(t, before, message, "%v: the API server said %q, and now %q", f, before, after)
	}
	for _, message := range after {
		path, _, _ := strings.Cut(message, ": ")
		wasInvalid := slices.ContainsFunc(before, func(m string) bool { return strings.HasPrefix(m, path+": ") })
		if !wasInvalid && !slices.Contains(f.Messages, message) {
			t.Errorf("%s: not said: %s", f.Name, message)
		}
	}
}
