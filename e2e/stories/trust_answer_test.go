// SPDX-License-Identifier: Apache-2.0

package stories

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/stretchr/testify/assert"
)

// hookPID is the process of a persistent hook.
func (r *trusted) hookPID(of *loop) (pid int) {
	r.Helper()
	r.until("a process of the hook runs", func() bool {
		stats, err := filepath.Glob("/proc/[0-9]*/stat")
		r.check(err)
		for _, file := range stats {
			stat, err := os.ReadFile(file)
			if err != nil {
				continue // it has ended
			}
			// pid (name) state parent
			before, after, _ := strings.Cut(string(stat), ") ")
			fields := strings.Fields(after)
			if len(fields) < 2 || fields[0] == "Z" || fields[1] != strconv.Itoa(of.cmd.Process.Pid) || !strings.HasSuffix(before, "(hook") {
				continue
			}
			pid, err = strconv.Atoi(strings.Fields(before)[0])
			r.check(err)
			return true
		}
		return false
	})
	return pid
}

// rubbishAnswers are invalid answers, one of each sort, and what is reported of them.
var rubbishAnswers = []struct{ how, said string }{
	{"print:", ""},
	{"print:no JSON", "no JSON"},
	{`answer:{"children":{}}`, "children is an object; it must be a list"},
	{`answer:{"children":[{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"not a name"}}]}`, "not a name"},
	{"print:\x00\xff\xfe\x1b[31m", ""},
	{"answer:" + strings.Repeat("[", 100_000), ""},
}

// givesRubbish has a hook give all of them.
func (r *trusted) givesRubbish(loop *loop, others []string) {
	r.Helper()
	for i, rubbish := range rubbishAnswers {
		value := "rubbish " + strconv.Itoa(i)
		from := len(loop.text())
		r.fault("bad", rubbish.how)
		r.setAll(value, append([]string{"bad"}, others...)...)
		r.until("a failure is told of after "+rubbish.how[:min(40, len(rubbish.how))], func() bool {
			for _, line := range strings.Split(loop.text()[from:], "\n") {
				if strings.Contains(line, "Reconcile failed") && strings.Contains(line, "key="+r.namespace+"/bad ") && strings.Contains(line, rubbish.said) {
					return true
				}
			}
			return false
		})
		r.reconciled(others...)
		assert.False(r, strings.ContainsAny(loop.text()[from:], "\x00\x1b"), "control characters of the hook's are in the log")
		r.noFault("bad")
		r.reconciled()
	}
}

// moreForHuge is by how much 100 MB that a hook prints may raise the peak of memory, in MiB.
const moreForHuge = 90

// printsHuge has hooks of several objects print 100 MB each.
func (r *trusted) printsHuge(loop *loop, others []string) {
	r.Helper()
	before := loop.spends()
	r.fault("worse", "huge")
	r.setAll("huge", "worse")
	r.goesWrong(loop, "huge", "hook-max-bytes", others)
	r.noFault("worse")
	r.reconciled()
	loop.isAsBefore(before, moreForHuge)
}
