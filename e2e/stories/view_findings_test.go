// SPDX-License-Identifier: Apache-2.0

package stories

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/crdctl/crdctl/internal/safefs/safefstest"
	"github.com/crdctl/crdctl/internal/trace"
	"github.com/crdctl/crdctl/internal/view/finding"
	"github.com/crdctl/crdctl/internal/view/model"
)

// recorded is the project of testdata/view while "crdctl run" records it.
type recorded struct {
	*world
	dir, file string
	run       *process
}

// record starts the run of a controller that is written for the story. Its modules are those of the story of kubebuilder.
func (w *world) record(args ...string) *recorded {
	w.Helper()
	r := &recorded{world: w, dir: filepath.Join(w.dir, "view"), file: filepath.Join(w.dir, "run.crdctl.gz")}
	w.check(os.CopyFS(r.dir, os.DirFS("testdata/view")))
	kubebuilder, err := txtar.ParseFile("testdata/script/kubebuilder.txtar")
	w.check(err)
	i := slices.IndexFunc(kubebuilder.Files, func(f txtar.File) bool { return f.Name == "shop/go.mod" })
	require.GreaterOrEqual(w, i, 0)
	w.write(filepath.Join(r.dir, "go.mod"), strings.Replace(string(kubebuilder.Files[i].Data), "module example.com/shop", "module example.com/view", 1))
	w.run(r.dir, "go", "list", "-mod=mod", "-deps", ".") // writes go.sum
	r.run = w.start(r.dir, crdctl, append([]string{"run", "--record", r.file}, args...)...)
	return r
}

// says waits until a note that matches was printed, at any time.
func (r *recorded) says(pattern string) {
	r.Helper()
	want := regexp.MustCompile(`(?m)^crdctl: ` + pattern)
	r.until(pattern+" is printed", func() bool { return want.MatchString(r.run.text()) })
}

// find returns the finding of a type about a subject that has a text, or nil.
func find(all []trace.Finding, kind, subject string) *trace.Finding {
	for i, f := range all {
		if f.Type == kind && strings.Contains(f.Subject, subject) {
			return &all[i]
		}
	}
	return nil
}

// save replaces a file at once, as editors do: a file that is written in two steps can be two saves.
func (r *recorded) save(file, old, replacement string) {
	r.Helper()
	data, err := os.ReadFile(file)
	r.check(err)
	require.Contains(r, string(data), old, file)
	saved := filepath.Join(r.world.dir, "saved")
	r.check(os.WriteFile(saved, []byte(strings.Replace(string(data), old, replacement, 1)), 0o644))
	r.check(os.Rename(saved, file))
}

// findings are those of the recording, which may still be written.
func (r *recorded) findings() (all []trace.Finding) {
	r.Helper()
	return r.findingsOf(r.file)
}

// findingsOf are those of a file, or of what runs.
func (r *recorded) findingsOf(file ...string) []trace.Finding {
	r.Helper()
	return r.documentOf(file...).Findings
}

// document is what "crdctl view --findings -o json" prints.
type document struct {
	Duration     int64
	Incomplete   string
	Findings     []trace.Finding
	Undetermined []struct{ Type, Reason string }
}

func (r *recorded) documentOf(file ...string) (d document) {
	r.Helper()
	out, stderr, err := r.try(r.dir, crdctl, append(append([]string{"view"}, file...), "--findings", "-o", "json")...)
	require.NoError(r, json.Unmarshal([]byte(out), &d), "%v\n%s%s", err, out, stderr)
	want := 0
	switch {
	case len(d.Findings) > 0:
		want = 1
	case d.Incomplete != "":
		want = 2
	}
	require.Equal(r, want, exitCode(err), "%v\n%s%s", err, out, stderr)
	for _, u := range d.Undetermined {
		assert.NotContains(r, []string{"event-spam", "webhook-failed-open"}, u.Type, u.Reason)
	}
	return d
}

