// SPDX-License-Identifier: Apache-2.0

package stories

import (
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"

	"github.com/crdctl/crdctl/e2e/internal/harness/measure"
	"github.com/crdctl/crdctl/internal/trace"
)

// flightSize is how much happens until the run is killed: as little as shows anything, or what $FLIGHT_OBJECTS and $FLIGHT_SECONDS have.
// With these, the times that depend on the machine are held, too: 10000 and 60 is the size that the recorder is made for.
func flightSize(t *testing.T) (objects, seconds int, exact bool) {
	t.Helper()
	number := func(name string, otherwise int) int {
		text, set := os.LookupEnv(name)
		if !set {
			return otherwise
		}
		n, err := strconv.Atoi(text)
		require.NoError(t, err, name)
		exact = true
		return n
	}
	return number("FLIGHT_OBJECTS", 200), number("FLIGHT_SECONDS", 5), exact
}

// flightRate is how many updates are sent a second. Each is about ten records: a request, a version, a delivery, and what the built-in
// controller does with it, and prints.
const flightRate = 100

// How many times an update may take with recording, as medians of a few seconds on a machine that does other things, too. What is allocated
// hardly depends on that. "make bench BENCH=Recorder" compares many pairs with the budget, which is 1.05 for CPU time.
const mostCPU, mostAllocated = 1.5, 1.4

// A run with many objects and 1,000 records a second is killed. Its file opens, has what was written until a second before, the findings
// that were live, and no Secret; its page opens at once, and scrolls.
func TestFlightRecorder(t *testing.T) {
	objects, seconds, exact := flightSize(t)
	w := newWorld(t)
	r := &recorded{world: w, dir: filepath.Join(w.dir, "flight"), file: filepath.Join(w.dir, "run.crdctl.gz")}
	w.check(os.Mkdir(r.dir, 0o755))
	w.write(filepath.Join(r.dir, "crd.yaml"), recordedCRD)
	r.run = w.start(r.dir, crdctl, "run", "--builtin", "-f", "crd.yaml", "--record", r.file)
	r.run.waitFor("Started workers")
	plain := filepath.Join(w.dir, "plain")
	w.check(os.Mkdir(plain, 0o755))
	w.write(filepath.Join(plain, "crd.yaml"), recordedCRD)
	unrecorded := w.start(plain, crdctl, "run", "--builtin", "-f", "crd.yaml", "--findings=false")
	unrecorded.waitFor("Started workers")
	load, without := r.load(r.dir, objects), r.load(plain, objects)
	r.comparesCosts(load, without, r.run, unrecorded, seconds)
	without.stop()
	w.end(unrecorded)
	live := r.documentOf()
	for _, of := range []struct{ kind, subject string }{{"field-fight", "Gadget default/fight"}, {"conflict-storm", "Gadget default/stale"}} {
		require.NotNil(t, find(live.Findings, of.kind, of.subject), "no %s of %s in %v", of.kind, of.subject, live.Findings)
	}
	load.write(2 * flightRate) // so that it is killed while much is written
	killed := time.Now()
	r.run.signal(syscall.SIGKILL)
	load.stop()
	<-r.run.done

	file, err := trace.OpenFile(r.file)
	w.check(err)
	defer file.Close() //nolint:errcheck // it was read
	require.ErrorContains(t, file.CutOff(), "incomplete")
	started, err := time.Parse(time.RFC3339Nano, file.Header().Start)
	w.check(err)
	records, during, writes, secrets, began, last := 0, 0, 0, 0, int64(load.began.Sub(started)), int64(0)
	var updater trace.ActorID
	for record, err := range file.Records(t.Context(), 0) {
		w.check(err)
		records++
		if last = max(last, record.T); record.T > began {
			during++
		}
		line := string(record.Raw)
		for _, value := range []string{hidden, base64.StdEncoding.EncodeToString([]byte(hidden))} {
			require.NotContains(t, line, value)
		}
		switch b := record.Body.(type) {
		case *trace.Def:
			if b.Actor != nil && b.Actor.Name == "load" {
				updater = b.Actor.ID
			}
		case *trace.Gap:
			require.Fail(t, "records were dropped", "%+v", b)
		case *trace.Request:
			if b.Actor == updater && b.Verb == "patch" {
				writes++
			}
			if b.Verb == "create" && strings.HasPrefix(b.Name, "hidden-") {
				secrets++
			}
		}
	}
	assert.Positive(t, secrets)
	lost := killed.Sub(started.Add(time.Duration(last)))
	info, err := os.Stat(r.file)
	w.check(err)
	t.Logf("%d objects, %d records in %.1f s (%.0f a second while updates were sent), %d bytes; of %d updates that were answered, %d are in the file, the newest record is of %d ms before the end",
		objects, records, float64(last)/1e9, float64(during)*1e9/float64(last-began), info.Size(), load.answered.Load(), writes, lost.Milliseconds())
	assert.Positive(t, writes)
	r.hasWhatWasLive(live)

	p, served := r.view(r.browse(), r.dir, r.file)
	p.shows(".finding", "Gadget default/fight")
	painted := p.number(`performance.getEntriesByType("paint").find((e) => e.name === "first-contentful-paint").startTime`)
	p.press("4")
	p.click(".chips .chip", "only the controller")
	p.shows("crd-rows[aria-label=Requests] .row", "gadgets")
	longest := p.longestWhileScrolling("crd-rows[aria-label=Requests]")
	t.Logf("first paint after %.0f ms, longest task while scrolling %.0f ms", painted, longest)
	r.refusesOthers(served)
	r.end(served)

	if exact {
		assert.Less(t, lost, time.Second)
		assert.Less(t, painted, 1000.0)
		assert.LessOrEqual(t, longest, 50.0)
	}
}

