package install

import (
	"fmt"
	"strings"

	"github.com/crdctl/crdctl/internal/config"
)

// httpPort is where the pods serve metrics and probes.
const httpPort = 8080

// args are those of crdctl in the pods. What is a default is left out: it follows crdctl's own, in the image.
func (o *Options) args(c *cargo) []string {
	l, args := &o.Loop, []string{"run", "--builtin", "--in-cluster"}
	add := func(format string, values ...any) { args = append(args, fmt.Sprintf("--"+format, values...)) }
	each := func(flag string, values []string) {
		for _, value := range values {
			add("%s=%s", flag, value)
		}
	}
	add("name=%s", l.Name)
	for _, crd := range o.CRDs {
		add("crd=%s", crd.Name)
	}
	if l.Shards > 1 {
		add("shards=%d", l.Shards)
		add("shard-by=%s", l.ShardBy)
	} else {
		add("leader-elect")
	}
	add("lease-namespace=%s", o.Namespace)
	if l.LeaseDuration != config.DefaultLoopLease {
		add("lease-duration=%s", l.LeaseDuration)
	}
	add("metrics=:%d", httpPort)
	args = append(args, c.flags...)
	if l.Persistent {
		add("hook-persistent")
	}
	if l.Hook != "" {
		if l.Timeout != config.DefaultLoopTimeout {
			add("hook-timeout=%s", l.Timeout)
		}
		if l.MaxAnswerBytes != config.DefaultLoopMaxAnswer {
			add("hook-max-bytes=%d", l.MaxAnswerBytes)
		}
		if l.Parallel > 0 {
			add("hook-parallel=%d", l.Parallel)
		}
	}
	each("owns", l.Owns)
	each("related", l.Related)
	if l.Workers != config.DefaultLoopWorkers {
		add("workers=%d", l.Workers)
	}
	if usual := (config.Loop{Hook: l.Hook, Template: l.Template}).WithDefaults(""); *l.Resync != *usual.Resync {
		add("resync=%s", *l.Resync)
	}
	if l.RetryFirst != config.DefaultLoopRetryFirst {
		add("retry-first=%s", l.RetryFirst)
	}
	if l.RetryLast != config.DefaultLoopRetryLast {
		add("retry-last=%s", l.RetryLast)
	}
	if l.WatchList {
		add("watch-list")
	}
	if l.QPS != config.DefaultLoopQPS {
		add("kube-api-qps=%d", l.QPS)
	}
	if l.Burst != config.DefaultLoopBurst {
		add("kube-api-burst=%d", l.Burst)
	}
	each("namespace", l.Namespaces)
	if l.Selector != "" {
		add("selector=%s", l.Selector)
	}
	for i := range args {
		args[i] = strings.ReplaceAll(args[i], "$(", "$$(") // or the kubelet would put a variable there
	}
	return args
}