// hasWhatWasLive holds that the file has each finding that the run had while it went on, and that its records until then show the same one:
// since the same time, and as certain.
func (r *recorded) hasWhatWasLive(live document) {
	r.Helper()
	engine := finding.New()
	for record := range r.records(r.file) {
		if record.T <= live.Duration {
			engine.Add(record)
		}
	}
	engine.End()
	then, now := engine.Findings(), r.findings()
	require.NotEmpty(r, live.Findings)
	for _, f := range live.Findings {
		was := find(then, f.Type, f.Subject)
		if assert.NotNil(r, was, "%s: %s", f.Type, f.Message) && assert.NotNil(r, find(now, f.Type, f.Subject), "%s: %s", f.Type, f.Message) {
			assert.Equal(r, f.Certainty, was.Certainty, "%s: %s", f.Type, f.Message)
			assert.Equal(r, f.Since, was.Since, "%s: %s", f.Type, f.Message)
		}
	}
}

// model is the recording as the view has it.
func (r *recorded) model() *model.Model {
	r.Helper()
	m := model.New()
	for record := range r.records(r.file) {
		m.Add(record)
	}
	return m
}

// crontabs are objects of the story by their names, which say what the controller does wrong with them.
func crontabs(names ...string) (manifest string) {
	for _, name := range names {
		manifest += fmt.Sprintf("---\napiVersion: stable.example.com/v1\nkind: CronTab\nmetadata: {name: %s, namespace: default}\nspec: {image: a}\n", name)
	}
	return manifest
}

// goneWebhook is to be asked about each update of a Deployment, and does not run.
const goneWebhook = `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: gone}
webhooks:
- name: gone.example.com
  clientConfig: {url: "https://127.0.0.1:1/validate"}
  rules: [{apiGroups: [apps], apiVersions: [v1], operations: [UPDATE], resources: [deployments]}]
  failurePolicy: Ignore
  sideEffects: None
  admissionReviewVersions: [v1]
`

// fault is what the controller of the story does wrong, and how the finding says it.
type fault struct {
	kind      string
	subject   string
	certainty trace.Certainty
	message   string
	fix       string // a part of it
}

// said reports whether a finding says it. What a finding says changes with the newest evidence: on a busy machine, a write that was stale
// by the cache is followed by one that the watch was too slow for.
func (f fault) said(all []trace.Finding) bool {
	message := regexp.MustCompile(f.message)
	return slices.ContainsFunc(all, func(found trace.Finding) bool {
		return found.Type == f.kind && strings.Contains(found.Subject, f.subject) && found.Certainty == f.certainty && message.MatchString(found.Message) && strings.Contains(found.Fix, f.fix)
	})
}

// finds waits until findings have said all that is wrong, at any time: on a busy machine, another cause may be seen next. Once more before each
// look, more is done that is wrong. It returns the newest findings.
func (r *recorded) finds(wrong []fault, more func(round int)) (newest []trace.Finding) {
	r.Helper()
	round, unsaid := 0, slices.Clone(wrong)
	r.until("all that is wrong is found", func() bool {
		round++
		more(round)
		newest = r.findings()
		unsaid = slices.DeleteFunc(unsaid, func(f fault) bool { return f.said(newest) })
		return len(unsaid) == 0
	}, func() string {
		for _, f := range unsaid {
			r.Errorf("no finding ever said %+v; the newest is %+v", f, find(newest, f.kind, f.subject))
		}
		return fmt.Sprintf("%d are not", len(unsaid))
	})
	return newest
}