// load is what writes to the API server of a run.
type load struct {
	testing.TB
	ctx      context.Context
	stop     func() // and waits
	writers  sync.WaitGroup
	gadgets  func(agent string) dynamic.ResourceInterface
	core     kubernetes.Interface
	objects  int
	sent     int
	began    time.Time
	answered atomic.Int64
}

// load creates the objects, and those that are fought about.
func (r *recorded) load(dir string, objects int) *load {
	r.Helper()
	kubeconfig := filepath.Join(dir, ".crdctl", "kubeconfig")
	ctx, cancel := context.WithCancel(r.Context())
	l := &load{TB: r, ctx: ctx, objects: objects}
	l.stop = func() {
		cancel()
		l.writers.Wait()
	}
	r.Cleanup(l.stop)
	l.gadgets = func(agent string) dynamic.ResourceInterface {
		own := configFor(r, kubeconfig)
		own.UserAgent = agent
		c, err := dynamic.NewForConfig(own)
		r.check(err)
		return c.Resource(schema.GroupVersionResource{Group: "recorded.example.com", Version: "v1", Resource: "gadgets"}).Namespace("default")
	}
	l.core = clientFor(r, kubeconfig)
	gadgets := l.gadgets("load")
	each := make(chan string)
	var creating sync.WaitGroup
	for range 4 {
		creating.Go(func() {
			for name := range each {
				_, err := gadgets.Create(ctx, gadget(name), metav1.CreateOptions{})
				assert.NoError(r, err)
			}
		})
	}
	for i := range objects {
		each <- fmt.Sprintf("load-%d", i)
	}
	each <- "fight"
	each <- "stale"
	close(each)
	creating.Wait()
	return l
}

// comparesCosts holds what recording costs: what updates take of two runs, of which one records. They are sent to both in turn, for a
// second each, so that what else the machine does is the same for both, and a median leaves out what disturbs one of them.
func (r *recorded) comparesCosts(recorded, plain *load, recording, not *process, seconds int) {
	r.Helper()
	for _, run := range []*process{recording, not} {
		require.NoError(r, measure.Settle(run.cmd.Process.Pid, 2)) // events of new objects are written long after the objects
	}
	var cpu, allocated []float64
	for range seconds {
		with, without := recorded.cost(recording), plain.cost(not)
		cpu = append(cpu, with.cpu/without.cpu)
		allocated = append(allocated, with.allocated/without.allocated)
	}
	r.Logf("an update with recording: %.2f times the CPU time (%.2f), %.2f times the allocated bytes (%.2f)", measure.Median(cpu), cpu, measure.Median(allocated), allocated)
	assert.Less(r, measure.Median(cpu), mostCPU)
	assert.Less(r, measure.Median(allocated), mostAllocated)
}

// cost is what a run took for each update: seconds of CPU time, and bytes.
type cost struct{ cpu, allocated float64 }

// cost writes for a second.
func (l *load) cost(run *process) cost {
	l.Helper()
	usage := func() cost {
		u, err := measure.UsageOf(run.cmd.Process.Pid)
		require.NoError(l, err)
		metrics, err := l.core.Discovery().RESTClient().Get().AbsPath("/metrics").DoRaw(l.ctx)
		require.NoError(l, err)
		_, bytes, found := strings.Cut(string(metrics), "\ngo_memstats_alloc_bytes_total ")
		require.True(l, found)
		bytes, _, _ = strings.Cut(bytes, "\n")
		allocated, err := strconv.ParseFloat(bytes, 64)
		require.NoError(l, err)
		return cost{u.CPU.Seconds(), allocated}
	}
	before, answered := usage(), l.answered.Load()
	l.write(flightRate)
	after, n := usage(), float64(max(1, l.answered.Load()-answered))
	return cost{(after.cpu - before.cpu) / n, (after.allocated - before.allocated) / n}
}

