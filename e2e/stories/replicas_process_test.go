// SPDX-License-Identifier: Apache-2.0

package stories

import (
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/stretchr/testify/assert"
)

// fleetReplica is one process of a fleet.
type fleetReplica struct {
	*process
	name    string
	address string // of metrics and probes
}

// join starts a replica.
func (f *fleet) join(name string) *fleetReplica {
	f.Helper()
	r := &fleetReplica{name: name, process: f.start(f.world.dir, crdctl, append(f.args, "--hook", f.hook.url+"/"+name)...)}
	r.waitFor("Serving metrics and probes")
	var address []string
	f.until("the address is printed", func() bool {
		address = regexp.MustCompile(`Serving metrics and probes.* address="?([0-9.:]+)`).FindStringSubmatch(r.text())
		return address != nil
	})
	r.address = address[1]
	f.replicas[name] = r
	return r
}

// kill ends a replica at once. A call that it sent before may begin after that.
func (f *fleet) kill(name string) {
	f.Helper()
	r := f.replicas[name]
	delete(f.replicas, name)
	f.hook.excuse(name, true)
	r.signal(syscall.SIGKILL)
	<-r.done
}

// leave ends a replica as Kubernetes does.
func (f *fleet) leave(name string) {
	f.Helper()
	r := f.replicas[name]
	delete(f.replicas, name)
	r.signal(syscall.SIGTERM)
	if code := r.wait(); code != 0 {
		f.Errorf("%s: exit code %d after SIGTERM, want 0", name, code)
	}
}

// probe is what a replica answers, with the code before it.
func (r *fleetReplica) probe(path string) string {
	r.Helper()
	response, err := http.Get("http://" + r.address + path)
	if err != nil {
		return err.Error()
	}
	defer response.Body.Close() //nolint:errcheck // it was read
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%d %s", response.StatusCode, body)
}

var leaderMetric = regexp.MustCompile(`(?m)^leader_election_master_status\{name="([^"]+)"\} ([01])$`)

// held are the leases that a replica says it holds.
func (r *fleetReplica) held() (names []string) {
	r.Helper()
	for _, m := range leaderMetric.FindAllStringSubmatch(r.probe("/metrics"), -1) {
		if m[2] == "1" {
			names = append(names, m[1])
		}
	}
	return names
}

// reconciles is how many a replica says it did.
func (r *fleetReplica) reconciles() (n int) {
	r.Helper()
	for line := range strings.Lines(r.probe("/metrics")) {
		if strings.HasPrefix(line, "crdctl_loop_reconciles_total{") {
			value, err := strconv.ParseFloat(strings.Fields(line)[1], 64)
			assert.NoError(r, err)
			n += int(value)
		}
	}
	return n
}

// balanced waits until each lease is held, by the replicas that are alive, as evenly as can be, and all are ready.
func (f *fleet) balanced(leases int) {
	f.Helper()
	said := ""
	defer func() {
		if said != "" {
			f.Log(said)
		}
	}()
	f.until(fmt.Sprintf("%v share %d leases", f.names(), leases), func() bool {
		var all []string
		counts, ready := []int{}, true
		for _, name := range f.names() {
			held := f.replicas[name].held()
			counts, all = append(counts, len(held)), append(all, held...)
			ready = ready && f.replicas[name].probe("/readyz") == "200 ok"
		}
		slices.Sort(all)
		said = fmt.Sprintf("%v hold %v: %v; ready: %v", f.names(), counts, all, ready)
		return ready && len(all) == leases && len(slices.Compact(all)) == leases && slices.Max(counts)-slices.Min(counts) <= 1
	})
	said = ""
}
