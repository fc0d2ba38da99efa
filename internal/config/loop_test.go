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

func TestLoopRefuses(t *testing.T) {
	for in, want := range map[string]string{
		"  name: Cron Tab\n":                                  `crdctl.yaml:4:9: loop.name: "Cron Tab" must be lower-case letters, digits and hyphens, 63 at most, for example crontab`,
		"  hooks: x\n":                                        `crdctl.yaml:4:3: unknown field "hooks"; did you mean "hook"?`,
		"  timeout: soon\n":                                   "crdctl.yaml:4:3: must be a duration such as 10s, got soon; see docs/settings.md of crdctl",
		"  hook: a\n  template: b\n":                          `crdctl.yaml:4:9: loop.hook: there is a template too, and one thing decides on an object; leave out the one or the other`,
		"  finalizeHook: a\n":                                 `crdctl.yaml:4:17: loop.finalizeHook: there is no hook for objects that are not being deleted; name it as hook, it may be the same program`,
		"  hook: 'a | b'\n":                                   `crdctl.yaml:4:9: loop.hook: "a | b" needs a shell, and is started without one; put it into a script, or write sh -c '...'`,
		"  hook: 'a $HOME'\n":                                 `crdctl.yaml:4:9: loop.hook: "a $HOME" needs a shell, and is started without one; put it into a script, or write sh -c '...'`,
		"  hook: ~/a\n":                                       `crdctl.yaml:4:9: loop.hook: "~/a" needs a shell, and is started without one; put it into a script, or write sh -c '...'`,
		"  hook: http:///x\n":                                 `crdctl.yaml:4:9: loop.hook: "http:///x" is no URL; write for example http://127.0.0.1:8000/sync`,
		"  hook: ' '\n":                                       `crdctl.yaml:4:9: loop.hook: no program is named; write for example ./sync.py or python3 sync.py`,
		"  persistent: true\n":                                `crdctl.yaml:4:15: loop.persistent: there is no hook whose program would be kept running; name it as hook, or leave persistent out`,
		"  owns: [v1/Pod]\n":                                  `crdctl.yaml:4:9: loop.owns: nothing decides on children; name a hook or a template`,
		"  workers: -1\n":                                     `crdctl.yaml:4:12: loop.workers: must be at least 1, got -1`,
		"  shards: 257\n":                                     `crdctl.yaml:4:11: loop.shards: 257 is more than 256, which is the most`,
		"  maxAnswerBytes: 1073741825\n":                      `crdctl.yaml:4:19: loop.maxAnswerBytes: 1073741825 is more than 1073741824 (1 GiB), which is the most`,
		"  resync: -1s\n":                                     `crdctl.yaml:4:11: loop.resync: must not be negative, got -1s`,
		"  namespaces: [a, B]\n":                              `crdctl.yaml:4:19: loop.namespaces[1]: "B" is no name of a namespace; they are lower-case letters, digits and hyphens`,
		"  shardBy: name\n":                                   `crdctl.yaml:4:12: loop.shardBy: "name" is not key or namespace`,
		"  leaseDuration: 900ms\n":                            `crdctl.yaml:4:18: loop.leaseDuration: 900ms leaves no time to renew a lease; at least 1s is needed, for example 15s`,
		"  template: ../x\n":                                  `crdctl.yaml:4:13: loop.template: "../x" must be a path below the folder of crdctl.yaml, with forward slashes`,
		"  hook: a\n  related: [b]\n":                         "crdctl.yaml:5:12: loop.related: nothing asks for related objects; name a customizeHook or a template\ncrdctl.yaml:5:13: loop.related[0]: \"b\" must be GROUP/VERSION/KIND, for example apps/v1/Deployment, or v1/ConfigMap for the core group",
		"  hook: http://a/b\n  persistent: true\n":            `crdctl.yaml:5:15: loop.persistent: the hook is a URL, and only a program can be kept running; leave persistent out`,
		"  hook: a\n  owns: [v1/Pod, core/v1/Pod=pods]\n":     `crdctl.yaml:5:18: loop.owns[1]: "core/v1/Pod=pods" is there already; name each kind once`,
		"  hook: a\n  owns: [example.com/v1/Thing=Th.ings]\n": `crdctl.yaml:5:10: loop.owns[0]: "example.com/v1/Thing=Th.ings" must have the plural name of the resource after the equals sign, for example example.com/v1/Thing=things`,
		"  {}\n": `crdctl.yaml: apis: is empty; name the folders of the API packages, for example apis: [pkg/apis]`,
	} {
		_, err := Parse(FileName, []byte(loopHead+in))
		assert.EqualError(t, err, want, in)
	}
	if _, err := Parse(FileName, []byte(loopHead+"  shards: 256\n  maxAnswerBytes: 1073741824\n")); err != nil {
		t.Errorf("the largest: %v", err)
	}
	// YAML is content with this quote, a shell is not.
	_, err := Parse(FileName, []byte(loopHead+"  hook: a 'b\n"))
	require.Error(t, err)
	assert.True(t, strings.HasPrefix(err.Error(), `crdctl.yaml:4:9: loop.hook: "a 'b" can't be split into words: `))
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
