// SPDX-License-Identifier: Apache-2.0

package compat_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiextclient "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

	"github.com/crdctl/crdctl/internal/controlplane"
	"github.com/crdctl/crdctl/internal/crd/compat"
)

const (
	// patience bounds every wait. It is meant for a machine that is busy compiling.
	patience = 2 * time.Minute
	tick     = 20 * time.Millisecond
)

// The cases of TestServer wait for the API server most of the time, and need no core each. With -fuzz, the flag is the number of workers: more
// than there are cores, and an input takes longer than the ten seconds after which a worker gives up as if it hung.
func TestMain(m *testing.M) {
	flag.Parse()
	if flag.Lookup("test.fuzz").Value.String() == "" {
		if err := flag.Set("test.parallel", "16"); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}

// What Check says comes true: an API server stores the objects of all cases and is given the changed CRDs, and loses
// the fields and refuses the objects that Check said it would, and no others.
func TestServer(t *testing.T) {
	plane, err := controlplane.Start(t.Context(), controlplane.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, plane.Stop(context.Background())) })
	for name, c := range cases(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &server{t, plane, dynamic.NewForConfigOrDie(plane.RESTConfig()), strings.NewReplacer(" ", "-", ",", "").Replace(name) + ".example.com"}
			s.holds(c)
		})
	}
}

// server is the API server that a case's CRD lives in.
type server struct {
	*testing.T
	plane   *controlplane.ControlPlane
	dynamic dynamic.Interface
	group   string
}

func (s *server) holds(c testCase) {
	s.Helper()
	current, changed := crd(s.group, "current", c.Current), crd(s.group, "changed", c.Changed)
	was, is := c.Current.storage(), c.Changed.storage()
	// Some objects are not valid under the current CRD either, and come from a time when nothing was checked.
	open := current.DeepCopy()
	keep := true
	for i := range open.Spec.Versions {
		open.Spec.Versions[i].Schema = &apiextv1.CustomResourceValidation{OpenAPIV3Schema: &apiextv1.JSONSchemaProps{Type: "object", XPreserveUnknownFields: &keep}}
	}
	require.NoError(s, s.install(open))
	for _, u := range c.made(s, s.group) {
		require.EventuallyWithT(s, func(t *assert.CollectT) { // the namespace comes when it comes
			_, err := s.at(was).Create(s.Context(), &u, metav1.CreateOptions{})
			assert.NoError(t, err)
		}, patience, tick)
	}
	require.NoError(s, s.install(current))
	stored := s.list(was, "current")
	installed, err := apiextclient.NewForConfigOrDie(s.plane.RESTConfig()).ApiextensionsV1().CustomResourceDefinitions().Get(s.Context(), current.Name, metav1.GetOptions{})
	require.NoError(s, err)
	findings := check(s.T, installed, changed, stored, c.Want)
	refusals := map[string][]string{} // of what is current, by version and name
	for _, v := range current.Spec.Versions {
		for _, u := range s.list(v.Name, "current") {
			refusals[v.Name+" "+u.GetName()] = s.refusal(v.Name, u)
		}
	}

	if slices.ContainsFunc(findings, func(f compat.Finding) bool { return f.Kind == compat.Gone }) {
		require.ErrorContains(s, s.install(changed), "missing from spec.versions")
		return
	}
	require.NoError(s, s.install(changed))
	for i, u := range s.list(is, "changed") {
		s.holdsDropped(stored[i], u, of(findings, u, compat.Dropped, was).Fields)
	}
	for _, version := range slices.Compact([]string{was, is}) {
		for _, u := range s.list(version, "changed") {
			before, known := refusals[version+" "+u.GetName()]
			if !known {
				before = refusals[was+" "+u.GetName()]
			}
			s.holdsInvalid(before, s.refusal(version, u), of(findings, u, compat.Invalid, version))
		}
	}
}

func (s *server) at(version string) dynamic.ResourceInterface {
	return s.dynamic.Resource(schema.GroupVersionResource{Group: s.group, Version: version, Resource: "crontabs"}).Namespace(metav1.NamespaceDefault)
}

func (s *server) install(crd *apiextv1.CustomResourceDefinition) error {
	return controlplane.InstallCRDsPromptly(s.Context(), s.plane.RESTConfig(), crd)
}

// list waits until the state of the CRD is at work.
func (s *server) list(version, state string) (all []unstructured.Unstructured) {
	s.Helper()
	require.EventuallyWithT(s, func(t *assert.CollectT) {
		list, err := s.at(version).List(s.Context(), metav1.ListOptions{})
		require.NoError(t, err)
		for _, u := range list.Items {
			assert.Equal(t, state, u.Object["state"])
		}
		all = list.Items
	}, patience, tick)
	return all
}

// refusal is what the API server says of an object that is new to it, since it lets one that is stored be.
func (s *server) refusal(version string, u unstructured.Unstructured) (messages []string) {
	s.Helper()
	fresh := u.DeepCopy()
	fresh.Object["metadata"] = map[string]any{"name": "fresh", "namespace": u.GetNamespace()}
	_, err := s.at(version).Create(s.Context(), fresh, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
	if err == nil {
		return nil
	}
	var status apierrors.APIStatus
	require.ErrorAs(s, err, &status)
	require.NotNil(s, status.Status().Details, err)
	for _, cause := range status.Status().Details.Causes {
		if !strings.HasPrefix(cause.Message, "Invalid value: null: some validation rules were not checked") {
			messages = append(messages, cause.Field+": "+cause.Message)
		}
	}
	return messages
}

// holdsDropped compares the fields that an object lost with those that were reported.
func (s *server) holdsDropped(before, after unstructured.Unstructured, reported []string) {
	s.Helper()
	left := leaves("", after.Object)
	for _, path := range leaves("", before.Object) {
		lost := !slices.Contains(left, path)
		expected := slices.ContainsFunc(reported, func(p string) bool { return path == p || strings.HasPrefix(path, p+".") })
		assert.Equal(s, expected, lost, "%s: %s is lost", before.GetName(), path)
	}
}

// holdsInvalid compares what the API server says of an object with what was reported. It may say other words of a field
// that was invalid before.
func (s *server) holdsInvalid(before, after []string, f compat.Finding) {
	s.Helper()
	assert.Subset(s, after, f.Messages, f)
	for _, message := range f.Messages {
		assert.NotContains(s, before, message, f)
	}
	for _, message := range after {
		path, _, _ := strings.Cut(message, ": ")
		wasInvalid := slices.ContainsFunc(before, func(m string) bool { return strings.HasPrefix(m, path+": ") })
		assert.True(s, wasInvalid || slices.Contains(f.Messages, message), "%s: not reported: %s", f.Name, message)
	}
}

// of is what was found of an object, if anything was.
func of(findings []compat.Finding, u unstructured.Unstructured, kind compat.Kind, version string) compat.Finding {
	for _, f := range findings {
		if f.Name == u.GetName() && f.Kind == kind && f.Version == version {
			return f
		}
	}
	return compat.Finding{Name: u.GetName()}
}

// leaves are the paths of all values in spec that are not null, as the API server writes paths.
func leaves(at string, value any) (paths []string) {
	switch value := value.(type) {
	case map[string]any:
		for key, v := range value {
			if at != "" || key == "spec" {
				paths = append(paths, leaves(strings.TrimPrefix(at+"."+key, "."), v)...)
			}
		}
	case []any:
		for i, v := range value {
			paths = append(paths, leaves(fmt.Sprintf("%s[%d]", at, i), v)...)
		}
	case nil:
	default:
		paths = append(paths, at)
	}
	return paths
}
