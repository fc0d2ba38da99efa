// SPDX-License-Identifier: Apache-2.0

package subprocess

import (
	"bytes"
	"os"
	"strconv"
	"syscall"
)

// rlimitData is RLIMIT_DATA, which package syscall has for some architectures only; it is the same on all.
const rlimitData = 2

// limitData has the kernel refuse this process memory that it could write to, beyond what it has and twice the limit: what the watch has
// not seen yet, such as one allocation of 300 GB. Address space would be the wrong measure, since Go reserves more than it uses. It also
// has the kernel choose a helper first where memory is scarce, and not crdctl.
func limitData(limit uint64) {
	statm, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return // the watch is left
	}
	fields := bytes.Fields(statm)
	if len(fields) < 6 {
		return
	}
	pages, err := strconv.ParseUint(string(fields[5]), 10, 64)
	if err != nil {
		return
	}
	var r syscall.Rlimit
	if syscall.Getrlimit(rlimitData, &r) != nil {
		return
	}
	r.Cur = min(pages*uint64(os.Getpagesize())+2*limit, r.Max) // a page's size is positive
	_ = syscall.Setrlimit(rlimitData, &r)
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte("1000"), 0)
}
