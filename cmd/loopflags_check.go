package cmd

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/crdctl/crdctl/internal/config"
)

// check holds the result to the rules of the settings, and calls what is wrong by its flag where there was one.
func (f *loopFlags) check(l *config.Loop) error {
	var problems []error
	called := map[string]string{}
	for name, field := range f.fields() {
		if f.set.Changed(name) {
			called[field] = "--" + name
		}
	}
	report := func(field, format string, args ...any) {
		bare, _, _ := strings.Cut(field, "[")
		name, ok := called[bare]
		if !ok {
			name = config.FileName + ": loop." + field
		}
		problems = append(problems, fmt.Errorf("%s: %s", name, fmt.Sprintf(format, args...)))
	}
	for name, n := range map[string]int64{
		"workers": int64(f.flag.Workers), "shards": int64(f.flag.Shards), "hook-max-bytes": f.flag.MaxAnswerBytes,
		"hook-parallel": int64(f.flag.Parallel), "hook-timeout": int64(f.flag.Timeout),
		"retry-first": int64(f.flag.RetryFirst), "retry-last": int64(f.flag.RetryLast),
		"lease-duration": int64(f.flag.LeaseDuration), "kube-api-burst": int64(f.flag.Burst),
	} {
		if f.set.Changed(name) && n < 1 { // in the file 0 is what was left out; on the command line it is meant
			problems = append(problems, fmt.Errorf("--%s is %s; at least 1 is needed", name, f.set.Lookup(name).Value))
		}
	}
	if f.set.Changed("kube-api-qps") && f.flag.QPS == 0 {
		problems = append(problems, errors.New("--kube-api-qps must be at least 1, or -1 for no limit, got 0"))
	}
	for name, what := range map[string]string{
		"hook": "a program or a URL", "finalize-hook": "a program or a URL", "customize-hook": "a program or a URL", "template": "a folder",
	} {
		if f.set.Changed(name) && f.set.Lookup(name).Value.String() == "" { // of a variable that is not set, for example
			problems = append(problems, fmt.Errorf("--%s is empty; name %s, or leave it out", name, what))
		}
	}
	if len(problems) == 0 { // or numbers would be told of twice
		l.Check(report)
	}
	if _, err := labels.Parse(l.Selector); err != nil {
		report("selector", "%v; write for example app=x,tier!=test", err)
	}
	if f.set.Changed("shard-by") && l.Shards <= 1 {
		report("shardBy", "there is one shard, and nothing to divide; set --shards too")
	}
	if len(problems) == 0 {
		return nil
	}
	// Maps above are walked in random order; the error must not depend on it.
	slices.SortFunc(problems, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return usageError{errors.Join(problems...)}
}
