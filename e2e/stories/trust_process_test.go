// SPDX-License-Identifier: Apache-2.0

package stories

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// spent is what a loop has of goroutines and memory.
type spent struct {
	all, own int // goroutines; own are those that are not of the connections
	peak     int // of memory since the loop's start, in MiB: what is resident falls when a server gives back the pages of its program, and they come again
}

func (s spent) String() string {
	return fmt.Sprintf("%d goroutines, %d of them not of connections, %d MiB", s.all, s.own, s.peak)
}

// moreConnections is how many goroutines connections may have more than before: client-go keeps up to 25, with two each.
const moreConnections = 60

// spends returns what a loop at rest has, and starts a new reading of its peak of memory. The peak that it returns is the highest reading
// so far: one reading alone can miss the pages that the kernel took back before it, and a bound above it would be too low.
func (l *loop) spends() spent {
	l.Helper()
	s, same := l.goroutines(), 0
	l.row.until("the number of goroutines stays the same", func() bool {
		now := l.goroutines()
		if same++; now.own != s.own {
			same = 0
		}
		s = now
		return same >= 4
	})
	l.peak = max(l.peak, l.memory("VmHWM"))
	s.peak = l.peak
	l.row.check(os.WriteFile(l.proc("clear_refs"), []byte("5"), 0))
	return s
}

// isAsBefore holds that no goroutine was left and that the peak of memory was within a bound of more.
func (l *loop) isAsBefore(before spent, more int) {
	l.Helper()
	assert.LessOrEqual(l, l.memory("VmHWM"), before.peak+more, "the peak of memory: %d before; at most %d more is allowed", before.peak, more)
	var now spent
	l.row.until("goroutines are as many as before", func() bool {
		now = l.goroutines()
		return now.own <= before.own && now.all <= before.all+moreConnections
	}, func() string { return fmt.Sprintf("%s; before it were %s\n%s", now, before, l.stacks()) })
	l.Logf("before: %s; now: %d goroutines, %d of them not of connections; peak of memory %d MiB", before, now.all, now.own, l.memory("VmHWM"))
}

// ofConnections marks the goroutines of connections that are kept, and of the answer to the question itself.
var ofConnections = regexp.MustCompile(`persistConn\)\.(readLoop|writeLoop)|clientConnReadLoop|[Hh]ttp2?\.?\(\*ClientConn\)\.readLoop|net/http\.\(\*(conn|connReader|Server)\)|http2.*readLoop`)

func (l *loop) goroutines() (s spent) {
	l.Helper()
	for _, stack := range strings.Split(l.stacks(), "\n\n") {
		var n int
		if _, err := fmt.Sscanf(stack[strings.IndexByte(stack, '\n')+1:], "%d @", &n); err != nil {
			if _, err := fmt.Sscanf(stack, "%d @", &n); err != nil {
				continue
			}
		}
		s.all += n
		if !ofConnections.MatchString(stack) {
			s.own += n
		}
	}
	require.NotZero(l, s.all, "no goroutines found")
	return s
}

func (l *loop) stacks() string { return l.get("/debug/pprof/goroutine?debug=1") }

// get asks the loop's own server.
func (l *loop) get(path string) string {
	l.Helper()
	client := http.Client{Timeout: patience, Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Get("http://" + l.address + path)
	l.row.check(err)
	body, err := io.ReadAll(response.Body)
	l.row.check(err)
	l.row.check(response.Body.Close())
	return string(body)
}

func (l *loop) proc(file string) string {
	return filepath.Join("/proc", strconv.Itoa(l.cmd.Process.Pid), file)
}

// memory is a figure of /proc, in MiB.
func (l *loop) memory(figure string) int {
	l.Helper()
	status, err := os.ReadFile(l.proc("status"))
	l.row.check(err)
	_, after, _ := strings.Cut(string(status), figure+":")
	kib, err := strconv.Atoi(strings.Fields(after)[0])
	l.row.check(err)
	return kib >> 10
}

// has waits until a metric has at least a value.
func (l *loop) has(metric string, least float64) {
	l.Helper()
	l.row.until(fmt.Sprintf("%s is %v", metric, least), func() bool { return l.metric(metric) >= least })
}

func (l *loop) metric(name string) float64 {
	l.Helper()
	for _, line := range strings.Split(l.get("/metrics"), "\n") {
		if value, ok := strings.CutPrefix(line, name+" "); ok {
			n, err := strconv.ParseFloat(value, 64)
			l.row.check(err)
			return n
		}
	}
	return 0
}

// during holds a fault up for a time.
func during(d time.Duration, do func()) {
	for end := time.Now().Add(d); time.Now().Before(end); time.Sleep(time.Second) {
		do()
	}
}
