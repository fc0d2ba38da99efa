// SPDX-License-Identifier: Apache-2.0

package controlplane

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/crdctl/crdctl/internal/controlplane/record"
	"github.com/crdctl/crdctl/internal/trace"
	"github.com/crdctl/crdctl/internal/trace/redact"
)

// recording is a control plane that is recorded, with a client of kubectl's and one of a controller's.
type recording struct {
	t          *testing.T
	plane      *ControlPlane
	recorder   *trace.Recorder
	kubectl    *rest.Config
	controller *rest.Config
}

func startRecorded(t *testing.T, name string, bodies trace.Bodies) *recording {
	t.Helper()
	recorder, err := trace.New(trace.Options{MaxBytes: 64 << 20})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, recorder.Close()) })
	r := &recording{t: t, recorder: recorder}
	r.plane = start(t, Options{Record: &record.Options{
		Sink: recorder, Source: recorder, Bodies: bodies, Redact: redact.New(redact.Options{}), Controller: func() trace.Actor { return trace.Actor{Name: name, Build: 3} },
	}})
	r.kubectl, r.controller = r.plane.RESTConfig(), withToken(r.plane.RESTConfig(), r.plane.ControllerToken())
	r.kubectl.UserAgent, r.controller.UserAgent = "kubectl/v1", "controller-1234/v0.0.0"
	return r
}

// records are all that were made until now.
func (r *recording) records() (all []trace.Record) {
	answer := httptest.NewRecorder()
	trace.Handler(r.recorder).ServeHTTP(answer, httptest.NewRequest(http.MethodGet, trace.Path+"?follow=false", nil))
	for line := range bytes.Lines(answer.Body.Bytes()) {
		if rec, err := trace.Parse(bytes.TrimSuffix(line, []byte("\n"))); assert.NoError(r.t, err) {
			all = append(all, rec)
		}
	}
	return all
}

// story has requests, versions and deliveries of one resource as lines.
func (r *recording) story(resource string) (lines []string) {
	actors, resources, objects := map[trace.ActorID]trace.Actor{}, map[trace.ResourceID]trace.Resource{}, map[trace.ObjectID]trace.Object{}
	by := map[string]string{}
	for _, rec := range r.records() {
		switch b := rec.Body.(type) {
		case *trace.Def:
			switch {
			case b.Actor != nil:
				actors[b.Actor.ID] = *b.Actor
			case b.Resource != nil:
				resources[b.Resource.ID] = *b.Resource
			default:
				objects[b.Object.ID] = *b.Object
			}
		case *trace.Request:
			by[b.ID] = actors[b.Actor].Name
			if resources[b.Resource].Resource != resource {
				continue
			}
			line := fmt.Sprintf("%s %s %s %d", actors[b.Actor].Name, b.Verb, strings.Trim(resource+"/"+b.Subresource, "/"), b.Code)
			if b.NoOp {
				line += " noop"
			}
			if b.Reason != "" {
				line += " " + b.Reason
			}
			for _, c := range b.Drift {
				line += fmt.Sprintf(" drift %s %s->%s", c.Path, c.Old, c.New)
			}
			lines = append(lines, line)
		case *trace.Version:
			o := objects[b.Object]
			if resources[o.Resource].Resource != resource {
				continue
			}
			line := fmt.Sprintf("%s %s by %s", b.Type, o.Name, by[b.By])
			if b.By == "" {
				line = fmt.Sprintf("%s %s", b.Type, o.Name)
			}
			if b.ManagedOnly {
				line += " managed"
			}
			for _, c := range b.Changes {
				line += fmt.Sprintf(" %s %s->%s", c.Path, c.Old, c.New)
			}
			lines = append(lines, line)
		case *trace.Event:
			if o := objects[b.Object]; resources[o.Resource].Resource == resource {
				lines = append(lines, fmt.Sprintf("%s gets %s %s", actors[b.Actor].Name, b.Type, o.Name))
			}
		case *trace.Watch:
			if resources[b.Resource].Resource == resource && actors[b.Actor].Class != trace.ClassSystem {
				lines = append(lines, fmt.Sprintf("%s watch %s %s", actors[b.Actor].Name, b.State, b.End))
			}
		}
	}
	return lines
}

