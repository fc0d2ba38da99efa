package stories

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// hookPID is the process of a persistent hook.
func (r *trusted) hookPID(of *loop) (pid int) {
	r.Helper()
	r.settles("a process of the hook runs", func() bool {
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

// rubbishAnswers are answers that are none, and what is said of them.
var rubbishAnswers = []struct{ how, said string }{
	{"print:", ""},
	{"print:no JSON", "no JSON"},
	{"answer:[1,2]", ""},
	{"answer:null", ""},
	{`answer:{"children":{}}`, "children is an object; it must be a list of objects"},
	{`answer:{"children":[1]}`, ""},
	{`answer:{"children":[{"apiVersion":"v1","kind":"Secret","metadata":{"name":"x"}}]}`, "Secret"},
	{`answer:{"children":[{"apiVersion":"v1","kind":"ConfigMap"}]}`, ""},
	{`answer:{"children":[{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"not a name"}}]}`, "not a name"},
	{`answer:{"children":[],"resyncAfterSeconds":"soon"}`, "resyncAfterSeconds is a string; it must be a number"},
	{"answer:{} {}", ""},
	{"answer:{\"children\":[]", ""},
	{"print:\x00\xff\xfe\x1b[31m", ""},
	{"answer:" + strings.Repeat("[", 100_000), ""},
}

// givesRubbish has a hook give all of them.
func (r *trusted) givesRubbish(loop *loop) {
	r.Helper()
	others := names(5)
	r.setAll("first", append([]string{"bad"}, others...)...)
	r.reconciled()
	before := loop.spends()
	for i, rubbish := range rubbishAnswers {
		value := "during " + strconv.Itoa(i)
		from := len(loop.text())
		r.fault("bad", rubbish.how)
		r.setAll(value, append([]string{"bad"}, others...)...)
		r.settles("a failure is told of after "+rubbish.how[:min(40, len(rubbish.how))], func() bool {
			for _, line := range strings.Split(loop.text()[from:], "\n") {
				if strings.Contains(line, "Reconcile failed") && strings.Contains(line, "key="+r.namespace+"/bad ") && strings.Contains(line, rubbish.said) {
					return true
				}
			}
			return false
		})
		r.reconciled(others...)
		if strings.ContainsAny(loop.text()[from:], "\x00\x1b") {
			r.Error("control characters of the hook's are in the log")
		}
		r.noFault("bad")
		r.reconciled()
	}
	loop.isAsBefore(before, 64)
	loop.ends()
}

func (r *trusted) rubbish() { r.givesRubbish(r.runLoop(r.kubeconfig)) }

func (r *trusted) persistentRubbish() {
	r.givesRubbish(r.runLoop(r.kubeconfig, "--hook-persistent", "--hook-timeout", "2s"))
}

// moreForHuge is by how much 100 MB that a hook prints may raise the peak of memory, in MiB.
const moreForHuge = 90

// printsHuge has hooks of several objects print 100 MB each.
func (r *trusted) printsHuge(loop *loop) {
	r.Helper()
	others := names(5)
	r.setAll("first", append([]string{"bad", "worse"}, others...)...)
	r.reconciled()
	before := loop.spends()
	r.fault("worse", "huge")
	r.setAll("second", "worse")
	r.goesWrong(loop, "huge", "hook-max-bytes", others[:2])
	r.setAll("third", others...)
	r.noFault("worse")
	r.reconciled()
	loop.isAsBefore(before, moreForHuge)
	loop.ends()
}

func (r *trusted) hugeAnswer() { r.printsHuge(r.runLoop(r.kubeconfig)) }

func (r *trusted) persistentHugeAnswer() { r.printsHuge(r.runLoop(r.kubeconfig, "--hook-persistent")) }