// wrong is what the recording of the story must show.
var wrong = []fault{
	{"watch-denied", "view, secrets", trace.Certain, `^secrets were never synced: 403, nothing is reconciled`, `//+kubebuilder:rbac:groups="",resources=secrets,verbs=get;list;watch`},
	{"hot-loop", "CronTab default/clock", trace.Certain, `own status write, [\d.]+/s; status.lastSeen: ".*" → ".*" \(PUT status by view, \d+ times\)`, ""},
	{"hot-loop", "CronTab default/patched-clock", trace.Likely, `probably .* own status write, .*status.lastSeen.*PATCH status by view`, ""},
	{"child-drift", "Deployment default/drift", trace.Certain, `was updated \d+ times by view, generation unchanged, \d+ changed nothing; .*progressDeadlineSeconds: sent nothing, stored 600; .* more: .*terminationMessagePolicy`, ""},
	{"child-drift", "Deployment default/stamped", trace.Certain, `was updated 20 times by view, generation \+20; spec.template.spec.containers\[0\].terminationMessagePolicy: sent "", stored "File"(; resolved)?$`, ""}, // it ends with the last update
	{"no-op-writes", "", trace.Certain, `deployments.apps changed nothing`, ""},
	{"field-fight", "Deployment default/fight, spec.replicas", trace.Certain, `spec.replicas 3↔5, view ↔ kubectl, every [\d.]+ s`, ""},
	{"conflict-storm", "view, CronTab default/conflict", trace.Certain, `conflicts on CronTab default/conflict by view, .*kubectl \(PATCH\)`, ""},
	{"stale-write", "view, CronTab default/conflict", trace.Certain, `view sent version \d+, but \d+ by kubectl \(PATCH\) had won; its watch had it .* before: (the reconcile had begun by then, and used the object that it had read|stale cache)`, ""},
	{"delivered-not-reconciled", "ConfigMap default/deaf", trace.Certain, `DELETED .* was delivered to view, no reconcile of CronTab default/deaf followed: the owner reference has no controller: true`, ""},
	{"invalid-owner", "ConfigMap other/abroad", trace.Certain, `CronTab abroad absent in namespace other`, ""},
	{"collected", "ConfigMap other/abroad", trace.Certain, `was deleted by garbage-collector: owner CronTab abroad absent in namespace other`, ""},
	{"stuck-finalizer", "CronTab default/stuck", trace.Certain, `deleting for \d+ s, waits for example.com/cleanup; \d+ reconciles, last error "cleanup: the crane is out of order", next try probably in [\d.]+ m?s \(\+[\d.]+ s\), as its waits double`, ""},
	{"event-spam", "view, StillHere", trace.Certain, `^view sends Events about CronTab default/chatty [\d.]+/s with the reason StillHere, the newest: "it was looked at"`, ""},
	{"webhook-failed-open", "validating gone.example.com", trace.Certain, `^the validating webhook gone.example.com failed, and its objects were stored without it: \d+ of \d+ calls?, last error ".*refused"`, ""},
	{"watches-all-secrets", "view", trace.Certain, `^view watches all Secrets of the cluster`, ""},
	{"managed-fields-only", "CronTab default/renamed", trace.Certain, `^CronTab default/renamed: \d+ versions differ in managedFields only, .*the newest by view \(APPLY\)`, ""},
	{"client-throttling", "view", trace.Certain, `^requests of view were delayed \d+ times by client-side throttling, [\d.]+ s in all`, ""},
	{"retry-climbing", "CronTab default/stuck", trace.Certain, `failed \d+ times in a row, last error "cleanup: the crane is out of order"`, ""},
}

