package suite

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

func start(t *testing.T, configure func(*envtest.APIServer)) (*envtest.Environment, *rest.Config) {
	t.Helper()
	env := &envtest.Environment{CRDDirectoryPaths: []string{"crd.yaml"}, ErrorIfCRDPathMissing: true}
	configure(env.ControlPlane.GetAPIServer())
	config, err := env.Start()
	if err != nil {
		t.Fatal(err)
	}
	config.QPS = -1
	return env, config
}

// Two suites at once, each with 20 open watches when it stops.
func TestSuite(t *testing.T) {
	for _, gate := range []string{"GoneForYears=false", "ContextualLogging=true"} {
		t.Run(gate, func(t *testing.T) {
			t.Parallel()
			env, config := start(t, func(s *envtest.APIServer) { s.Configure().Append("feature-gates", gate) })
			widgets := dynamic.NewForConfigOrDie(config).Resource(schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "widgets"})
			widget := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "example.com/v1", "kind": "Widget", "metadata": map[string]any{"name": "one"}, "spec": map[string]any{"size": int64(3)}}}
			if _, err := widgets.Namespace("default").Create(t.Context(), widget, metav1.CreateOptions{}); err != nil {
				t.Error(err)
			}
			widget.SetName("two")
			if err := unstructured.SetNestedField(widget.Object, "large", "spec", "size"); err != nil {
				t.Fatal(err)
			}
			if _, err := widgets.Namespace("default").Create(t.Context(), widget, metav1.CreateOptions{}); !apierrors.IsInvalid(err) {
				t.Errorf("a widget that the schema does not allow: %v", err)
			}
			client := kubernetes.NewForConfigOrDie(config)
			for _, name := range []string{"cluster-admin", "admin", "edit", "view", "system:discovery", "system:auth-delegator"} {
				if _, err := client.RbacV1().ClusterRoles().Get(t.Context(), name, metav1.GetOptions{}); err != nil {
					t.Errorf("a default role right after the start: %v", err)
				}
			}
			documents(t, client.Discovery())
			later(t, "the role of a controller", func() bool {
				_, err := client.RbacV1().ClusterRoleBindings().Get(t.Context(), "system:controller:job-controller", metav1.GetOptions{})
				return err == nil
			})
			user, err := env.AddUser(envtest.User{Name: "someone"}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := kubernetes.NewForConfigOrDie(user.Config()).CoreV1().Secrets("default").List(t.Context(), metav1.ListOptions{}); !apierrors.IsForbidden(err) {
				t.Errorf("a user without a role lists secrets: %v", err)
			}
			for i := range 20 {
				if _, err := client.CoreV1().ConfigMaps(fmt.Sprintf("n%d", i)).Watch(context.Background(), metav1.ListOptions{}); err != nil {
					t.Error(err)
				}
			}
			if err := env.Stop(); err != nil {
				t.Error(err)
			}
		})
	}
}

// Every OpenAPI document that is listed is there, those of built-in kinds and that of the CRD.
func documents(t *testing.T, client discovery.DiscoveryInterface) {
	t.Helper()
	for range 300 { // the CRD's comes with the next look of the aggregator, once a second
		paths, err := client.OpenAPIV3().Paths()
		if err != nil {
			t.Fatal(err)
		}
		if paths["apis/example.com/v1"] == nil {
			time.Sleep(100 * time.Millisecond)
			continue
		}
		for _, name := range []string{"api/v1", "apis/apps/v1", "apis/example.com/v1"} {
			if paths[name] == nil {
				t.Errorf("no OpenAPI document of %s", name)
				continue
			}
			document, err := paths[name].Schema("application/json")
			if err != nil || len(document) < 1000 {
				t.Errorf("the OpenAPI document of %s has %d bytes: %v", name, len(document), err)
			}
		}
		return
	}
	t.Error("no OpenAPI document of the CRD")
}

// With controllers a namespace that is deleted is gone soon, with what is in it.
func TestNamespaceGoes(t *testing.T) {
	env, config := start(t, func(*envtest.APIServer) {})
	defer func() {
		if err := env.Stop(); err != nil {
			t.Error(err)
		}
	}()
	client := kubernetes.NewForConfigOrDie(config)
	namespaces := client.CoreV1().Namespaces()
	if _, err := namespaces.Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "going"}}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := client.CoreV1().ConfigMaps("going").Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "in-it"}}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := namespaces.Delete(t.Context(), "going", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	later(t, "the namespace is gone", func() bool {
		_, err := namespaces.Get(t.Context(), "going", metav1.GetOptions{})
		return apierrors.IsNotFound(err)
	})
}

func later(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for range 300 {
		if holds() {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Errorf("waited in vain: %s", what)
}

// TestKilled waits to be killed.
func TestKilled(t *testing.T) {
	_, config := start(t, func(*envtest.APIServer) {})
	version, err := kubernetes.NewForConfigOrDie(config).Discovery().ServerVersion()
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(os.Stderr, "version %s, emulates %s.%s\n", version.GitVersion, version.EmulationMajor, version.EmulationMinor)
	time.Sleep(time.Minute)
}
