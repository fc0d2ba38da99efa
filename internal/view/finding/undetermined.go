// SPDX-License-Identifier: Apache-2.0

package finding

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/text"
	"github.com/crdctl/crdctl/internal/trace"
)

// newer returns why nothing can be determined in a recording of a newer format: its number grows when older versions of crdctl would
// misread the recording.
func (e *Engine) newer() string {
	if h := e.m.Header(); h != nil && h.Format > trace.Format {
		return fmt.Sprintf("the recording has format %d, and this crdctl reads format %d", h.Format, trace.Format)
	}
	return ""
}

func (e *Engine) undetermined(t *Type) string {
	if reason := e.newer(); reason != "" {
		return reason
	}
	if n := e.m.Undefined(); n > 0 && len(t.needs) > 0 {
		return text.Count(int(n), "definition is", "definitions are") + " over the limit of this crdctl; records that refer to them were not judged"
	}
	if slices.ContainsFunc(t.needs, func(k trace.Kind) bool { return e.lost[k] > 0 || e.lost[trace.KindAny] > 0 }) {
		return e.missing()
	}
	if t.lacks != nil {
		return t.lacks(e)
	}
	return ""
}

// missing is which records are missing. It is one reason for all types, so that readers see it once.
func (e *Engine) missing() string {
	total, kinds := int64(0), []string{}
	for _, k := range slices.Sorted(maps.Keys(e.lost)) {
		of := "kind " + string(k)
		if k == trace.KindAny {
			of = "an unknown kind"
		}
		total += e.lost[k]
		kinds = append(kinds, fmt.Sprintf("%d of %s", e.lost[k], of))
	}
	return text.Count(int(total), "record is missing", "records are missing") + ": " + strings.Join(kinds, ", ")
}

// noReconciles is for what only reconciles show.
func noReconciles(e *Engine) string {
	switch {
	case e.IsRecorded(trace.ClassController), e.IsRecorded(trace.ClassBuiltin):
		return ""
	case e.seen[trace.KindReconcile] == 0:
		return "no reconcile is recorded: none has run, or the controller reports none" + atVerbosity5
	}
	return "only reconciles that failed are recorded: the controller reports no others" + atVerbosity5
}

// atVerbosity5 is how most controllers are made to report reconciles.
const atVerbosity5 = " (controller-runtime does at verbosity 5, as with --zap-log-level=5)"

// noReconcilesOrMetrics is for what samples of the controller's metrics show, too.
func noReconcilesOrMetrics(e *Engine) string {
	if e.seen[trace.KindMetrics] > 0 {
		return ""
	}
	if reason := noReconciles(e); reason != "" {
		return reason + ", and its metrics are not recorded"
	}
	return ""
}

// throughProxy is for what others than the controller do, and for what roles grant: crdctl reads them from its own control plane only.
func throughProxy(e *Engine) string {
	if h := e.m.Header(); h != nil && h.Plane == trace.PlaneProxy {
		return "the cluster was seen through a proxy, which shows the requests of the controller only"
	}
	return ""
}

// IsRecorded reports whether the reconciles of a class of actors are recorded, even if none has begun.
func (e *Engine) IsRecorded(c trace.Class) bool {
	if e.m.Visible(c) {
		return true
	}
	level := "hook"
	if c == trace.ClassBuiltin {
		level = "loop"
	}
	return e.captures(level)
}

// captures reports whether the recording has what a level of capture gives, if there was anything.
func (e *Engine) captures(level string) bool {
	h := e.m.Header()
	return h != nil && slices.Contains(h.Levels, level)
}

// noKubeEvents is for what events of the Kubernetes API show.
func noKubeEvents(e *Engine) string {
	if e.seen[trace.KindKubeEvent] == 0 && !e.captures("kubeEvent") {
		return "events are not recorded"
	}
	return ""
}

// noFailedOpen is for failed calls of webhooks that the API server lets pass.
func noFailedOpen(e *Engine) string {
	if e.captures("failedOpen") {
		return ""
	}
	return "it is not recorded which failed calls of webhooks the API server lets pass"
}
