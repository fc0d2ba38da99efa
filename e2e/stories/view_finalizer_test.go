// SPDX-License-Identifier: Apache-2.0

package stories

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/trace"
)

// brokenCleanup lets an object go when the crane is repaired.
const brokenCleanup = `#!/bin/sh
cat >/dev/null
if [ "$CRDCTL_HOOK" = finalize ] && [ ! -e repaired ]; then
    echo "cleanup: the crane is out of order" >&2
    exit 1
fi
echo '{"children": [], "finalized": true}'
`

// An object that waits for a finalizer is found while it waits. Where the work queue is recorded, as that of the built-in controller, the
// finding and the page have when it is tried again.
func TestStuckFinalizerOfTheBuiltInController(t *testing.T) {
	w := newWorld(t)
	r := &recorded{world: w, dir: w.dir, file: filepath.Join(w.dir, "run.crdctl.gz")}
	crd, err := os.ReadFile("testdata/view/config/crd/crontabs.yaml")
	w.check(err)
	w.write(filepath.Join(r.dir, "crd.yaml"), string(crd))
	w.write(filepath.Join(r.dir, "sync.sh"), brokenCleanup)
	w.check(os.Chmod(filepath.Join(r.dir, "sync.sh"), 0o755))
	w.write(filepath.Join(r.dir, "crontab.yaml"), crontabs("x"))
	r.run = w.start(r.dir, crdctl, "run", "--builtin", "-f", "crd.yaml", "--name", "cleanup", "--hook", "./sync.sh", "--finalize-hook", "./sync.sh", "--record", r.file)
	r.run.waitFor("Started workers")
	r.kubectl(r.dir, "apply", "-f", "crontab.yaml")
	r.eventually("crdctl.dev/cleanup", r.dir, crdctl, "kubectl", "get", "crontab", "x", "-o", "jsonpath={.metadata.finalizers}")
	r.kubectl(r.dir, "delete", "crontab", "x", "--wait=false")

	want := fault{
		"stuck-finalizer", "CronTab default/x", trace.Certain,
		`^CronTab default/x deleting for \d+ s, waits for crdctl.dev/cleanup; \d+ reconciles, last error "finalize hook ./sync.sh: .*", next try in [\d.]+ m?s \(\+[\d.]+ s\)$`, "",
	}
	live, attached := r.view(r.browse(), r.dir)
	r.until("it is found, with the next try", func() bool { return want.said(r.findings()) })
	live.shows(".finding.open", "CronTab default/x deleting for")
	live.shows(".finding.open", "waits for crdctl.dev/cleanup;")
	live.shows(".finding.open", ", next try in ")
	live.press("5")
	live.shows(".view tr", "back-off")
	live.shows(".view td", ", in ")

	w.write(filepath.Join(r.dir, "repaired"), "")
	r.until("it is gone, and the finding is resolved", func() bool {
		f := find(r.findings(), want.kind, want.subject)
		return f != nil && f.Until != 0
	})
	live.press("1")
	live.shows("h2 button", "resolved")
	live.unfolds()
	live.shows(".finding.resolved", "waits for crdctl.dev/cleanup;")
	r.end(attached, r.run)

	all := r.findings()
	for _, kind := range []string{want.kind, "retry-climbing"} {
		f := find(all, kind, want.subject)
		require.NotNil(t, f, kind)
		assert.NotZero(t, f.Until)
		assert.NotEmpty(t, f.Evidence)
	}
}
