// SPDX-License-Identifier: Apache-2.0

package finding

import (
	"slices"

	"github.com/crdctl/crdctl/internal/text"
	"github.com/crdctl/crdctl/internal/trace"
)

// Type is a type of findings.
type Type struct {
	Name  string // as in --fail-on
	Means string // what happens, for the table in the documentation
	Fix   string // what to do, where the finding has nothing better

	needs   []trace.Kind // if records of these kinds were dropped, it cannot be ruled out
	lacks   func(*Engine) string
	install func(base)
}

var types = []*Type{
	hotLoop, childDrift, noOpWrites, managedFieldsOnly, fieldFight, conflictStorm, staleWrite, retryClimbing, stuckFinalizer,
	deliveredNotReconciled, watchDenied, watchChurn, invalidOwner, collected, slowReconcile, growingQueue, clientThrottling,
	timerPreempted, webhookSlow, webhookFailing, webhookFailedOpen, eventSpam, watchesAllSecrets, permissionMissing,
	permissionUnused, recordingGap,
}

// What does not work comes before what is done again and again, and both before what only costs.
var (
	broken = []*Type{
		retryClimbing, stuckFinalizer, deliveredNotReconciled, watchDenied, invalidOwner, collected, webhookFailing, webhookFailedOpen, permissionMissing,
	}
	costly = []*Type{
		noOpWrites, managedFieldsOnly, slowReconcile, clientThrottling, timerPreempted, webhookSlow, eventSpam, watchesAllSecrets, permissionUnused, recordingGap,
	}
)

// severity orders types by name, the worst first; of those in between it is 0.
var severity = func() map[string]int {
	of := map[string]int{}
	for _, t := range broken {
		of[t.Name] = -1
	}
	for _, t := range costly {
		of[t.Name] = 1
	}
	return of
}()

// base is what all findings of a type are made with.
type base struct {
	*Engine

	t *Type
}

func (b base) report(f trace.Finding, at int64) { b.reportAs(b.t, f, at) }
func (b base) resolve(subject string)           { b.resolveAs(b.t, subject) }

// Types returns all types.
func Types() []Type {
	all := make([]Type, 0, len(types))
	for _, t := range types {
		all = append(all, *t)
	}
	return all
}

// Names returns the names of all types.
func Names() (all []string) {
	for _, t := range types {
		all = append(all, t.Name)
	}
	return all
}

// Unknown returns a hint for a name that is not one of a type, and reports whether it is not.
func Unknown(name string) (hint string, unknown bool) {
	if slices.Contains(Names(), name) {
		return "", false
	}
	return text.DidYouMean(name, Names()), true
}

// Undetermined is a type of findings that the recording can neither show nor rule out.
type Undetermined struct {
	Type   string `json:"type"`
	Reason string `json:"reason"`
}

// Undetermined returns what the records so far can neither show nor rule out, in the order of Types.
func (e *Engine) Undetermined() (all []Undetermined) {
	for _, t := range e.types {
		if reason := e.undetermined(t); reason != "" {
			all = append(all, Undetermined{Type: t.Name, Reason: reason})
		}
	}
	return all
}
