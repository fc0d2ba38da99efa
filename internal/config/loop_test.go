// SPDX-License-Identifier: Apache-2.0

package config

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const loopHead = head + "loop:\n"

// A project of the built-in loop needs no Go API.
func TestLoopIsRead(t *testing.T) {
	p, err := Parse(FileName, []byte(loopHead+`  name: crontab
  hook: python3 'my hooks/sync.py' --fast
  finalizeHook: http://127.0.0.1:8000/finalize
  persistent: true
  timeout: 1m30s
  maxAnswerBytes: 1000
  parallel: 8
  owns: [apps/v1/Deployment, v1/ConfigMap, example.com/v1/Thing=things]
  workers: 4
  resync: 0s
  retryFirst: 100ms
  retryLast: 1m
  watchList: true
  namespaces: [a, b]
  selector: app=x
  shards: 8
  shardBy: namespace
  leaseDuration: 5s
  kubeAPIQPS: -1
  kubeAPIBurst: 7
`))
	require.NoError(t, err)
	never := time.Duration(0)
	want := Loop{
		Name: "crontab", Hook: "python3 'my hooks/sync.py' --fast", FinalizeHook: "http://127.0.0.1:8000/finalize", Persistent: true,
		Timeout: 90 * time.Second, MaxAnswerBytes: 1000, Parallel: 8, Owns: []string{"apps/v1/Deployment", "v1/ConfigMap", "example.com/v1/Thing=things"},
		Workers: 4, Resync: &never, RetryFirst: 100 * time.Millisecond, RetryLast: time.Minute, WatchList: true, Namespaces: []string{"a", "b"}, Selector: "app=x", Shards: 8, ShardBy: ShardByNamespace,
		LeaseDuration: 5 * time.Second, QPS: -1, Burst: 7,
	}
	assert.Equal(t, want, p.Loop)
	assert.Equal(t, want, p.Loop.WithDefaults("other"), "defaults make: of what is all given")
}

func TestLoopDefaults(t *testing.T) {
	l := (Loop{}).WithDefaults("crontab")
	if l.Name != "crontab" || l.Timeout != 10*time.Second || l.MaxAnswerBytes != 8388608 || l.Workers != 2 || *l.Resync != 30*time.Second || l.Shards != 1 || l.ShardBy != "key" || l.LeaseDuration != 15*time.Second || l.QPS != 50 || l.Burst != 100 {
		t.Errorf("%+v", l)
	}
	if never := (Loop{Hook: "./sync"}).WithDefaults("crontab"); *never.Resync != 0 {
		t.Errorf("a hook is asked about every object each %s", never.Resync)
	}
	var unset Loop
	assert.False(t, unset.IsSet(), "what is set, and what is not, is confused")
	assert.True(t, l.IsSet(), "what is set, and what is not, is confused")
}

func TestLoopLimits(t *testing.T) {
	_, err := Parse(FileName, []byte(loopHead+"  shards: 256\n  maxAnswerBytes: 1073741824\n"))
	require.NoError(t, err, "the largest")
	// YAML is content with this quote, a shell is not.
	_, err = Parse(FileName, []byte(loopHead+"  hook: a 'b\n"))
	require.Error(t, err)
	assert.True(t, strings.HasPrefix(err.Error(), `crdctl.yaml:4:9: loop.hook: "a 'b" cannot be split into words: `))
}

// What a command is written as is read as the same words.
func TestCommandThereAndBack(t *testing.T) {
	for text, want := range map[string][]string{
		"./sync.py":                     {"./sync.py"},
		`python3 "my hooks/sync.py" ''`: {"python3", "my hooks/sync.py", ""},
		`sh -c 'echo $A | cat'`:         {"sh", "-c", "echo $A | cat"},
		`a "\$x \y \\" \"`:              {"a", `$x \y \`, `"`},
		`a\ b --x="it's"`:               {"a b", "--x=it's"},
	} {
		c, err := ParseCommand(text)
		if err != nil || !reflect.DeepEqual(c.Words, want) {
			t.Errorf("%s: %q, %v, want %q", text, c.Words, err, want)
			continue
		}
		if again, err := ParseCommand(c.String()); err != nil || !reflect.DeepEqual(again, c) {
			t.Errorf("%s: written as %s, which is %q, %v", text, c, again.Words, err)
		}
	}
	if c, err := ParseCommand("https://hooks.example.com/sync?a=b"); err != nil || c.URL != c.String() || c.Words != nil {
		t.Errorf("a URL: %+v, %v", c, err)
	}
}

func TestParseObjectKind(t *testing.T) {
	for text, want := range map[string]ObjectKind{
		"apps/v1/Deployment":          {Group: "apps", Version: "v1", Kind: "Deployment"},
		"v1/ConfigMap":                {Version: "v1", Kind: "ConfigMap"},
		"core/v1/ConfigMap":           {Version: "v1", Kind: "ConfigMap"},
		"example.com/v1/Thing=things": {Group: "example.com", Version: "v1", Kind: "Thing", Plural: "things"},
	} {
		if got, err := ParseObjectKind(text); err != nil || got != want {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
	if k := (ObjectKind{Version: "v1", Kind: "Pod"}); k.APIVersion() != "v1" || k.String() != "core/v1/Pod" {
		t.Errorf("%s, %s", k.APIVersion(), k)
	}
	assert.Equal(t, "apps/v1", ObjectKind{Group: "apps", Version: "v1"}.APIVersion())
}