var widgets = schema.GroupVersionResource{Group: "record.example.com", Version: "v1", Resource: "widgets"}

// TestRecord holds that writes, the versions that they make and what a watch delivers are recorded with who did what.
func TestRecord(t *testing.T) {
	t.Parallel()
	r := startRecorded(t, "widgets", trace.BodiesChanged)
	kubectl, controller := dynamic.NewForConfigOrDie(r.kubectl), dynamic.NewForConfigOrDie(r.controller)
	require.NoError(t, InstallCRDsPromptly(t.Context(), r.plane.RESTConfig(), crd(t, "widgets", "Widget", widgets.Group)))
	mine := controller.Resource(widgets).Namespace("default")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	initial := true
	watch, err := mine.Watch(ctx, metav1.ListOptions{SendInitialEvents: &initial, AllowWatchBookmarks: true, ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan})
	require.NoError(t, err)
	<-watch.ResultChan() // the bookmark

	one, err := kubectl.Resource(widgets).Namespace("default").Create(ctx, &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "record.example.com/v1", "kind": "Widget", "metadata": map[string]any{"name": "one", "finalizers": []any{"example.com/f"}}, "size": int64(1), "pruned": "x",
	}}, metav1.CreateOptions{})
	require.NoError(t, err)
	<-watch.ResultChan()
	stale := one.DeepCopy()
	one.Object["size"], one.Object["pruned"] = int64(2), "x"
	one, err = mine.Update(ctx, one, metav1.UpdateOptions{})
	require.NoError(t, err)
	<-watch.ResultChan()
	_, err = mine.Update(ctx, one, metav1.UpdateOptions{})
	require.NoError(t, err)
	_, err = mine.Update(ctx, stale, metav1.UpdateOptions{})
	require.Error(t, err)
	_, err = kubectl.Resource(widgets).Namespace("default").Patch(ctx, "one", types.MergePatchType, []byte(`{"size":2}`), metav1.PatchOptions{})
	require.NoError(t, err)
	require.NoError(t, kubectl.Resource(widgets).Namespace("default").Delete(ctx, "one", metav1.DeleteOptions{}))
	<-watch.ResultChan()
	_, err = mine.Patch(ctx, "one", types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{})
	require.NoError(t, err)
	<-watch.ResultChan()
	cancel()

	require.EventuallyWithT(t, func(c *assert.CollectT) {
		assert.Contains(c, r.story("widgets"), "DELETED one by widgets")
		assert.Contains(c, r.story("widgets"), "widgets watch end client")
	}, patience, tick)
	got := slices.DeleteFunc(r.story("widgets"), func(line string) bool {
		return strings.HasPrefix(line, "crdctl ") || strings.HasSuffix(line, "429 TooManyRequests") // until the resource is served
	})
	for i, line := range got {
		got[i] = regexp.MustCompile(`"\d{4}-[^"]*"`).ReplaceAllString(line, "TIME")
	}
	assert.ElementsMatch(t, []string{
		"widgets watch open ", "widgets watch synced ", "widgets watch end client", "widgets watch widgets 200",
		"kubectl create widgets 201", "ADDED one by kubectl", "widgets gets ADDED one",
		`widgets update widgets 200 drift pruned "x"->`, "MODIFIED one by widgets metadata.generation 1->2 size 1->2", "widgets gets MODIFIED one",
		"widgets update widgets 200 noop", "widgets update widgets 409 Conflict", "kubectl patch widgets 200 noop",
		"kubectl delete widgets 200", "widgets gets MODIFIED one",
		"MODIFIED one by kubectl metadata.deletionGracePeriodSeconds ->0 metadata.deletionTimestamp ->TIME metadata.generation 2->3",
		"widgets patch widgets 200", "DELETED one by widgets", "widgets gets DELETED one",
	}, got)
}

