package compat_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/dynamic"

	"github.com/crdctl/crdctl/internal/controlplane"
	"github.com/crdctl/crdctl/internal/crd/compat"
	"github.com/stretchr/testify/require"
)

func (s *server) at(version string) dynamic.ResourceInterface {
	return s.dynamic.Resource(schema.GroupVersionResource{Group: s.group, Version: version, Resource: "crontabs"}).Namespace(metav1.NamespaceDefault)
}

func (s *server) install(t *testing.T, crd *apiextv1.CustomResourceDefinition) {
	t.Helper()
	require.NoError(t, controlplane.InstallCRDsPromptly(t.Context(), s.plane.RESTConfig(), crd))
}

// list waits until the state of the CRD is at work.
func (s *server) list(t *testing.T, version, state string) (all []unstructured.Unstructured) {
	t.Helper()
	s.eventually(t, state+" CRD", func(ctx context.Context) error {
		list, err := s.at(version).List(ctx, metav1.ListOptions{})
		if err != nil {
			return err
		}
		for _, u := range list.Items {
			if u.Object["state"] != state {
				return fmt.Errorf("the state is %v", u.Object["state"])
			}
		}
		all = list.Items
		return nil
	})
	return all
}

// refusal is what the API server says of an object that is new to it, since it lets one that is stored be.
func (s *server) refusal(t *testing.T, version string, u unstructured.Unstructured) (said []string) {
	t.Helper()
	fresh := u.DeepCopy()
	fresh.Object["metadata"] = map[string]any{"name": "fresh", "namespace": u.GetNamespace()}
	_, err := s.at(version).Create(t.Context(), fresh, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
	status, ok := err.(interface{ Status() metav1.Status })
	if err != nil && (!ok || status.Status().Details == nil) {
		t.Fatal(err)
	}
	if err == nil {
		return nil
	}
	for _, cause := range status.Status().Details.Causes {
		if !strings.HasPrefix(cause.Message, "Invalid value: null: some validation rules were not checked") {
			said = append(said, cause.Field+": "+cause.Message)
		}
	}
	return said
}

func (s *server) eventually(t *testing.T, what string, check func(context.Context) error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var last error
	if err := wait.PollUntilContextCancel(ctx, 20*time.Millisecond, true, func(ctx context.Context) (bool, error) {
		last = check(ctx)
		return last == nil, nil
	}); err != nil {
		t.Fatalf("%s: %v", what, last)
	}
}

// of is what was said of an object, if anything was.
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
