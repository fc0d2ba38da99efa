// SPDX-License-Identifier: Apache-2.0

package model

import (
	"bufio"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/trace"
)

// definitions: a controller in two builds, kubectl and the garbage collector; a CronTab and a ConfigMap that it owns.
const definitions = `
{"seq":1,"t":0,"k":"header","format":1,"start":"2026-11-23T10:00:00Z","plane":"own"}
{"seq":2,"t":0,"k":"def","actor":{"id":1,"name":"crontab","class":"controller","user":"u","build":1}}
{"seq":3,"t":0,"k":"def","actor":{"id":2,"name":"kubectl","class":"kubectl","user":"k"}}
{"seq":4,"t":0,"k":"def","resource":{"id":1,"group":"example.com","version":"v1","resource":"crontabs","kind":"CronTab","namespaced":true}}
{"seq":5,"t":0,"k":"def","resource":{"id":2,"version":"v1","resource":"configmaps","kind":"ConfigMap","namespaced":true}}
{"seq":6,"t":0,"k":"def","object":{"id":1,"uid":"ua","resource":1,"ns":"default","name":"a"}}
{"seq":7,"t":0,"k":"def","object":{"id":2,"uid":"ub","resource":2,"ns":"default","name":"b"}}
`

func read(t testing.TB, lines string) *Model {
	t.Helper()
	m := New()
	add(t, m, lines)
	return m
}

func add(t testing.TB, m *Model, lines string) {
	t.Helper()
	for s := bufio.NewScanner(strings.NewReader(lines)); s.Scan(); {
		if s.Text() == "" {
			continue
		}
		r, err := trace.Parse([]byte(s.Text()))
		require.NoError(t, err, s.Text())
		m.Add(r)
	}
}

// A request and its version are linked whichever comes first, by the version's By or by uid and resource version.
func TestWritesAreJoined(t *testing.T) {
	request := `{"seq":%d,"t":200,"k":"request","id":"r1","actor":2,"began":100,"verb":"update","resource":1,"ns":"default","name":"a","obj":1,"code":200,"rvIn":9,"rvOut":10}`
	version := `{"seq":%d,"t":190,"k":"version","obj":1,"type":"MODIFIED","rv":10,"prev":9%s}`
	for _, by := range []string{`,"by":"r1"`, ``} {
		for _, lines := range []string{
			fmt.Sprintf(request, 10) + "\n" + fmt.Sprintf(version, 11, by),
			fmt.Sprintf(version, 10, by) + "\n" + fmt.Sprintf(request, 11),
		} {
			m := New()
			add(t, m, definitions+lines)
			v := m.Object(1).At(10)
			require.NotNil(t, v.Request, lines)
			assert.Equal(t, "r1", v.Request.ID)
			assert.Same(t, v, m.Request("r1").Version)
			assert.Equal(t, trace.Certain, v.Writer.Certainty)
		}
	}
}

// What the recorder itself could only guess is likely, though it names the request.
func TestGuessedWriterIsLikely(t *testing.T) {
	request := `{"seq":%d,"t":200,"k":"request","id":"r1","actor":2,"began":100,"verb":"delete","resource":1,"ns":"default","name":"a","obj":1,"code":200}`
	version := `{"seq":%d,"t":190,"k":"version","obj":1,"type":"DELETED","rv":10,"by":"r1","guessed":true}`
	for _, lines := range []string{fmt.Sprintf(request, 10) + "\n" + fmt.Sprintf(version, 11), fmt.Sprintf(version, 10) + "\n" + fmt.Sprintf(request, 11)} {
		v := read(t, definitions+lines).Object(1).At(10)
		require.NotNil(t, v.Request)
		assert.Equal(t, trace.Likely, v.Writer.Certainty)
	}
}