// TestRecordOfBuiltinKinds holds that requests in protobuf, controllers of this process and Secrets are recorded as they are to be.
func TestRecordOfBuiltinKinds(t *testing.T) {
	t.Parallel()
	r := startRecorded(t, "controller", trace.BodiesAll)
	r.controller.ContentType = runtime.ContentTypeProtobuf
	controller := kubernetes.NewForConfigOrDie(r.controller)
	const marker = "d29uZGVybGFuZA"
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "s"}, StringData: map[string]string{"password": marker}}
	secret, err := controller.CoreV1().Secrets("default").Create(t.Context(), secret, metav1.CreateOptions{})
	require.NoError(t, err)
	secret.Data["password"] = []byte(marker + marker)
	_, err = controller.CoreV1().Secrets("default").Update(t.Context(), secret, metav1.UpdateOptions{})
	require.NoError(t, err)

	labels := map[string]string{"app": "x"}
	deployments := controller.AppsV1().Deployments("default")
	made, err := deployments.Create(t.Context(), &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: "x"}, Spec: appsv1.DeploymentSpec{
		Selector: &metav1.LabelSelector{MatchLabels: labels},
		Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "i"}}}},
	}}, metav1.CreateOptions{})
	require.NoError(t, err)
	expect := func(resource string, lines ...string) {
		t.Helper()
		if !assert.EventuallyWithT(t, func(c *assert.CollectT) {
			story := strings.Join(r.story(resource), "\n")
			for _, line := range lines {
				assert.Regexp(c, "(?m)^"+line+"$", story)
			}
		}, patience, tick) {
			t.Fatal(strings.Join(r.story(resource), "\n"))
		}
	}
	expect("replicasets", "deployment-controller create replicasets 201", "ADDED x-.* by deployment-controller")
	expect("pods", "replicaset-controller create pods 201", "ADDED x-.* by replicaset-controller", "pod-simulator update pods/status 200", "MODIFIED x-.* by pod-simulator .* status.phase \"Pending\"->\"Running\".*")
	made.Spec.Template.Spec.Containers[0].TerminationMessagePolicy = ""
	made.ResourceVersion = ""
	_, err = deployments.Update(t.Context(), made, metav1.UpdateOptions{})
	require.NoError(t, err)
	expect("deployments", `controller update deployments 200 .*drift spec.template.spec.containers\[0\].terminationMessagePolicy ->"File".*`)
	background := metav1.DeletePropagationBackground
	require.NoError(t, deployments.Delete(t.Context(), "x", metav1.DeleteOptions{PropagationPolicy: &background}))
	expect("deployments", "controller delete deployments 200", "DELETED x by controller")
	expect("replicasets", "garbage-collector delete replicasets 200", "DELETED x-.* by garbage-collector")
	expect("pods", "MODIFIED x-[^ ]*( by garbage-collector)? metadata.deletionGracePeriodSeconds.*", "DELETED x-.* by garbage-collector")
	expect("secrets", "ADDED s by controller", `MODIFIED s by controller data.password "redacted:.*`)
	for _, rec := range r.records() {
		line, err := rec.AppendJSON(nil)
		require.NoError(t, err)
		assert.NotContains(t, string(line), marker)
	}
}

