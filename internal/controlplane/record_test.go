// SPDX-License-Identifier: Apache-2.0

package controlplane

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"github.com/crdctl/crdctl/internal/controlplane/record"
	"github.com/crdctl/crdctl/internal/trace"
)

// recording is a control plane that is recorded, with a client of kubectl's and one of a controller's.
type recording struct {
	plane      *ControlPlane
	recorder   *trace.Recorder
	kubectl    *rest.Config
	controller *rest.Config
}

func startRecorded(t *testing.T, bodies trace.Bodies) *recording {
	t.Helper()
	recorder, err := trace.New(trace.Options{MaxBytes: 64 << 20})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, recorder.Close()) })
	r := &recording{recorder: recorder}
	r.plane = start(t, Options{Record: &record.Options{
		Sink: recorder, Bodies: bodies, Controller: func() trace.Actor { return trace.Actor{Name: "widgets", Build: 3} },
	}})
	r.kubectl, r.controller = r.plane.RESTConfig(), withToken(r.plane.RESTConfig(), r.plane.ControllerToken())
	r.kubectl.UserAgent, r.controller.UserAgent = "kubectl/v1", "controller-1234/v0.0.0"
	return r
}

// records are all that were made until now.
func (r *recording) records() (all []trace.Record) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel() // what there is, and no more
	for rec := range r.recorder.Records(ctx, 0) {
		all = append(all, rec)
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
	r := startRecorded(t, trace.BodiesChanged)
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
	one, err = mine.Update(ctx, one, metav1.UpdateOptions{})
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