// A Kubernetes event is from the reconcile of its key that ran just before, and never certainly, unless the request has the ID.
func TestReconcileOfEvent(t *testing.T) {
	m := read(t, definitions+`
{"seq":10,"t":10,"k":"version","obj":2,"type":"ADDED","rv":10,"owners":[{"apiVersion":"example.com/v1","kind":"CronTab","name":"a","uid":"ua","controller":true}]}
{"seq":11,"t":100,"k":"reconcile","id":"one","controller":"crontab","actor":1,"key":"default/a","obj":1,"state":"begin","began":100,"source":"log"}
{"seq":12,"t":200,"k":"reconcile","id":"one","controller":"crontab","actor":1,"key":"default/a","obj":1,"state":"end","began":100,"result":"ok","source":"log"}
{"seq":13,"t":300,"k":"request","id":"two.1","actor":1,"began":290,"verb":"create","resource":2,"ns":"default","name":"e","code":201}
{"seq":14,"t":310,"k":"reconcile","id":"two","controller":"crontab","actor":1,"key":"default/other","state":"begin","began":280,"source":"hook"}`)
	rec, l := m.ReconcileOfEvent(&trace.KubeEvent{Object: 2, Actor: 1}, 250)
	require.NotNil(t, rec)
	assert.Equal(t, "one", rec.ID)
	assert.Equal(t, trace.Likely, l.Certainty)
	rec, l = m.ReconcileOfEvent(&trace.KubeEvent{Object: 2, Actor: 1, Request: "two.1"}, 300)
	require.NotNil(t, rec)
	assert.Equal(t, "two", rec.ID)
	assert.Equal(t, trace.Certain, l.Certainty)
	for _, not := range []struct {
		actor trace.ActorID
		t     int64
	}{{1, 50 - lateness}, {1, 201 + pause}, {2, 150}} {
		rec, l = m.ReconcileOfEvent(&trace.KubeEvent{Object: 2, Actor: not.actor}, not.t)
		assert.Nil(t, rec)
		assert.Equal(t, trace.Uncertain, l.Certainty)
	}
}

// A Kubernetes event without a request is not from a request without an ID.
func TestEventWithoutRequest(t *testing.T) {
	m := read(t, definitions+`
{"seq":10,"t":10,"k":"request","id":"","actor":1,"began":9,"verb":"get","resource":1,"ns":"default","name":"a","code":502}
{"seq":11,"t":1000000000,"k":"reconcile","id":"one","controller":"crontab","actor":1,"key":"default/a","obj":1,"state":"begin","began":1000000000,"source":"log"}`)
	rec, _ := m.ReconcileOfEvent(&trace.KubeEvent{Object: 1, Actor: 1}, 1000000100)
	require.NotNil(t, rec)
	assert.Equal(t, "one", rec.ID)
}

// A write that changed nothing made no version, though its answer has one.
func TestNoOpMakesNoVersion(t *testing.T) {
	m := read(t, definitions+`
{"seq":10,"t":10,"k":"version","obj":1,"type":"ADDED","rv":10}
{"seq":11,"t":20,"k":"request","id":"r1","actor":1,"began":10,"verb":"update","resource":1,"obj":1,"code":200,"rvIn":10,"rvOut":10,"noop":true}`)
	assert.Nil(t, m.Object(1).At(10).Request)
	assert.Nil(t, m.Request("r1").Version)
}