// TestRecordOfKubeEvents holds that Events are recorded with who wrote them and what they are about, in both of their versions, when they are
// written first and when they are counted; and that the answers to lists are.
func TestRecordOfKubeEvents(t *testing.T) {
	t.Parallel()
	r := startRecorded(t, "widgets", trace.BodiesNone)
	asJSON, asProtobuf := kubernetes.NewForConfigOrDie(r.controller), rest.CopyConfig(r.controller)
	asProtobuf.ContentType = runtime.ContentTypeProtobuf
	made, err := asJSON.CoreV1().ConfigMaps("default").Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "x"}}, metav1.CreateOptions{})
	require.NoError(t, err)
	about := corev1.ObjectReference{APIVersion: "v1", Kind: "ConfigMap", Namespace: "default", Name: "x", UID: made.UID}
	events := kubernetes.NewForConfigOrDie(asProtobuf)
	_, err = events.CoreV1().Events("default").Create(t.Context(), &corev1.Event{
		ObjectMeta: metav1.ObjectMeta{Name: "old"}, InvolvedObject: about, Type: "Normal", Reason: "Made", Message: "it is there", Count: 1,
	}, metav1.CreateOptions{})
	require.NoError(t, err)
	_, err = events.CoreV1().Events("default").Patch(t.Context(), "old", types.StrategicMergePatchType, []byte(`{"count":7}`), metav1.PatchOptions{})
	require.NoError(t, err)
	_, err = asJSON.EventsV1().Events("default").Create(t.Context(), &eventsv1.Event{
		ObjectMeta: metav1.ObjectMeta{Name: "new"}, Regarding: about, Type: "Warning", Reason: "Broken", Note: "it is not", Action: "Look",
		EventTime: metav1.NowMicro(), ReportingController: "example.com/c", ReportingInstance: "c-1",
	}, metav1.CreateOptions{})
	require.NoError(t, err)
	_, err = asJSON.EventsV1().Events("default").Patch(t.Context(), "new", types.MergePatchType, []byte(`{"series":{"count":3,"lastObservedTime":"2026-01-02T03:04:05.000000Z"}}`), metav1.PatchOptions{})
	require.NoError(t, err)
	_, err = asJSON.EventsV1().Events("default").Patch(t.Context(), "gone", types.MergePatchType, []byte(`{"reason":"x"}`), metav1.PatchOptions{})
	require.Error(t, err)
	list, err := events.CoreV1().ConfigMaps("default").List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	raw, err := asJSON.CoreV1().ConfigMaps("default").List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)

	require.EventuallyWithT(t, func(c *assert.CollectT) {
		object := trace.ObjectID(0)
		var actors []trace.Actor
		var got, lists []string
		for _, rec := range r.records() {
			switch b := rec.Body.(type) {
			case *trace.Def:
				if b.Actor != nil {
					actors = append(actors, *b.Actor)
				} else if b.Object != nil && b.Object.UID == string(made.UID) {
					object = b.Object.ID
				}
			case *trace.KubeEvent:
				i := slices.IndexFunc(actors, func(a trace.Actor) bool { return a.ID == b.Actor })
				if i >= 0 && actors[i].Class == trace.ClassController {
					assert.Equal(c, object, b.Object)
					assert.NotEmpty(c, b.Request)
					got = append(got, fmt.Sprintf("%s %s %s: %s %d", actors[i].Name, b.Type, b.Reason, b.Message, b.Count))
				}
			case *trace.Request:
				if b.Verb == "list" && b.Items > 0 {
					lists = append(lists, fmt.Sprintf("%d at %d", b.Items, b.RVOut))
				}
			}
		}
		assert.Equal(c, []string{
			"widgets Normal Made: it is there 1", "widgets Normal Made: it is there 7", "widgets Warning Broken: it is not 1", "widgets Warning Broken: it is not 3",
		}, got)
		assert.Equal(c, []string{
			fmt.Sprintf("%d at %s", len(list.Items), list.ResourceVersion), fmt.Sprintf("%d at %s", len(raw.Items), raw.ResourceVersion),
		}, lists)
	}, patience, tick)
}

