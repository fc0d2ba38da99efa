// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crdctl/crdctl/e2e/internal/harness/faultproxy"
)

// world is an object as it should be, with its children as the hook makes them.
func world(t *testing.T) (basket, []configMap) {
	t.Helper()
	b := basket{ObjectMeta: metav1.ObjectMeta{Name: "b", UID: "1", Generation: 3}, Spec: spec{Count: 2, Text: "t"}, Status: status{3, spec{2, "t"}}}
	data, err := json.Marshal(question{Parent: b}.answer()["children"])
	require.NoError(t, err)
	var all []configMap
	require.NoError(t, json.Unmarshal(data, &all))
	for i := range all {
		all[i].OwnerReferences = []metav1.OwnerReference{{Name: "b", UID: "1", Controller: new(true)}}
	}
	return b, all
}

func TestDifferences(t *testing.T) {
	gone := metav1.NewTime(time.Unix(1, 0))
	for want, change := range map[string]func(*basket, *[]configMap){
		"":                           func(*basket, *[]configMap) {},
		"b is ":                      func(b *basket, _ *[]configMap) { b.Generation++ },
		"still being deleted":        func(b *basket, _ *[]configMap) { b.DeletionTimestamp = &gone },
		`b-1 is "", want `:           func(_ *basket, c *[]configMap) { *c = (*c)[:1] },
		"finalizers []":              func(_ *basket, c *[]configMap) { (*c)[0].DeletionTimestamp = &gone },
		"of b with UID 2":            func(_ *basket, c *[]configMap) { (*c)[0].OwnerReferences[0].UID = "2" },
		"of no owner with":           func(_ *basket, c *[]configMap) { (*c)[0].OwnerReferences = nil },
		`b-1 is "map[text:other] of`: func(_ *basket, c *[]configMap) { (*c)[1].Data[childKey] = "other" },
		`b-1 is "map[more:x`:         func(_ *basket, c *[]configMap) { (*c)[1].Data["more"] = "x" },
		`left is "map[] of no owner `: func(_ *basket, c *[]configMap) {
			*c = append(*c, configMap{ObjectMeta: metav1.ObjectMeta{Name: "left"}})
		},
	} {
		b, c := world(t)
		change(&b, &c)
		found := strings.Join(differences([]basket{b}, c), "\n")
		assert.Contains(t, found, want)
		assert.Equal(t, want == "", found == "", found)
	}
}

func TestJudge(t *testing.T) {
	first := holding{replica: "a", pid: 7, values: []float64{10, 50, 40, 15}}
	for want, values := range map[string][]float64{
		"":                              {15, 500, 50, 23},
		"from round 0 to 2: from 10 to": {17, 50, 40, 15},
		"from 40 to 51 goroutines":      {10, 50, 51, 15},
		"from 15 to 24 open files":      {10, 50, 40, 24},
	} {
		peak := holding{pid: 7, round: 1, values: []float64{99, 99, 99, 99}} // is no growth
		other := holding{replica: "b", pid: 8, values: []float64{90, 90, 90, 90}}
		found := strings.Join(judge([]holding{first, peak, {pid: 7, round: 2, values: values}, other}), "\n")
		assert.Contains(t, found, want)
		assert.Equal(t, want == "", found == "", found)
	}
}

func TestLedger(t *testing.T) {
	for name, test := range map[string]struct {
		calls string // of replicas, in order: replica, key, begin, end; or pause, replica, time
		want  int
	}{
		"after each other":         {"a x 1 2,b x 2 3", 0},
		"at once":                  {"a x 1 3,b x 2 4", 1},
		"within":                   {"a x 1 4,b x 2 3", 1},
		"other keys":               {"a x 1 3,b y 2 4", 0},
		"twice in one":             {"a x 1 3,a x 2 4", 0},
		"open and another replica": {"a x 1 99,b x 4 5", 1},
		"open and too long ago":    {"a x 1 99,b x 5 6", 0},
		"open behind a later one":  {"a x 1 99,a x 2 3,b x 4 5", 1},
		"frozen":                   {"a x 1 99,pause a 2,b x 3 4", 0},
		"another was frozen":       {"a x 1 99,pause c 2,b x 3 4", 1},
		"works again":              {"pause a 1,a x 2 4,b x 3 4", 1},
	} {
		l, found := newLedger(func(string, ...any) {}), []string{}
		l.wrong = func(format string, _ ...any) { found = append(found, format) }
		ends := map[*work]time.Time{}
		for call := range strings.SplitSeq(test.calls, ",") {
			words := strings.Fields(call)
			if words[0] == "pause" {
				l.paused[words[1]] = at(t, words[2])
				continue
			}
			now := at(t, words[2])
			for w, end := range ends {
				if !end.After(now) {
					l.end(w)
				}
			}
			ends[l.begin(words[0], words[1], now)] = at(t, words[3])
		}
		assert.Len(t, found, test.want, name)
		assert.Equal(t, test.want, l.overlapping, name)
	}
}

func at(t *testing.T, second string) time.Time {
	t.Helper()
	d, err := time.ParseDuration(second + "s")
	require.NoError(t, err)
	return time.Unix(0, 0).Add(d)
}

// The same seed has the same faults, and no replica is killed whose memory is watched.
func TestDeck(t *testing.T) {
	faults := func(seed uint64) (all []string) {
		s := &soak{out: t.Output(), plane: &plane{}, hooks: &hooks{}, random: rand.New(rand.NewPCG(seed, 0))}
		s.replicas = []*replica{{process: process{name: "a"}, spared: true, proxy: &faultproxy.Proxy{}}, {process: process{name: "b"}}}
		for _, f := range s.deck() {
			all = append(all, f.what)
		}
		return all
	}
	one := faults(1)
	assert.Equal(t, one, faults(1))
	assert.NotEqual(t, one, faults(2))
	text := strings.Join(one, "\n")
	for _, want := range []string{"replica b: kill -9", "replica b: SIGTERM", "replica a: SIGSTOP", "replica a: watches cut", "control plane: kill -9", "always fails", "touched"} {
		assert.Contains(t, text, want)
	}
	for _, bad := range []string{"replica a: kill", "replica a: SIGTERM", "replica b: watches"} {
		assert.NotContains(t, text, bad)
	}
}
