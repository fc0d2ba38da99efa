// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptrace"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/procfs"
	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/types"

	"github.com/crdctl/crdctl/e2e/bench/harness"
	"github.com/crdctl/crdctl/e2e/internal/harness/api"
	"github.com/crdctl/crdctl/e2e/internal/harness/program"
	"github.com/crdctl/crdctl/internal/controlplane/state"
)

const widgetsPath = "/apis/bench.example.com/v1/namespaces/default/widgets"

// widget is an object as a user makes it: labels, an annotation, a spec of strings. With a text of 60 characters and its status
// it is 1.5 KB of JSON as the API server stores it, of which half is the managed fields of two managers.
func widget(n, text int) []byte {
	return fmt.Appendf(nil, `{"apiVersion":"bench.example.com/v1","kind":"Widget","metadata":{"name":%[1]q,
		"labels":{"app.kubernetes.io/name":"widget","app.kubernetes.io/instance":%[1]q,"app.kubernetes.io/part-of":"bench","team":"team-%[2]d","tier":"backend"},
		"annotations":{"example.com/note":"made for the benchmark, object %[3]d"}},
		"spec":{"size":0,"text":%[4]q,"image":"registry.example.com/widget:1.7.9","schedule":"*/5 * * * *","mode":"Always"}}`,
		harness.Name(n), n%20, n, strings.Repeat("x", text))
}

// status is what a controller writes to an object: in a request of its own, since the API server has each request be one manager's,
// whatever the object says.
const status = `{"status":{"observedGeneration":1,"conditions":[{"type":"Ready","status":"True","reason":"Reconciled",` +
	`"message":"all is as it should be","lastTransitionTime":"2026-01-01T00:00:00Z"}]}}`

// each does something for each number from one to below another, some at a time.
func each(ctx context.Context, from, to, limit int, one func(n int) error) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(limit)
	for n := from; n < to && ctx.Err() == nil; n++ {
		group.Go(func() error { return one(n) })
	}
	return group.Wait()
}

// cluster is the control plane that all controllers of BenchmarkLoop follow: crdctl's, which has a real API server.
type cluster struct {
	*api.Server
	kubeconfig string
	filled     int // objects
	bumps      atomic.Int32
}

func startCluster(b *testing.B) *cluster {
	b.Helper()
	dir := must(os.MkdirTemp("", "plane-"))(b) // b.TempDir has the benchmark's name, too much for the path of a socket
	b.Cleanup(func() { check(b, os.RemoveAll(dir)) })
	c := &cluster{kubeconfig: filepath.Join(state.Cluster(dir), "kubeconfig")}
	env := append(environ("TMPDIR="+dir), roomy()...)
	process := must(program.Start(program.Side{Dir: dir, Env: env, Argv: []string{crdctl(b), "cluster", "serve", "--dir", dir}}))(b)
	b.Cleanup(func() { check(b, process.End()) })
	_, _, err := process.Await(b.Context(), 0, "ready at")
	check(b, err)
	c.Server = must(api.Connect(b.Context(), c.kubeconfig, process.Done()))(b)
	check(b, c.Install(b.Context(), process.Done(), crd, widgetsPath))
	return c
}

// roomy has the control plane collect garbage only when half of the available memory is full. It makes 60 MB of it in a second of
// paced updates, and collected for 0.6 of every 4.5 seconds, with all processors: the 99th of 100 latencies was one of those, and
// showed how often the API server had collected while a side was measured.
func roomy() []string {
	fs, err := procfs.NewDefaultFS()
	if err != nil {
		return nil // not Linux: it collects as always
	}
	memory, err := fs.Meminfo()
	if err != nil || memory.MemAvailableBytes == nil {
		return nil
	}
	return []string{"GOGC=off", fmt.Sprintf("GOMEMLIMIT=%d", *memory.MemAvailableBytes/2)}
}

// grow adds objects with a status until there are so many.
func (c *cluster) grow(b *testing.B, objects int) {
	b.Helper()
	progress("creating objects until there are %d", objects)
	check(b, each(b.Context(), c.filled, objects, 16, func(n int) error {
		if err := c.Create(b.Context(), widgetsPath, widget(n, 60)); err != nil {
			return err
		}
		return c.Client.Patch(types.MergePatchType).AbsPath(widgetsPath, harness.Name(n)).Param("fieldManager", "controller").Body([]byte(status)).Do(b.Context()).Error()
	}))
	c.filled = objects
}

// bump updates an object and returns its new resourceVersion, and when the API server's answer began to come.
func (c *cluster) bump(ctx context.Context, n int) (version uint64, at time.Time, err error) {
	// Another value each time: what changes nothing is not an update.
	patch := fmt.Appendf(nil, `{"spec":{"size":%d}}`, c.bumps.Add(1))
	// The moment at which the connection has it: this goroutine runs later, when the watch may have been served already.
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotFirstResponseByte: func() { at = time.Now() }})
	data, err := c.Client.Patch(types.MergePatchType).AbsPath(widgetsPath, harness.Name(n)).Body(patch).DoRaw(ctx)
	if err != nil {
		return 0, at, fmt.Errorf("update %s: %w", harness.Name(n), err)
	}
	var got struct {
		Metadata struct {
			ResourceVersion uint64 `json:"resourceVersion,string"`
		}
	}
	err = json.Unmarshal(data, &got)
	return got.Metadata.ResourceVersion, at, err
}