// TestRecordThroughProxy holds that the requests of a controller to a cluster that exists are recorded by a proxy that has the credentials, with
// what its watches deliver, and that the proxy answers to its token only.
func TestRecordThroughProxy(t *testing.T) {
	t.Parallel()
	foreign := start(t, Options{})
	recorder, err := trace.New(trace.Options{})
	require.NoError(t, err)
	defer func() { assert.NoError(t, recorder.Close()) }()
	seen := record.New(record.Options{Sink: recorder, Redact: redact.New(redact.Options{}), Controller: func() trace.Actor { return trace.Actor{Name: "proxied", Build: 2} }},
		"crdctl", "controller", "")
	handler, err := seen.Proxy(foreign.RESTConfig(), "controller", "secret")
	require.NoError(t, err)
	defer seen.Close()
	server := httptest.NewServer(handler)
	defer server.Close()
	r := &recording{t: t, recorder: recorder}

	for _, token := range []string{"", "other", foreign.RESTConfig().BearerToken} {
		_, err := kubernetes.NewForConfigOrDie(&rest.Config{Host: server.URL, BearerToken: token}).CoreV1().Namespaces().List(t.Context(), metav1.ListOptions{})
		require.True(t, apierrors.IsUnauthorized(err), "with token %q: %v", token, err)
	}
	for _, content := range []string{runtime.ContentTypeJSON, runtime.ContentTypeProtobuf} {
		config := &rest.Config{Host: server.URL, BearerToken: "secret"}
		config.ContentType = content
		mine := kubernetes.NewForConfigOrDie(config).CoreV1().ConfigMaps("default")
		ctx, cancel := context.WithCancel(t.Context())
		list, err := mine.List(ctx, metav1.ListOptions{})
		require.NoError(t, err)
		watch, err := mine.Watch(ctx, metav1.ListOptions{ResourceVersion: list.ResourceVersion})
		require.NoError(t, err)
		x, err := mine.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{GenerateName: "x-"}, Data: map[string]string{"a": "1"}}, metav1.CreateOptions{})
		require.NoError(t, err)
		<-watch.ResultChan() // while it stays open
		stale := x.DeepCopy()
		x.Data["a"] = "2"
		_, err = mine.Update(ctx, x, metav1.UpdateOptions{})
		require.NoError(t, err)
		<-watch.ResultChan()
		_, err = mine.Update(ctx, stale, metav1.UpdateOptions{})
		require.Error(t, err)
		others := kubernetes.NewForConfigOrDie(foreign.RESTConfig()).CoreV1().ConfigMaps("default")
		require.NoError(t, others.Delete(ctx, x.Name, metav1.DeleteOptions{}))
		<-watch.ResultChan()
		cancel()
		name := regexp.QuoteMeta(x.Name)
		require.EventuallyWithT(t, func(c *assert.CollectT) {
			story := strings.Join(r.story("configmaps"), "\n")
			for _, line := range []string{
				"proxied list configmaps 200", "proxied watch open ", "proxied watch synced ", "proxied create configmaps 201", "ADDED " + name + " by proxied",
				"proxied gets ADDED " + name, "MODIFIED " + name + " by proxied data.a ->", "proxied update configmaps 409 Conflict",
				"DELETED " + name, "proxied gets DELETED " + name, "proxied watch end client",
			} {
				assert.Regexp(c, "(?m)^"+line+"$", story)
			}
		}, patience, tick)
	}
}

// TestRecordIsServed holds that another process can follow a recording, that no service account can, and that a reader does not hold up the end.
func TestRecordIsServed(t *testing.T) {
	t.Parallel()
	r := startRecorded(t, "controller", trace.BodiesNone)
	client, err := rest.HTTPClientFor(r.kubectl)
	require.NoError(t, err)
	account := rest.CopyConfig(r.kubectl)
	account.Impersonate.UserName = "system:serviceaccount:default:default"
	other, err := rest.HTTPClientFor(account)
	require.NoError(t, err)
	refused, err := other.Get(r.plane.URL() + trace.Path)
	require.NoError(t, err)
	closeIt(t, refused.Body)
	assert.Equal(t, http.StatusForbidden, refused.StatusCode)

	answer, err := client.Get(r.plane.URL() + trace.Path)
	require.NoError(t, err)
	defer closeIt(t, answer.Body)
	lines := bufio.NewScanner(answer.Body)
	lines.Buffer(nil, 1<<20)
	name := newNamespace(t, kubernetes.NewForConfigOrDie(r.kubectl))
	for found := false; !found; {
		require.True(t, lines.Scan(), "the stream ended: %v", lines.Err())
		found = strings.Contains(lines.Text(), name)
	}
	stop(t, r.plane)
	for lines.Scan() { // what is left; the server does not wait for this reader
	}
}