// A conflict names who won, and whether the watch of the loser had the newer version already.
func TestConflict(t *testing.T) {
	story := definitions + `
{"seq":10,"t":10,"k":"watch","id":"w1","actor":1,"state":"open","resource":1}
{"seq":11,"t":20,"k":"version","obj":1,"type":"ADDED","rv":10}
{"seq":12,"t":30,"k":"version","obj":1,"type":"MODIFIED","rv":11,"prev":10,"by":"r1"}
{"seq":13,"t":31,"k":"request","id":"r1","actor":2,"began":25,"verb":"patch","resource":1,"obj":1,"code":200,"rvOut":11}
{"seq":14,"t":%d,"k":"event","watch":"w1","actor":1,"type":"MODIFIED","obj":1,"rv":11}
{"seq":15,"t":60,"k":"request","id":"r2","actor":1,"began":50,"verb":"update","resource":1,"obj":1,"code":409,"reason":"Conflict","rvIn":10}`
	for delivered, want := range map[int]Lag{40: LagCache, 55: LagWatch} {
		m := read(t, fmt.Sprintf(story, delivered))
		r := m.Request("r2")
		winner, l := r.Winner()
		require.NotNil(t, winner)
		assert.Equal(t, uint64(11), winner.RV)
		assert.Equal(t, "kubectl", winner.Request.Actor.Name)
		assert.Equal(t, trace.Certain, l.Certainty)
		lag, d := m.Stale(r)
		assert.Equal(t, want, lag)
		assert.Equal(t, int64(delivered), d.T)
	}
	m := read(t, strings.Replace(fmt.Sprintf(story, 55), `"type":"MODIFIED","obj":1,"rv":11}`, `"type":"MODIFIED","obj":1,"rv":11,"began":45}`, 1))
	lag, _ := m.Stale(m.Request("r2"))
	assert.Equal(t, LagUnknown, lag, "it was being handed over")
	m = read(t, strings.ReplaceAll(fmt.Sprintf(story, 40), `"k":"watch"`, `"k":"other"`)+"\n")
	m.Object(1).Deliveries = nil
	lag, _ = m.Stale(m.Request("r2"))
	assert.Equal(t, LagNoWatch, lag)
	for watch, want := range map[string]Lag{`"resource":1`: LagWatch, `"resource":1,"ns":"default"`: LagWatch,
		`"resource":1,"ns":"other"`: LagUnknown, `"resource":1,"labels":"a=b"`: LagUnknown, `"resource":1,"fields":"metadata.name=b"`: LagUnknown} {
		text := strings.Replace(fmt.Sprintf(story, 40), `"state":"open","resource":1`, `"state":"open",`+watch, 1)
		m = read(t, strings.Replace(text, `"k":"event"`, `"k":"other"`, 1))
		lag, _ = m.Stale(m.Request("r2"))
		assert.Equal(t, want, lag, watch)
	}

	m = read(t, strings.Replace(fmt.Sprintf(story, 40), `"rv":11,"prev":10,"by"`, `"rv":11,"by"`, 1)) // a version between can be missing
	_, l := m.Request("r2").Winner()
	assert.Equal(t, trace.Likely, l.Certainty)
}

// The audit ID of a request names its reconcile; the causes of a reconcile lead to versions and who wrote them.
func TestHookedReconcile(t *testing.T) {
	m := read(t, definitions+`
{"seq":10,"t":10,"k":"version","obj":1,"type":"ADDED","rv":10}
{"seq":11,"t":12,"k":"event","watch":"w1","actor":1,"type":"ADDED","obj":1,"rv":10}
{"seq":12,"t":20,"k":"request","id":"rec-1.1","actor":1,"began":15,"verb":"get","resource":2,"ns":"default","name":"b","code":404}
{"seq":13,"t":30,"k":"reconcile","id":"rec-1","controller":"crontab","actor":1,"key":"default/a","obj":1,"state":"end","began":14,"result":"ok","source":"hook","causes":[{"why":"own","obj":1,"rv":10,"certainty":"certain"}]}`)
	rec, l := m.ReconcileOf(m.Request("rec-1.1"))
	require.NotNil(t, rec)
	assert.Equal(t, trace.Certain, l.Certainty)
	sent, l := m.SentIn(rec)
	assert.Len(t, sent, 1)
	assert.Equal(t, trace.Certain, l.Certainty)
	causes := m.Causes(rec)
	require.Len(t, causes, 1)
	assert.Equal(t, trace.Certain, causes[0].Certainty)
	assert.Equal(t, int64(10), causes[0].Version.Seq)
	assert.Equal(t, int64(12), causes[0].Delivery.T)
	assert.True(t, m.Visible(trace.ClassController))
}