// refusesOthers holds that a page gives its data to no one without the token, and to no page of another site, also not one whose name was
// made to lead to this address.
func (r *recorded) refusesOthers(served *process) {
	r.Helper()
	url, token, found := strings.Cut(pageURL.FindString(served.text()), "/#token=")
	require.True(r, found)
	for _, attack := range []struct {
		token, host, origin string
		want                int
	}{
		{token, "", "", http.StatusOK},
		{"", "", "", http.StatusUnauthorized},
		{token, "rebound.example.com", "", http.StatusForbidden},
		{token, "", "https://evil.example.com", http.StatusForbidden},
	} {
		request, err := http.NewRequestWithContext(r.Context(), http.MethodGet, url+"/data/time", nil)
		r.check(err)
		request.Host = attack.host
		request.Header.Set("Authorization", "Bearer "+attack.token)
		if attack.origin != "" {
			request.Header.Set("Origin", attack.origin)
		}
		answer, err := http.DefaultClient.Do(request)
		r.check(err)
		body, err := io.ReadAll(answer.Body)
		r.check(err)
		r.check(answer.Body.Close())
		assert.Equal(r, attack.want, answer.StatusCode, "%+v", attack)
		if attack.want != http.StatusOK {
			assert.NotContains(r, string(body), "columns", "%+v", attack)
		}
	}
}

func gadget(name string) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "recorded.example.com/v1", "kind": "Gadget", "metadata": map[string]any{"name": name}, "spec": map[string]any{"n": int64(0)},
	}}
}

// write sends updates. The last ones may be on their way when it returns.
func (l *load) write(updates int) {
	l.Helper()
	gadgets, began, first := l.gadgets("load"), time.Now(), l.sent
	if l.sent == 0 {
		l.began = began
		l.fight()
	}
	next := make(chan int)
	for range 8 {
		l.writers.Go(func() {
			for n := range next {
				patch := fmt.Appendf(nil, `{"spec":{"n":%d}}`, n)
				if _, err := gadgets.Patch(l.ctx, fmt.Sprintf("load-%d", n%l.objects), types.MergePatchType, patch, metav1.PatchOptions{}); err == nil {
					l.answered.Add(1)
				}
			}
		})
	}
	for range updates {
		l.sent++
		next <- l.sent
		time.Sleep(time.Until(began.Add(time.Duration(l.sent-first) * time.Second / flightRate)))
	}
	close(next)
}

// fight has two clients change a field back and forth, one insist on an old version, and a third create Secrets, until the load stops.
func (l *load) fight() {
	every := func(what func(n int)) {
		l.writers.Go(func() {
			for n := 0; l.ctx.Err() == nil; n++ {
				what(n)
				time.Sleep(200 * time.Millisecond)
			}
		})
	}
	for side, agent := range []string{"north", "south"} {
		gadgets := l.gadgets(agent)
		every(func(int) {
			// What fails does so because the run was killed.
			_, _ = gadgets.Patch(l.ctx, "fight", types.MergePatchType, fmt.Appendf(nil, `{"spec":{"n":%d}}`, side+1), metav1.PatchOptions{})
		})
	}
	stale := l.gadgets("stale")
	old, err := stale.Get(l.ctx, "stale", metav1.GetOptions{})
	require.NoError(l, err)
	_, err = stale.Patch(l.ctx, "stale", types.MergePatchType, []byte(`{"spec":{"n":1}}`), metav1.PatchOptions{})
	require.NoError(l, err)
	every(func(int) { _, _ = stale.Update(l.ctx, old, metav1.UpdateOptions{}) })
	every(func(n int) {
		_, _ = l.core.CoreV1().Secrets("default").Create(l.ctx, &corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("hidden-%d", n)}, StringData: map[string]string{"password": hidden},
		}, metav1.CreateOptions{})
	})
}

// number evaluates an expression in the page.
func (p *page) number(expression string) float64 {
	p.Helper()
	n, err := chromedp.Run(p.ctx, chromedp.Evaluate[float64](expression))
	require.NoError(p, err)
	return n
}

// longestWhileScrolling scrolls a table from its begin to its end in 60 steps, and returns the milliseconds of the longest task of the page.
func (p *page) longestWhileScrolling(selector string) float64 {
	p.Helper()
	p.number(`(() => {
		window.longTasks = [0];
		new PerformanceObserver((list) => { for (const e of list.getEntries()) window.longTasks.push(e.duration); }).observe({ entryTypes: ["longtask"] });
		return 0;
	})()`)
	const steps = 60
	for i := range steps {
		p.number(fmt.Sprintf(`(() => { const e = document.querySelector(%q); e.scrollTop = e.scrollHeight * %d / %d; return 0; })()`, selector, i, steps))
		time.Sleep(50 * time.Millisecond)
	}
	return p.number(`Math.max(...window.longTasks)`)
}
