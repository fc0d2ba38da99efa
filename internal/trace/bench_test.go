// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// work is what a controller that is busy makes, record by record: for each write a request, a version, two deliveries
// and a line.
func work(r *Recorder, i int) {
	actor := r.Defs().Actor(Actor{Name: "crontab", Class: ClassController, User: "crdctl:controller", Agent: "crontab/v0"})
	resource := r.Defs().Resource(Resource{Group: "example.com", Version: "v1", Resource: "crontabs", Kind: "CronTab"})
	n := i / 5 % 10_000
	object := r.Defs().Object(Object{UID: fmt.Sprintf("9d3c2f0e-7a53-4f0b-8e5c-%012d", n), Resource: resource, Namespace: "default", Name: fmt.Sprintf("crontab-%d", n)})
	id := fmt.Sprintf("7b1f66a4-19e2-4b0a-a3c8-%012d.1", i/5)
	rv := uint64(100_000 + i/5)
	switch i % 5 {
	case 0:
		r.Add(&Request{ID: id, Actor: actor, Began: r.Now() - 3e6, Verb: "update", Resource: resource, Subresource: "status", Namespace: "default",
			Name: "crontab-7", Object: object, Code: 200, RVIn: rv - 1, RVOut: rv, Layers: map[string]int64{"etcd": 1234567, "admission": 23456}, Bytes: 1300})
	case 1:
		r.Add(&Version{Object: object, Type: "MODIFIED", RV: rv, Generation: 3, By: id, Prev: rv - 1, Changes: []Change{
			{Path: "status.lastSeen", Old: []byte(`"2026-11-23T10:00:00Z"`), New: []byte(`"2026-11-23T10:00:01Z"`)}}})
	case 2, 3:
		r.Add(&Event{Watch: "f00a6ba4-19e2-4b0a-a3c8-000000000001", Actor: actor, Type: "MODIFIED", Object: object, RV: rv})
	case 4:
		r.Add(&Log{Actor: actor, Build: 3, Stream: "stderr", Level: "info", Message: "Reconciled", Key: fmt.Sprintf("default/crontab-%d", n)})
	}
}

// BenchmarkAdd is what intake costs those who make records, and keeping them the process: ns/op is both on one processor.
func BenchmarkAdd(b *testing.B) {
	for _, file := range []string{"", filepath.Join(b.TempDir(), "x.crdctl.gz")} {
		name := "memory"
		if file != "" {
			name = "file"
		}
		b.Run(name, func(b *testing.B) {
			r, err := New(Options{File: file})
			require.NoError(b, err)
			require.NoError(b, r.Begin())
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				work(r, i)
				if i++; i%4096 == 0 { // so that none is dropped
					waitFor(b, r)
				}
			}
			require.NoError(b, r.Close())
			if file != "" {
				info, err := os.Stat(file)
				require.NoError(b, err)
				b.ReportMetric(float64(info.Size())/float64(i), "file-B/record")
			}
		})
	}
}

// BenchmarkRead is what a reader that follows costs, without what it does with records.
func BenchmarkRead(b *testing.B) {
	r, err := New(Options{MaxBytes: 64 << 20})
	require.NoError(b, err)
	const n = 100_000
	for i := range n {
		if work(r, i); i%4096 == 0 {
			waitFor(b, r)
		}
	}
	require.NoError(b, r.Close())
	b.ReportAllocs()
	for b.Loop() {
		got, bytes := 0, 0
		for rec, err := range r.Records(b.Context(), 0) {
			require.NoError(b, err)
			got++
			bytes += len(rec.Raw)
		}
		b.ReportMetric(float64(bytes)/float64(got), "line-B/record")
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/record")
}

// Memory is bounded however long it goes on. BenchmarkHour does the same for an hour.
func TestMemoryIsBounded(t *testing.T) {
	const limit = 4 << 20
	grown, _ := grows(t, limit, 200_000)
	assert.Less(t, grown, int64(4*limit), "bytes of heap")
}

// BenchmarkHour feeds what an hour of 1,000 records a second has, with objects that come and go, and reports the memory.
func BenchmarkHour(b *testing.B) {
	for b.Loop() {
		for _, limit := range []int64{defaultMaxBytes, 128 << 20} {
			grown, held := grows(b, limit, 3_600_000)
			b.ReportMetric(float64(grown)/(1<<20), fmt.Sprintf("heap-MB-of-%d", limit>>20))
			b.ReportMetric(float64(held), fmt.Sprintf("records-in-%d", limit>>20))
		}
	}
}

// grows returns how much the heap has grown after n records, of which one in ten is the first of an object, and how many
// of these can be read.
func grows(t testing.TB, limit int64, n int) (grown, held int64) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	r, err := New(Options{MaxBytes: limit})
	require.NoError(t, err)
	for i := range n {
		if i%10 == 0 {
			r.Add(&Event{Object: r.Defs().Object(Object{UID: fmt.Sprintf("9d3c2f0e-7a53-4f0b-8e5c-%012d", i), Name: fmt.Sprintf("pod-%d", i), Namespace: "default"})})
		}
		if work(r, i); i%4096 == 0 {
			waitFor(t, r)
		}
	}
	waitFor(t, r)
	runtime.GC()
	runtime.ReadMemStats(&after)
	require.NoError(t, r.Close())
	for _, err := range r.Records(t.Context(), 0) {
		require.NoError(t, err)
		held++
	}
	return int64(after.HeapAlloc) - int64(before.HeapAlloc), held
}
