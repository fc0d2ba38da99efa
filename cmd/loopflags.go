package cmd

import (
	"github.com/spf13/pflag"

	"github.com/crdctl/crdctl/internal/config"
)

// loopFlags are the flags that say what the section loop of crdctl.yaml says. run and manifests have them all, and a flag
// that is given takes the place of what the file says.
type loopFlags struct {
	set *pflag.FlagSet
	// namespaces is what this command calls the flag of the namespaces to follow: manifests has another use for --namespace.
	namespaces string
	flag       config.Loop
}

// bind registers the flags with a set of their own, which the command adds to its others.
func (f *loopFlags) bind(namespaces, short string) *pflag.FlagSet {
	f.set, f.namespaces = pflag.NewFlagSet("loop", pflag.ContinueOnError), namespaces
	l, set := &f.flag, f.set
	*l = (config.Loop{}).WithDefaults("")
	set.StringVar(&l.Name, "name", "", "`name` of the controller: its field manager, finalizer and leases (default: the module's or the folder's)")
	set.StringVar(&l.Hook, "hook", "", "`program` with its arguments, or URL, that decides the children of an object (see docs/hooks.md)")
	set.StringVar(&l.FinalizeHook, "finalize-hook", "", "`program` or URL that decides when an object is being deleted")
	set.StringVar(&l.CustomizeHook, "customize-hook", "", "`program` or URL that says which other objects the hooks are shown")
	set.BoolVar(&l.Persistent, "hook-persistent", false, "keep the hook's program running, and send it lines of JSON")
	set.DurationVar(&l.Timeout, "hook-timeout", l.Timeout, "how long one call of a hook, or one rendering of templates, may take")
	set.Int64Var(&l.MaxAnswerBytes, "hook-max-bytes", l.MaxAnswerBytes, "how large the answer of a hook may be")
	set.IntVar(&l.Parallel, "hook-parallel", 0, "how many programs of hooks run at the same time, where one is started for each call (default: four for each processor)")
	set.StringVar(&l.Template, "template", "", "`folder` of Go templates that render the children, in place of a hook")
	set.StringArrayVar(&l.Owns, "owns", nil, "`GROUP/VERSION/KIND` of children, with =PLURAL for one that is not Kubernetes' or the project's (repeatable)")
	set.StringArrayVar(&l.Related, "related", nil, "`GROUP/VERSION/KIND` of other objects that hooks are shown (repeatable)")
	set.IntVar(&l.Workers, "workers", l.Workers, "number of objects of a kind worked on at the same time")
	set.DurationVar(l.Resync, "resync", *l.Resync, "how often the hook or the templates are asked about every object again, 0 for never, which is their default; without them it does nothing")
	set.DurationVar(&l.RetryFirst, "retry-first", l.RetryFirst, "how long an object that failed waits for its next try; each failure doubles that")
	set.DurationVar(&l.RetryLast, "retry-last", l.RetryLast, "how long an object that fails again and again waits at most")
	set.BoolVar(&l.WatchList, "watch-list", false, "have the API server stream the first list: it needs less memory, and both sides more processor time")
	set.IntVar(&l.QPS, "kube-api-qps", l.QPS, "requests a second to a cluster that is not crdctl's own; -1 for no limit")
	set.IntVar(&l.Burst, "kube-api-burst", l.Burst, "requests at once to a cluster that is not crdctl's own")
	set.StringArrayVarP(&l.Namespaces, namespaces, short, nil, "work on this `namespace` only (repeatable)")
	set.StringVar(&l.Selector, "selector", "", "work on objects with these `labels` only, for example app=x")
	set.IntVar(&l.Shards, "shards", l.Shards, "into how many parts replicas divide the objects; more than 1 needs leases")
	set.StringVar(&l.ShardBy, "shard-by", l.ShardBy, "what decides on an object's part: key or namespace")
	set.DurationVar(&l.LeaseDuration, "lease-duration", l.LeaseDuration, "how long replicas wait for one that is silent before they take its part")
	return set
}

// fields are the settings that the flags set.
func (f *loopFlags) fields() map[string]string {
	return map[string]string{
		"name": "name", "hook": "hook", "finalize-hook": "finalizeHook", "customize-hook": "customizeHook", "hook-persistent": "persistent",
		"hook-timeout": "timeout", "hook-max-bytes": "maxAnswerBytes", "hook-parallel": "parallel", "template": "template",
		"owns": "owns", "related": "related", "workers": "workers", "resync": "resync", f.namespaces: "namespaces",
		"retry-first": "retryFirst", "retry-last": "retryLast", "watch-list": "watchList",
		"kube-api-qps": "kubeAPIQPS", "kube-api-burst": "kubeAPIBurst",
		"selector": "selector", "shards": "shards", "shard-by": "shardBy", "lease-duration": "leaseDuration",
	}
}

// over is the settings l with the flags that were given put over them, checked, and with defaults. All paths in the result
// are relative to root; those of flags are relative to the folder base.
func (f *loopFlags) over(l config.Loop, root, base string) (config.Loop, error) {
	if f.set.Changed("template") { // one thing decides, and a flag is the last word on what
		l.Hook, l.FinalizeHook, l.CustomizeHook, l.Persistent = "", "", "", false
	}
	if f.set.Changed("hook") {
		l.Template = ""
	}
	flag := f.flag
	for name, do := range map[string]func(){
		"name":            func() { l.Name = flag.Name },
		"hook":            func() { l.Hook = rebased(flag.Hook, root, base) },
		"finalize-hook":   func() { l.FinalizeHook = rebased(flag.FinalizeHook, root, base) },
		"customize-hook":  func() { l.CustomizeHook = rebased(flag.CustomizeHook, root, base) },
		"hook-persistent": func() { l.Persistent = flag.Persistent },
		"hook-timeout":    func() { l.Timeout = flag.Timeout },
		"hook-max-bytes":  func() { l.MaxAnswerBytes = flag.MaxAnswerBytes },
		"hook-parallel":   func() { l.Parallel = flag.Parallel },
		"template":        func() { l.Template = relativeTo(root, base, flag.Template) },
		"owns":            func() { l.Owns = flag.Owns },
		"related":         func() { l.Related = flag.Related },
		"workers":         func() { l.Workers = flag.Workers },
		"resync":          func() { l.Resync = flag.Resync },
		"retry-first":     func() { l.RetryFirst = flag.RetryFirst },
		"retry-last":      func() { l.RetryLast = flag.RetryLast },
		"watch-list":      func() { l.WatchList = flag.WatchList },
		"kube-api-qps":    func() { l.QPS = flag.QPS },
		"kube-api-burst":  func() { l.Burst = flag.Burst },
		f.namespaces:      func() { l.Namespaces = flag.Namespaces },
		"selector":        func() { l.Selector = flag.Selector },
		"shards":          func() { l.Shards = flag.Shards },
		"shard-by":        func() { l.ShardBy = flag.ShardBy },
		"lease-duration":  func() { l.LeaseDuration = flag.LeaseDuration },
	} {
		if f.set.Changed(name) {
			do()
		}
	}
	if err := f.check(&l); err != nil {
		return l, err
	}
	return l.WithDefaults(controllerName(root)), nil
}