// A controller does wrong what controllers do wrong, all at once. The run reports each while it goes on, and the recording has each with
// its evidence; what is in order is in no finding.
func TestFindingsOfARecordedRun(t *testing.T) {
	r := newWorld(t).record("--record-bodies", "changed", "--as-service-account", "default/crontab")

	// One watch that is denied keeps all controllers of the program from starting, without a line in the log.
	r.says(`finding: secrets were never synced: 403, .*\[watch-denied, certain\]; see "crdctl view .*run.crdctl.gz --findings"`)
	assert.NotContains(t, r.run.text(), "Starting workers")
	r.save(filepath.Join(r.dir, "config/rbac/role.yaml"), "[configmaps]", "[configmaps, secrets]")
	r.says(`finding: secrets were never synced: .*; resolved \[watch-denied\]`)
	r.until("the controller works", func() bool { return strings.Contains(r.run.text(), "Starting workers") })

	// The page follows what the run records.
	browser := r.browse()
	live, attached := r.view(browser, r.dir)

	r.kubectl(r.dir, "create", "namespace", "other")
	file, changes := filepath.Join(r.world.dir, "crontabs.yaml"), filepath.Join(r.world.dir, "changes.yaml")
	r.write(file, crontabs("clock", "patched-clock", "twice", "drift", "stamped", "fight", "conflict", "deaf", "parent", "abroad", "chatty", "renamed", "applied", "hasty", "stuck", "quiet"))
	r.write(filepath.Join(r.world.dir, "webhook.yaml"), goneWebhook)
	r.kubectl(r.dir, "apply", "-f", filepath.Join(r.world.dir, "webhook.yaml"))
	r.kubectl(r.dir, "apply", "-f", file)
	for _, child := range []string{"deployment/fight", "configmap/deaf", "configmap/parent"} {
		r.eventually(child[strings.Index(child, "/")+1:], r.dir, crdctl, "kubectl", "get", child, "-o", "name", "--ignore-not-found")
	}
	live.showsTheInvalidOwner()
	r.kubectl(r.dir, "patch", "configmap", "abroad", "-n", "other", "--type=merge", "-p", `{"metadata":{"finalizers":null}}`)
	r.eventually("example.com/cleanup", r.dir, crdctl, "kubectl", "get", "crontab", "stuck", "-o", "jsonpath={.metadata.finalizers}")
	r.kubectl(r.dir, "delete", "crontab", "stuck", "--wait=false")
	r.kubectl(r.dir, "delete", "configmap", "deaf", "parent")
	r.finds(wrong, func(round int) {
		r.kubectl(r.dir, "scale", "deployment", "fight", "--replicas=5")
		r.write(changes, changed("conflict", round)) // by one kubectl: on a busy machine, each takes long to start
		r.kubectl(r.dir, "apply", "-f", changes)
	})

	live.shows(".finding.open", "CronTab default/clock is reconciled")

	// A save that does not compile changes nothing, one that doubles the writes is seen to, and one that fixes a loop ends it.
	main := filepath.Join(r.dir, "main.go")
	r.save(main, "fixed, doubled = false, false", "fixed, doubled = false, nothing")
	r.says("the controller does not compile")
	live.shows(".save.broken", "It does not compile.")
	live.shows(".save.broken", "build 1 runs on")
	r.save(main, "fixed, doubled = false, nothing", "fixed, doubled = false, true")
	live.shows(".save", "Build 2 runs since")
	r.until("the page compares what was before the save with what is after it", func() bool {
		before, after := live.compared("writes of the controller per reconcile")
		return before > 0 && after > before
	})
	for _, name := range []string{"reconciles a minute", "p50 of reconciles", "p99 of reconciles"} {
		before, after := live.compared(name)
		assert.Positive(t, before, name)
		assert.Positive(t, after, name)
	}
	live.shows(".compare", "new kinds of requests of the controller")
	live.shows(".compare", "serviceaccounts")
	r.save(main, "fixed, doubled = false, true", "fixed, doubled = true, false")
	r.until("the new build has ended the loop", func() bool { // of many notes at once, the run prints the first
		f := find(r.findings(), "hot-loop", "CronTab default/clock")
		return f != nil && f.ResolvedBy == 3
	})
	live.unfolds()
	live.shows(".finding.resolved", "hot loop: CronTab default/clock")
	live.shows(".finding.resolved", "by build 3")
	r.end(r.run)
	live.shows("body", "trying again")
	r.end(attached)
	r.says("the recording is in .*run.crdctl.gz; see \"crdctl view ")

	all := r.findings()
	for _, want := range wrong {
		f := find(all, want.kind, want.subject)
		if !assert.NotNil(t, f, "no %s of %s", want.kind, want.subject) {
			continue
		}
		assert.NotEmpty(t, f.Evidence, f.Message)
		assert.NotEmpty(t, f.Fix, f.Message)
	}
	assert.Equal(t, 3, find(all, "hot-loop", "CronTab default/clock").ResolvedBy)
	for _, f := range all {
		assert.NotContains(t, f.Subject, "default/quiet", f.Message)
		assert.NotContains(t, f.Subject, "default/parent", f.Message)
		assert.NotContains(t, f.Subject, "default/twice", f.Message)
		assert.NotContains(t, f.Subject, "default/applied", f.Message)
		assert.NotEqual(t, "recording-gap", f.Type, f.Message)
	}

	// The page of the file has each of them, as the command prints them.
	p, served := r.view(browser, r.dir, r.file)
	for _, f := range all {
		p.shows(".finding", strings.TrimPrefix(f.Message, strings.ReplaceAll(f.Type, "-", " ")+": "))
	}
	p.press("4")
	p.shows("crd-rows[aria-label=Requests] .row", "default/")
	p.press("5")
	p.shows(".uplot", "")
	p.press("6")
	p.shows(".rights-parts", "//+kubebuilder:rbac:groups=\"\",resources=secrets")
	p.showsWhyTwice()
	p.showsTheChildComeBack()
	r.end(served)

	m := r.model()
	r.seesTheDenialAtOnce()
	r.findsInTime("watch-denied", "view, secrets", func(q *trace.Request) bool { return q.Verb == "watch" && q.Code == http.StatusForbidden })
	r.findsInTime("hot-loop", "CronTab default/clock", func(q *trace.Request) bool {
		return q.Verb == "update" && q.Subresource == "status" && q.Name == "clock"
	})
	r.seesWhyTwice(m)
	r.seesTheChildComeBack(m)
	r.seesTheSaves(m)
}