// Of a controller without a hook and without lines, requests are put together by key and time, and never certain.
func TestBareController(t *testing.T) {
	m := read(t, definitions+`
{"seq":9,"t":5,"k":"watch","id":"w1","actor":1,"state":"open","resource":1}
{"seq":10,"t":10,"k":"version","obj":1,"type":"ADDED","rv":10}
{"seq":11,"t":12000000,"k":"event","watch":"w1","actor":1,"type":"ADDED","obj":1,"rv":10}
{"seq":12,"t":15000000,"k":"version","obj":2,"type":"ADDED","rv":11,"owners":[{"apiVersion":"example.com/v1","kind":"CronTab","name":"a","uid":"ua","controller":true}],"by":"r1"}
{"seq":13,"t":16000000,"k":"request","id":"r1","actor":1,"began":14000000,"verb":"create","resource":2,"obj":2,"code":201,"rvOut":11}
{"seq":14,"t":19000000,"k":"request","id":"r2","actor":1,"began":17000000,"verb":"update","sub":"status","resource":1,"obj":1,"code":200,"rvIn":10,"rvOut":12}
{"seq":15,"t":29000000,"k":"request","id":"r3","actor":1,"began":27000000,"verb":"update","sub":"status","resource":1,"obj":1,"code":200,"rvIn":12,"rvOut":13}`)
	first, l := m.ReconcileOf(m.Request("r1"))
	require.NotNil(t, first)
	assert.Equal(t, SourceInferred, first.Source)
	assert.Equal(t, "default/a", first.Key)
	assert.Equal(t, trace.Likely, l.Certainty)
	second, _ := m.ReconcileOf(m.Request("r2"))
	assert.Same(t, first, second)
	third, _ := m.ReconcileOf(m.Request("r3"))
	assert.NotSame(t, first, third, "the status was written already")
	sent, l := m.SentIn(first)
	assert.Len(t, sent, 2)
	assert.Equal(t, trace.Likely, l.Certainty)
	causes := m.Causes(first)
	require.Len(t, causes, 1)
	assert.Equal(t, trace.Likely, causes[0].Certainty)
	assert.Equal(t, "same key, delivered 2 ms before", causes[0].Proof)
	assert.False(t, m.Visible(trace.ClassController))
}

// On a busy machine the server knows that an event was handed over after the client has acted on it.
func TestCauseThatWasBeingHandedOver(t *testing.T) {
	for event, want := range map[string]int{`"rv":10`: 0, `"rv":10,"began":12000000`: 1} {
		m := read(t, definitions+`
{"seq":9,"t":5,"k":"watch","id":"w1","actor":1,"state":"open","resource":1}
{"seq":10,"t":10,"k":"version","obj":1,"type":"ADDED","rv":10}
{"seq":11,"t":30000000,"k":"event","watch":"w1","actor":1,"type":"ADDED","obj":1,`+event+`}
{"seq":12,"t":14000000,"k":"reconcile","id":"one","controller":"crontab","actor":1,"key":"default/a","obj":1,"state":"begin","began":14000000,"source":"log"}`)
		causes := m.Causes(m.Reconcile("one"))
		require.Len(t, causes, want, event)
		if want > 0 {
			assert.Equal(t, "same key, delivered 2 ms before", causes[0].Proof)
		}
	}
}

// A save makes a build, unless one of its steps fails: then the build before runs on. A process of a build makes it, too.
func TestBuilds(t *testing.T) {
	m := read(t, definitions+`
{"seq":10,"t":1000,"k":"save","build":2,"files":["a.go"],"steps":[{"name":"build","took":1,"ok":false,"message":"syntax error"}]}
{"seq":11,"t":2000,"k":"save","build":2,"files":["a.go"],"steps":[{"name":"build","took":1,"ok":true}]}
{"seq":12,"t":2500,"k":"def","actor":{"id":3,"name":"crontab","class":"controller","user":"u","build":2}}`)
	var numbers []int
	for _, b := range m.builds {
		numbers = append(numbers, b.number)
	}
	assert.Equal(t, []int{1, 2}, numbers)
	assert.Equal(t, 1, m.BuildAt(1999))
	assert.Equal(t, 2, m.BuildAt(2000))
}

