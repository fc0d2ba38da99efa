// SPDX-License-Identifier: Apache-2.0

package finding

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

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

// valueMax is how long a value in a sentence is, in bytes.
const valueMax = 40

// value is a value of a field in a sentence.
func value(raw json.RawMessage) string {
	if raw == nil {
		return "nothing"
	}
	return quoted(text.Shorten(string(raw), valueMax), raw)
}

// changed is a change in a sentence. Values that are not recorded are left out.
func changed(c trace.Change) string {
	if c.Withheld() {
		return c.Path + " changes"
	}
	before, after := differ(c.Old, c.New)
	return fmt.Sprintf("%s: %s → %s", c.Path, before, after)
}

// differ is two values of a field in a sentence, in which what differs is visible.
func differ(a, b json.RawMessage) (string, string) {
	if a == nil || b == nil {
		return value(a), value(b)
	}
	before, after := text.Differ(string(a), string(b), valueMax)
	return quoted(before, a), quoted(after, b)
}

// quoted has the quotes of a string that was shortened.
func quoted(short string, of json.RawMessage) string {
	if of[0] != '"' {
		return short
	}
	if short[0] != '"' {
		short = `"` + short
	}
	if !strings.HasSuffix(short, `"`) {
		short += `"`
	}
	return short
}

// plain is a value of a sentence without the quotes of a string that needs none.
func plain(value string) string {
	var s string
	if json.Unmarshal([]byte(value), &s) == nil && s != "" {
		return s
	}
	return value
}

// times is a count in a sentence: "once", "3 times".
func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// quoteMax is how long an error or a message in a sentence is, in bytes: one of an admission webhook, or of a missing permission, is 160.
const quoteMax = 200

// quote is an error or a message in a sentence. Of a long one the end is there, too: errors that wrap others have the cause last.
func quote(s string) string {
	s = strings.TrimSpace(s)
	if len(s) > quoteMax {
		begin := text.Cut(s, quoteMax/2-len("…"))
		from := len(s) - quoteMax/2
		for from < len(s) && !utf8.RuneStart(s[from]) {
			from++
		}
		s = begin + "…" + s[from:]
	}
	return `"` + s + `"`
}

// at is a time in a recording.
func at(t int64) string { return fmt.Sprintf("+%.1f s", float64(t)/float64(second)) }

// by is who sent a request, and how.
func by(r *model.Request) string {
	if r == nil {
		return "an unseen write"
	}
	return fmt.Sprintf("%s (%s)", r.Actor.Name, r.Method())
}

// writtenBy is who wrote a version, with what a guess is marked by.
func writtenBy(v *model.Version) string {
	if v.Request == nil || v.Writer.Certainty == trace.Certain {
		return "by " + by(v.Request)
	}
	return "probably by " + by(v.Request)
}

// withWriter is how certain a sentence is that has who wrote a version, and is as certain as c without.
func withWriter(c trace.Certainty, v *model.Version) trace.Certainty {
	if v.Request == nil { // then it names no one
		return c
	}
	return weaker(c, v.Writer.Certainty)
}

// weaker is the lower of certainties. What is not graded counts as unknown.
func weaker(all ...trace.Certainty) trace.Certainty {
	least := trace.Certain
	for _, c := range all {
		if grade(c) < grade(least) {
			least = c
		}
	}
	return least
}

// grade is the greater, the more certain.
func grade(c trace.Certainty) int {
	switch c {
	case trace.Certain:
		return 2
	case trace.Likely:
		return 1
	}
	return 0
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
