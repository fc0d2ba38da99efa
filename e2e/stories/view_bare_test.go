// SPDX-License-Identifier: Apache-2.0

package stories

import (
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/crdctl/crdctl/internal/trace"
)

// bareWrong is what the recording of a controller must show of which only requests are known.
var bareWrong = []fault{
	{"hot-loop", "CronTab default/clock", trace.Certain, `is written on top of its own status write, .* writes/(s|min); status.lastSeen: ".*" → ".*" \(PUT status by bare, \d+ times\)`, ""},
	{"hot-loop", "CronTab default/patched-clock", trace.Likely, `is written again, probably because of its own status write, .*PATCH status by bare`, ""},
	{"watch-churn", "crontabs.stable.example.com in restless", trace.Certain, `^watches of crontabs.stable.example.com .*restless by bare ended \d+ times`, ""},
	{"stale-write", "CronTab default/read", trace.Certain, `but \d+ by kubectl \(PATCH\) had won; it had read version \d+ by GET .* before, without a cache`, "get the object again"},
	{"stale-write", "CronTab far/lag", trace.Certain, `but \d+ by kubectl \(PATCH\) had won; its watch was not handed it: watch lag`, ""},
}

// hidden is what no recording may have.
const hidden = "marker-of-a-secret"

// Of a controller that reports nothing, requests alone prove that a loop of updates stands on its own writes, and why a write was stale:
// because of a read without a cache, or because the watch lags, which is not the cache's fault.
func TestFindingsOfABareController(t *testing.T) {
	w := newWorld(t)
	r := &recorded{world: w, dir: filepath.Join(w.dir, "bare"), file: filepath.Join(w.dir, "run.crdctl.gz")}
	w.check(os.CopyFS(r.dir, os.DirFS("testdata/bare")))
	r.run = w.start(r.dir, crdctl, "run", "--record", r.file)
	r.run.waitFor("Started workers")
	file := filepath.Join(w.dir, "crontabs.yaml")
	w.write(file, crontabs("clock", "patched-clock", "read")+strings.Replace(crontabs("lag"), "default", "far", 1))
	r.kubectl(r.dir, "create", "namespace", "far")
	r.kubectl(r.dir, "apply", "-f", file)
	r.kubectl(r.dir, "create", "secret", "generic", "hidden", "--from-literal=password="+hidden)
	r.run.waitFor("The watch is full")
	r.says("finding: hot loop: CronTab default/clock")
	all := r.finds(bareWrong, func(round int) {
		for name, namespace := range map[string]string{"read": "default", "lag": "far"} {
			r.kubectl(r.dir, "patch", "crontab", name, "-n", namespace, "--type=merge", "-p", fmt.Sprintf(`{"spec":{"image":"b%d"}}`, round))
		}
	})
	for _, f := range all { // other watches stay, and Secrets are watched in one namespace
		assert.False(t, f.Type == "watch-churn" && !strings.Contains(f.Subject, "restless") || f.Type == "watches-all-secrets", f.Message)
	}
	r.isKilled()

	// The page has the same, and what it cannot show.
	p, served := r.view(r.browse(), r.dir, r.file)
	p.shows(".hint", "Reconciles that send nothing are invisible: the controller does not report its reconciles.")
	for _, want := range bareWrong {
		p.shows(".finding", strings.TrimPrefix(want.subject, "CronTab "))
	}
	r.end(served)
}

// isKilled kills the run: the file has all but what happened within a second, with the findings of the live run, and not the Secret.
func (r *recorded) isKilled() {
	r.Helper()
	live := r.documentOf()
	r.kubectl(r.dir, "create", "configmap", "last")
	r.until("the file has what was done last", func() bool {
		out, _, err := r.try(r.dir, crdctl, "view", r.file, "--export", "audit")
		return err == nil && strings.Contains(out, `"name":"last"`)
	})
	r.run.signal(syscall.SIGKILL)
	<-r.run.done
	r.until("no process is left", func() bool { return len(r.processes()) == 0 })
	r.hasWhatWasLive(live)
	secrets, values := 0, []string{hidden, base64.StdEncoding.EncodeToString([]byte(hidden))}
	for record := range r.records(r.file) {
		line := string(record.Raw)
		if strings.Contains(line, `"name":"hidden"`) {
			secrets++
		}
		for _, value := range values {
			assert.NotContains(r, line, value)
		}
	}
	assert.Positive(r, secrets, "the request with the Secret is not recorded")
}