func TestState(t *testing.T) {
	lines := definitions + `
{"seq":10,"t":10,"k":"version","obj":1,"type":"ADDED","rv":10%s}
{"seq":11,"t":20,"k":"version","obj":1,"type":"MODIFIED","rv":11,"prev":10,"changes":[{"path":"spec.list[1].name","old":"b","new":"c"},{"path":"metadata.annotations[\"a.b/c\"]","new":"x"}]}
{"seq":12,"t":30,"k":"version","obj":1,"type":"MODIFIED","rv":12,"prev":11,"changes":[{"path":"metadata.annotations[\"a.b/c\"]","old":"x"},{"path":"status.n","new":3}]}`
	full := `,"full":{"spec":{"list":[{"name":"a"},{"name":"b"}]}}`
	m := read(t, fmt.Sprintf(lines, full))
	check := func() {
		state, whole := m.Object(1).State(12)
		assert.True(t, whole)
		assert.Equal(t, map[string]any{
			"spec":     map[string]any{"list": []any{map[string]any{"name": "a"}, map[string]any{"name": "c"}}},
			"metadata": map[string]any{"annotations": map[string]any{}}, "status": map[string]any{"n": 3.0},
		}, state)
	}
	check()
	state, _ := m.Object(1).State(11)
	assert.Equal(t, map[string]any{"annotations": map[string]any{"a.b/c": "x"}}, state["metadata"])
	m.Forget(12)
	assert.Len(t, m.Object(1).Versions, 1)
	check()

	state, whole := read(t, fmt.Sprintf(lines, "")).Object(1).State(12)
	assert.False(t, whole)
	assert.Equal(t, map[string]any{"n": 3.0}, state["status"])
}

// After all is forgotten only definitions and the newest versions of objects that exist are left.
func TestForget(t *testing.T) {
	m := read(t, definitions)
	for i := range int64(1000) {
		seq := 10 + 6*i
		add(t, m, fmt.Sprintf(`
{"seq":%d,"t":%[2]d,"k":"version","obj":1,"type":"MODIFIED","rv":%[2]d,"by":"r%[2]d"}
{"seq":%[3]d,"t":%[2]d,"k":"request","id":"r%[2]d","actor":1,"began":1,"verb":"update","resource":1,"obj":1,"code":200,"rvOut":%[2]d}
{"seq":%[4]d,"t":%[2]d,"k":"event","watch":"w","actor":1,"type":"MODIFIED","obj":1,"rv":%[2]d}
{"seq":%[5]d,"t":%[2]d,"k":"log","stream":"stderr","message":"x","reconcile":"c%[2]d"}
{"seq":%[6]d,"t":%[2]d,"k":"reconcile","id":"c%[2]d","controller":"c","key":"default/a","state":"end","began":1,"source":"log"}
{"seq":%[7]d,"t":%[2]d,"k":"decision","reconcile":"c%[2]d","child":"x","action":"none"}`, seq, 100+i, seq+1, seq+2, seq+3, seq+4, seq+5))
	}
	m.Forget(10 + 6*1000)
	assert.Zero(t, m.Len())
	assert.Len(t, m.Object(1).Versions, 1)
	for name, n := range map[string]int{
		"deliveries": len(m.Object(1).Deliveries), "answered": len(m.Object(1).answered), "requests": len(m.requests), "recent": len(m.recent),
		"prefixes": len(m.prefixes), "awaited": len(m.awaited), "reconciles": len(m.reconciles), "keys": len(m.keys),
		"inferred": len(m.inferred), "logs": len(m.logs), "logsOf": len(m.logsOf), "parts": len(m.parts),
	} {
		assert.Zero(t, n, name)
	}
	add(t, m, `{"seq":7000,"t":9000,"k":"version","obj":1,"type":"DELETED","rv":9000}`)
	m.Forget(7001)
	assert.Nil(t, m.Object(1))
	assert.Nil(t, m.ByUID("ua"))
}

// A reconcile that a log line reports is of the object that its kind and key name, and of none if that object is not held.
func TestReconcileOfALineHasItsObject(t *testing.T) {
	m := read(t, definitions+`{"seq":8,"t":5,"k":"reconcile","id":"x","controller":"crontab","key":"default/b","of":"ConfigMap","state":"begin","began":5,"source":"log"}
{"seq":9,"t":6,"k":"reconcile","id":"y","controller":"crontab","key":"default/b","of":"Other.example.com","state":"begin","began":6,"source":"log"}`)
	require.NotNil(t, m.Reconcile("x").Object)
	assert.Equal(t, "ub", m.Reconcile("x").Object.UID)
	assert.Nil(t, m.Reconcile("y").Object)
}

