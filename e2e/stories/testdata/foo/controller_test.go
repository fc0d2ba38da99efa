package main

import (
	"reflect"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kubeinformers "k8s.io/client-go/informers"
	kubefake "k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/record"
	"k8s.io/utils/ptr"

	"example.com/foo/pkg/apis/samplecontroller/v1alpha1"
	"example.com/foo/pkg/generated/clientset/versioned/fake"
	informers "example.com/foo/pkg/generated/informers/externalversions"
)

// fixture is a controller on fake clients. What lies in its caches lies on the server, too.
type fixture struct {
	*controller
	events chan string
}

func newFixture(t *testing.T, foo *v1alpha1.Foo, deployments ...*appsv1.Deployment) fixture {
	t.Helper()
	kube, client := kubefake.NewClientset(), fake.NewClientset(foo)
	owned := kubeinformers.NewSharedInformerFactory(kube, 0).Apps().V1().Deployments()
	owners := informers.NewSharedInformerFactory(client, 0).Samplecontroller().V1alpha1().Foos()
	recorder := record.NewFakeRecorder(10)
	c, err := newController(kube, client, owned, owners, recorder)
	if err != nil {
		t.Fatal(err)
	}
	if err := owners.Informer().GetIndexer().Add(foo); err != nil {
		t.Fatal(err)
	}
	for _, d := range deployments {
		if err := kube.Tracker().Add(d.DeepCopy()); err != nil {
			t.Fatal(err)
		}
		if err := owned.Informer().GetIndexer().Add(d); err != nil {
			t.Fatal(err)
		}
	}
	return fixture{c, recorder.Events}
}

func sample() *v1alpha1.Foo {
	return &v1alpha1.Foo{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "a", UID: "1", ResourceVersion: "1"},
		Spec:       v1alpha1.FooSpec{DeploymentName: "d", Replicas: ptr.To[int32](2)},
	}
}

var key = cache.ObjectName{Namespace: "default", Name: "a"}

func TestEnqueueOwner(t *testing.T) {
	owned := newDeployment(sample())
	orphan, stranger, other := owned.DeepCopy(), owned.DeepCopy(), owned.DeepCopy()
	orphan.OwnerReferences[0].UID = "2" // of a Foo of the same name that is gone
	stranger.OwnerReferences = nil
	other.OwnerReferences[0].APIVersion = "example.com/v1"
	for name, c := range map[string]struct {
		object any
		want   int
	}{
		"owned":              {owned, 1},
		"tombstone":          {cache.DeletedFinalStateUnknown{Key: "default/d", Obj: owned}, 1},
		"tombstone of none":  {cache.DeletedFinalStateUnknown{Key: "default/d", Obj: orphan}, 0},
		"no object":          {"default/d", 0},
		"orphan":             {orphan, 0},
		"without owner":      {stranger, 0},
		"Foo of other group": {other, 0},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, sample())
			f.enqueueOwner(c.object)
			if n := f.queue.Len(); n != c.want {
				t.Fatalf("%d keys queued, want %d", n, c.want)
			}
			if c.want > 0 {
				if got, _ := f.queue.Get(); got != key {
					t.Errorf("queued %v, want %v", got, key)
				}
			}
		})
	}
}

func TestTombstoneOfAFooIsQueued(t *testing.T) {
	f := newFixture(t, sample())
	f.enqueue(cache.DeletedFinalStateUnknown{Key: key.String()})
	if n := f.queue.Len(); n != 1 { // Get would wait for ever
		t.Fatalf("%d keys queued, want 1", n)
	}
	if got, _ := f.queue.Get(); got != key {
		t.Errorf("queued %v, want %v", got, key)
	}
}

func TestEqualResourceVersionsArePassedOver(t *testing.T) {
	taken := 0
	handler := changes(func(any) { taken++ })
	changed := sample()
	changed.ResourceVersion = "2"
	handler.OnUpdate(sample(), sample())
	if taken != 0 {
		t.Errorf("an object of an equal resourceVersion was taken")
	}
	handler.OnUpdate(sample(), changed)
	if taken != 1 {
		t.Errorf("%d objects taken after a change, want 1", taken)
	}
}

func TestSyncLeavesTheCachesAlone(t *testing.T) {
	foo, deployment := sample(), newDeployment(sample())
	deployment.Spec.Replicas, deployment.Status.AvailableReplicas = ptr.To[int32](1), 1
	fooBefore, before := foo.DeepCopy(), deployment.DeepCopy()
	f := newFixture(t, foo, deployment)
	if err := f.sync(t.Context(), key); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(foo, fooBefore) || !reflect.DeepEqual(deployment, before) {
		t.Errorf("the caches hold %+v and %+v", foo, deployment)
	}
	got, err := f.client.SamplecontrollerV1alpha1().Foos("default").Get(t.Context(), "a", metav1.GetOptions{})
	if err != nil || got.Status.AvailableReplicas != 1 {
		t.Errorf("status %+v (%v), want 1 available replica", got.Status, err)
	}
	resized, err := f.kube.AppsV1().Deployments("default").Get(t.Context(), "d", metav1.GetOptions{})
	if err != nil || *resized.Spec.Replicas != 2 {
		t.Errorf("the deployment has %d replicas (%v), want 2", *resized.Spec.Replicas, err)
	}
}

func TestRefusedDeployment(t *testing.T) {
	taken := newDeployment(sample())
	taken.OwnerReferences = nil
	f := newFixture(t, sample(), taken)
	if err := f.sync(t.Context(), key); err == nil {
		t.Error("no error")
	}
	if got := <-f.events; !strings.HasPrefix(got, "Warning ErrResourceExists ") {
		t.Errorf("event %q", got)
	}
}
