// SPDX-License-Identifier: Apache-2.0

package finding

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/text"
	"github.com/crdctl/crdctl/internal/trace"
	"github.com/crdctl/crdctl/internal/view/model"
)

// perSecond is a rate in a sentence, as "37/s" or "12/min".
func perSecond(rate float64) string {
	switch {
	case rate >= 9.5:
		return fmt.Sprintf("%.0f/s", rate)
	case rate >= 1:
		return strings.Replace(fmt.Sprintf("%.1f/s", rate), ".0/", "/", 1)
	}
	return fmt.Sprintf("%.0f/min", rate*60)
}

// value is a value of a field in a sentence.
func value(raw json.RawMessage) string {
	if raw == nil {
		return "nothing"
	}
	short := text.Shorten(string(raw), 40)
	if len(short) != len(raw) && strings.HasPrefix(short, `"`) {
		short += `"`
	}
	return short
}

// changed is a change in a sentence. Values that are not recorded are left out.
func changed(c trace.Change) string {
	if withheld(c) {
		return c.Path + " changes"
	}
	return fmt.Sprintf("%s: %s → %s", c.Path, value(c.Old), value(c.New))
}

// withheld reports whether the values of a change are not recorded.
func withheld(c trace.Change) bool { return c.Old == nil && c.New == nil }

// short is a value without the quotes of a string.
func short(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil && s != "" {
		return text.Shorten(s, 40)
	}
	return value(raw)
}

// times is a count in a sentence: "once", "3 times".
func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// quote is an error or a message in a sentence.
func quote(s string) string { return `"` + text.Shorten(strings.TrimSpace(s), 120) + `"` }

// at is a time in a recording.
func at(t int64) string { return fmt.Sprintf("+%.1f s", float64(t)/float64(second)) }

// by is who sent a request, and how.
func by(r *model.Request) string {
	if r == nil {
		return "an unseen write"
	}
	return fmt.Sprintf("%s (%s)", r.Actor.Name, r.Method())
}

// weaker is the lower of certainties. What is not graded counts as unknown.
func weaker(all ...trace.Certainty) trace.Certainty {
	order := []trace.Certainty{trace.Uncertain, trace.Likely, trace.Certain}
	least := len(order) - 1
	for _, c := range all {
		least = min(least, max(0, slices.Index(order, c)))
	}
	return order[least]
}

// paths are the fields that a version changed, without those that each write changes.
func paths(v *trace.Version) (all []trace.Change) {
	for _, c := range v.Changes {
		if !bookkeeping(c.Path) {
			all = append(all, c)
		}
	}
	return all
}

func bookkeeping(path string) bool {
	return path == "metadata.resourceVersion" || path == "metadata.generation" || strings.HasPrefix(path, "metadata.managedFields")
}

// marker is the marker that grants something, as controller-gen reads it.
func marker(r *trace.Resource, sub string, verbs ...string) string {
	resource := r.Resource
	if sub != "" {
		resource += "/" + sub
	}
	group := r.Group
	if group == "" {
		group = `""`
	}
	return fmt.Sprintf("//+kubebuilder:rbac:groups=%s,resources=%s,verbs=%s", group, resource, strings.Join(verbs, ";"))
}

// lease reports whether a resource is one that is written again and again by design.
func lease(r *trace.Resource) bool {
	return r.Group == "coordination.k8s.io" && r.Resource == "leases" || r.Resource == "events"
}
