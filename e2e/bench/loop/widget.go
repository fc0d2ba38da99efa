package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptrace"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/types"

	"github.com/crdctl/crdctl/e2e/bench/loop/harness"
)

const (
	widgetsPath = "/apis/bench.example.com/v1/namespaces/default/widgets"
	fillers     = 16
)

// widget is an object as a user makes it: labels, an annotation, a spec of strings. With its status it is 1.5 KB of JSON as the API
// server stores it, of which half is the managed fields of two managers.
func widget(n int) ([]byte, error) {
	return json.Marshal(map[string]any{
		"apiVersion": "bench.example.com/v1", "kind": "Widget",
		"metadata": map[string]any{
			"name": harness.Name(n),
			"labels": map[string]string{
				"app.kubernetes.io/name": "widget", "app.kubernetes.io/instance": harness.Name(n), "app.kubernetes.io/part-of": "bench",
				"team": fmt.Sprintf("team-%d", n%20), "tier": "backend",
			},
			"annotations": map[string]string{"example.com/note": fmt.Sprintf("made for the benchmark, object %d", n)},
		},
		"spec": map[string]any{"size": 0, "text": strings.Repeat("x", 60), "image": "registry.example.com/widget:1.7.9", "schedule": "*/5 * * * *", "mode": "Always"},
	})
}

// status is what a controller says of an object. It is written by itself, since the API server has each request be one
// manager's, whatever the object says.
const status = `{"status":{"observedGeneration":1,"conditions":[{"type":"Ready","status":"True","reason":"Reconciled",` +
	`"message":"all is as it should be","lastTransitionTime":"2026-01-01T00:00:00Z"}]}}`

// create makes an object with a status.
func (p *plane) create(ctx context.Context, n int) error {
	object, err := widget(n)
	if err != nil {
		return err
	}
	if err := p.api.Create(ctx, widgetsPath, object); err != nil {
		return fmt.Errorf("create %s: %w", harness.Name(n), err)
	}
	err = p.api.Client.Patch(types.MergePatchType).AbsPath(widgetsPath, harness.Name(n)).Param("fieldManager", "controller").Body([]byte(status)).Do(ctx).Error()
	if err != nil {
		return fmt.Errorf("write the status of %s: %w", harness.Name(n), err)
	}
	return nil
}

// fill adds objects until there are so many.
func (p *plane) fill(ctx context.Context, objects int) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(fillers)
	for n := p.filled; n < objects && ctx.Err() == nil; n++ {
		group.Go(func() error { return p.create(ctx, n) })
	}
	p.filled = max(p.filled, objects)
	return group.Wait()
}

// bump updates an object and returns its new resourceVersion, and when the API server's answer began to come.
func (p *plane) bump(ctx context.Context, n int) (version uint64, at time.Time, err error) {
	// Another value each time: an update that changes nothing is none.
	patch := fmt.Appendf(nil, `{"spec":{"size":%d}}`, p.bumps.Add(1))
	// The moment at which the connection has it: this goroutine runs later, when the watch may have been served already.
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotFirstResponseByte: func() { at = time.Now() }})
	data, err := p.api.Client.Patch(types.MergePatchType).AbsPath(widgetsPath, harness.Name(n)).Body(patch).DoRaw(ctx)
	if err != nil {
		return 0, at, fmt.Errorf("update %s: %w", harness.Name(n), err)
	}
	var got struct {
		Metadata struct {
			ResourceVersion uint64 `json:"resourceVersion,string"`
		}
	}
	if err := json.Unmarshal(data, &got); err != nil {
		return 0, at, fmt.Errorf("read the updated %s: %w", harness.Name(n), err)
	}
	return got.Metadata.ResourceVersion, at, nil
}