// What a file defines is bounded, and what was too much is counted. What is defined again counts once.
func TestDefinitionsAreBounded(t *testing.T) {
	m := New()
	def := func(d trace.Def) { m.Add(trace.Record{Seq: 1, Raw: make([]byte, 100), Body: &d}) }
	for i := range trace.ActorID(maxActors + 5) {
		for range 2 {
			def(trace.Def{Actor: &trace.Actor{ID: i, Name: fmt.Sprint(i), Build: int(i)}})
		}
	}
	assert.EqualValues(t, 10, m.Undefined())
	assert.Len(t, slices.Collect(m.Actors()), maxActors)
	assert.Same(t, m.Actor(-1).Who, m.Actor(-2).Who, "actors that are too many share one")
	m.Add(trace.Record{Seq: 1, Body: &trace.Def{}})
	assert.EqualValues(t, 10, m.Undefined(), "what defines nothing that is known is not counted")
	assert.Len(t, slices.Collect(m.Actors()), maxActors)
	raw := make([]byte, 10_000)
	for i := range trace.ObjectID(20_000) {
		m.Add(trace.Record{Seq: 1, Raw: raw, Body: &trace.Def{Object: &trace.Object{ID: i, UID: fmt.Sprint(i)}}})
	}
	assert.LessOrEqual(t, len(slices.Collect(m.Objects())), maxDefsBytes/10_000)
	assert.Greater(t, m.Undefined(), int64(5_000))
}

// A reconcile that is recorded before its object is linked with it, unless it was long before: then it was of another object of that name.
func TestReconcileRecordedBeforeItsObject(t *testing.T) {
	reconcile := `{"seq":8,"t":1000,"k":"reconcile","id":"r","controller":"crontab","actor":1,"key":"default/late","of":"CronTab.example.com","state":"begin","began":1000,"source":"hook"}
{"seq":9,"t":1000,"k":"reconcile","id":"other","controller":"other","actor":1,"key":"default/late","of":"ConfigMap","state":"begin","began":1000,"source":"hook"}
`
	m := read(t, definitions+reconcile+`{"seq":10,"t":2000,"k":"def","object":{"id":3,"uid":"uc","resource":1,"ns":"default","name":"late"}}`)
	assert.Same(t, m.Object(3), m.Reconcile("r").Object)
	assert.Nil(t, m.Reconcile("other").Object)
	m = read(t, definitions+reconcile+`{"seq":10,"t":10000000000,"k":"def","object":{"id":3,"uid":"uc","resource":1,"ns":"default","name":"late"}}`)
	assert.Nil(t, m.Reconcile("r").Object)
}

// A reconcile to which no delivery led was likely asked for by the one before, or follows its failure.
func TestCauseWithoutADelivery(t *testing.T) {
	line := `{"seq":%d,"t":%d,"k":"reconcile","id":"%s","controller":"crontab","actor":1,"key":"default/a","obj":1,"state":"%s","began":%d,"source":"log"%s}`
	for _, test := range []struct {
		end   string
		began int64
		why   string
	}{
		{`,"result":"requeue","after":300000000`, 401e6, "timer"},
		{`,"result":"requeue","after":300000000`, 200e6, ""},
		{`,"result":"error","err":"no"`, 110e6, "retry"},
		{`,"result":"error","err":"no"`, 101e6, ""}, // something else led to it
		{`,"result":"error","err":"no"`, 3600e9, ""},
		{`,"result":"requeue","after":300000000`, 3600e9, ""},
		{`,"result":"ok"`, 401e6, ""},
	} {
		m := read(t, definitions+fmt.Sprintf(line, 10, int64(90e6), "r1", "begin", int64(90e6), "")+"\n"+fmt.Sprintf(line, 11, int64(100e6), "r1", "end", int64(90e6), test.end)+"\n"+
			fmt.Sprintf(line, 12, test.began, "r2", "begin", test.began, ""))
		causes := m.Causes(m.Reconcile("r2"))
		if test.why == "" {
			assert.Empty(t, causes)
			continue
		}
		require.Len(t, causes, 1, test.why)
		assert.Equal(t, test.why, causes[0].Why)
		assert.Equal(t, trace.Likely, causes[0].Certainty)
	}
}
