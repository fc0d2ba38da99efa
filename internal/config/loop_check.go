package config

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// maxName is the longest label of DNS.
const maxName = 63

// minLease is the shortest lease: a Lease says its duration in whole seconds.
const minLease = time.Second

// The largest numbers that are taken. Shards are bounded by what is written for them: one request for each of them and retry of
// a lease; an answer by the memory that it takes many times over.
const (
	MaxLoopAnswer = 1 << 30
	MaxLoopShards = 256
)

var dnsLabel = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`)

// Check reports all that is wrong with the settings, by the fields' names in the file, such as timeout or owns[1]. Flags
// that were put over the settings are checked with it too, so that both are held to the same.
func (l *Loop) Check(report func(field, format string, args ...any)) {
	if l.Name != "" && !IsDNSLabel(l.Name) {
		report("name", "%q must be lower-case letters, digits and hyphens, %d at most, for example crontab", l.Name, maxName)
	}
	l.checkDeciders(report)
	l.checkKinds(report)
	l.checkNumbers(report)
	for i, namespace := range l.Namespaces {
		if !IsDNSLabel(namespace) {
			report(fmt.Sprintf("namespaces[%d]", i), "%q is no name of a namespace; they are lower-case letters, digits and hyphens", namespace)
		}
	}
	if l.ShardBy != "" && l.ShardBy != ShardByKey && l.ShardBy != ShardByNamespace {
		report("shardBy", "%q is not %s or %s", l.ShardBy, ShardByKey, ShardByNamespace)
	}
}

// IsDNSLabel tells whether a text can be the name of a namespace, and so part of any other name.
func IsDNSLabel(text string) bool { return len(text) <= maxName && dnsLabel.MatchString(text) }

func (l *Loop) checkDeciders(report func(field, format string, args ...any)) {
	for field, text := range map[string]string{"hook": l.Hook, "finalizeHook": l.FinalizeHook, "customizeHook": l.CustomizeHook} {
		if text == "" {
			continue
		}
		if _, err := ParseCommand(text); err != nil {
			report(field, "%v", err)
		}
		switch {
		case l.Template != "":
			report(field, "there is a template too, and one thing decides on an object; leave out the one or the other")
		case l.Hook == "":
			report(field, "there is no hook for objects that are not being deleted; name it as hook, it may be the same program")
		}
	}
	if l.Persistent {
		switch c, err := ParseCommand(l.Hook); {
		case l.Hook == "":
			report("persistent", "there is no hook whose program would be kept running; name it as hook, or leave persistent out")
		case err == nil && c.URL != "":
			report("persistent", "the hook is a URL, and only a program can be kept running; leave persistent out")
		}
	}
}

func (l *Loop) checkKinds(report func(field, format string, args ...any)) {
	if !l.Decides() && len(l.Owns) > 0 {
		report("owns", "nothing decides on children; name a hook or a template")
	}
	if l.CustomizeHook == "" && l.Template == "" && len(l.Related) > 0 {
		report("related", "nothing asks for related objects; name a customizeHook or a template")
	}
	for field, texts := range map[string][]string{"owns": l.Owns, "related": l.Related} {
		seen := map[ObjectKind]bool{}
		for i, text := range texts {
			k, err := ParseObjectKind(text)
			k.Plural = ""
			switch at := fmt.Sprintf("%s[%d]", field, i); {
			case err != nil:
				report(at, "%v", err)
			case seen[k]:
				report(at, "%q is there already; name each kind once", text)
			}
			seen[k] = true
		}
	}
}

func (l *Loop) checkNumbers(report func(field, format string, args ...any)) {
	for field, n := range map[string]int64{
		"maxAnswerBytes": l.MaxAnswerBytes, "parallel": int64(l.Parallel), "workers": int64(l.Workers), "shards": int64(l.Shards), "kubeAPIBurst": int64(l.Burst),
	} {
		if n < 0 {
			report(field, "%d is less than 1, and at least 1 is needed; leave it out for the default", n)
		}
	}
	if l.MaxAnswerBytes > MaxLoopAnswer {
		report("maxAnswerBytes", "%d is more than %d (1 GiB), which is the most", l.MaxAnswerBytes, MaxLoopAnswer)
	}
	if l.Shards > MaxLoopShards {
		report("shards", "%d is more than %d, which is the most", l.Shards, MaxLoopShards)
	}
	if l.QPS < -1 {
		report("kubeAPIQPS", "must be at least 1, or -1 for no limit, got %d", l.QPS)
	}
	if l.Timeout < 0 {
		report("timeout", "%s is negative; write for example 10s", l.Timeout)
	}
	if l.RetryFirst < 0 {
		report("retryFirst", "%s is negative; write for example 5ms", l.RetryFirst)
	}
	if l.RetryLast < 0 || l.RetryLast > 0 && l.RetryLast < l.RetryFirst {
		report("retryLast", "%s is less than the first wait, %s; write for example 30s", l.RetryLast, l.RetryFirst)
	}
	if l.LeaseDuration != 0 && l.LeaseDuration < minLease {
		report("leaseDuration", "%s leaves no time to renew a lease; at least %s is needed, for example 15s", l.LeaseDuration, minLease)
	}
	if l.Resync != nil && *l.Resync < 0 {
		report("resync", "%s is negative; write for example 30s, or 0s for never", *l.Resync)
	}
}

// validateLoop is Check for the settings of the file, whose paths lie in the project.
func (p *Project) validateLoop(report func(field, format string, args ...any)) {
	p.Loop.Check(func(field, format string, args ...any) { report("loop."+field, format, args...) })
	if t := p.Loop.Template; t != "" && (!filepath.IsLocal(filepath.FromSlash(t)) || strings.Contains(t, `\`)) {
		report("loop.template", "%q must be a path below the folder of %s, with forward slashes", t, FileName)
	}
}