// changed is an object of the story, changed many times.
func changed(name string, round int) (manifest string) {
	for i := range 40 {
		manifest += strings.Replace(crontabs(name), "image: a", fmt.Sprintf("image: \"%d.%d\"", round, i), 1)
	}
	return manifest
}

// The program of the story has what the documentation has for controllers of controller-runtime, as it is there.
func TestReconcileIDsAsDocumented(t *testing.T) {
	t.Parallel()
	_, code, _ := strings.Cut(safefstest.Read(t, "testdata/view/exact.go"), "\n\n") // after the licence
	assert.LessOrEqual(t, strings.Count(code, "\n"), 60)
	assert.Contains(t, safefstest.Read(t, "../../docs/view.md"), "```go\n"+code+"```\n")
	assert.Contains(t, safefstest.Read(t, "testdata/view/main.go"), "ctrl.NewManager(withReconcileIDs(ctrl.GetConfigOrDie()), ")
}

// A run that records nothing has no view: the command names the one that records.
func TestViewOfARunThatRecordsNothing(t *testing.T) {
	w := newWorld(t)
	w.write(filepath.Join(w.dir, "crd.yaml"), recordedCRD)
	w.write(filepath.Join(w.dir, "sync.py"), recordedHook)
	w.check(os.Chmod(filepath.Join(w.dir, "sync.py"), 0o755))
	run := w.start(w.dir, crdctl, "run", "--builtin", "-f", "crd.yaml", "--hook", "./sync.py", "--findings=false")
	run.waitFor("Started workers")
	for _, args := range [][]string{{"view"}, {"view", "--findings"}, {"view", "--save", "x.crdctl.gz"}} {
		out, stderr, err := w.try(w.dir, crdctl, args...)
		assert.Equal(t, 2, exitCode(err), "%v", args)
		assert.Empty(t, out)
		assert.Contains(t, stderr, `start "crdctl run" again without --findings=false`, "%v", args)
	}
	w.end(run)
}
