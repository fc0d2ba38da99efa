// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"encoding/json"
	"slices"
)

// Queue is an operation on a work queue.
type Queue struct {
	Controller string   `json:"controller"`
	Key        string   `json:"key"`           // NAMESPACE/NAME, or NAME
	Op         string   `json:"op"`            // add, after, rateLimited, forget; skip is a delivery that queues nothing, Why is the reason
	Why        string   `json:"why,omitempty"` // own, child, related, resync, hook (it changed), shard (gained), timer, retry
	Object     ObjectID `json:"obj,omitempty"` // whose version is the reason
	RV         uint64   `json:"rv,omitempty"`
	Delay      int64    `json:"delay,omitempty"`
	Tries      int      `json:"tries,omitempty"`
	Depth      int      `json:"depth,omitempty"`
	Merged     bool     `json:"merged,omitempty"` // the key was to be reconciled already: this adds a cause, and no reconcile
}

// Reconcile is the begin or the end of a reconcile: where a worker got a key from the queue, and was done with it.
type Reconcile struct {
	ID         string   `json:"id"`
	Controller string   `json:"controller"`
	Actor      ActorID  `json:"actor,omitempty"`
	Key        string   `json:"key"`
	Object     ObjectID `json:"obj,omitempty"`
	Of         string   `json:"of,omitempty"`     // KIND or KIND.GROUP of the object that the key names, where Object is not known
	State      string   `json:"state"`            // begin or end
	Began      int64    `json:"began"`            // 0 where it is not known
	Waited     int64    `json:"waited,omitempty"` // since the first of its causes was queued
	Result     string   `json:"result,omitempty"` // ok, requeue, error or panic
	After      int64    `json:"after,omitempty"`  // when it asked to run again
	Err        string   `json:"err,omitempty"`
	Causes     []Cause  `json:"causes,omitempty"` // of a begin: all that was queued since the key's last reconcile
	More       int      `json:"more,omitempty"`   // causes that are not listed, because they are too many
	Depth      int      `json:"depth,omitempty"`  // of a begin: keys that are in the queue
	Source     string   `json:"source"`           // hook, log or loop
}

// Cause is one reason of a reconcile.
type Cause struct {
	Why       string    `json:"why"`          // as Queue.Why
	At        int64     `json:"at,omitempty"` // when it was queued
	Object    ObjectID  `json:"obj,omitempty"`
	RV        uint64    `json:"rv,omitempty"`
	Certainty Certainty `json:"certainty"`
	Proof     string    `json:"proof,omitempty"`
}

// Decision is what a reconcile of the built-in loop did about one child or its own status, and why.
type Decision struct {
	Reconcile string   `json:"reconcile"`
	Child     string   `json:"child"` // KIND NAMESPACE/NAME
	Object    ObjectID `json:"obj,omitempty"`
	Action    string   `json:"action"` // none, create, apply, update, delete
	Why       string   `json:"why,omitempty"`
}

// Hook is a call of the built-in loop's hook.
type Hook struct {
	Name      string          `json:"name"`
	Op        string          `json:"op"` // sync, finalize, customize
	Reconcile string          `json:"reconcile,omitempty"`
	Began     int64           `json:"began"`
	Waited    int64           `json:"waited,omitempty"` // for its turn
	Err       string          `json:"err,omitempty"`
	Stderr    string          `json:"stderr,omitempty"`
	Question  json.RawMessage `json:"question,omitempty"`
	Answer    json.RawMessage `json:"answer,omitempty"`
}

// Log is a line that the controller printed.
type Log struct {
	Actor     ActorID        `json:"actor,omitempty"`
	Build     int            `json:"build,omitempty"`
	Stream    string         `json:"stream,omitempty"` // stdout or stderr; empty where both go to one place
	Level     string         `json:"level,omitempty"`  // debug, info, warning, error; empty if not known
	Message   string         `json:"message"`          // the line, or its message where the line was read
	Attrs     map[string]any `json:"attrs,omitempty"`
	Key       string         `json:"key,omitempty"`
	Reconcile string         `json:"reconcile,omitempty"`
	Certainty Certainty      `json:"certainty,omitempty"` // of Reconcile
}

// KubeEvent is an event of the Kubernetes API.
type KubeEvent struct {
	Object  ObjectID `json:"obj,omitempty"` // regarding
	Actor   ActorID  `json:"actor,omitempty"`
	Request string   `json:"request,omitempty"` // Request.ID of the write
	Type    string   `json:"type"`              // Normal or Warning
	Reason  string   `json:"reason"`
	Message string   `json:"message,omitempty"`
	Count   int      `json:"count,omitempty"`
}

// Metrics are samples of the controller's /metrics, by name and labels as Prometheus writes them.
type Metrics struct {
	Samples map[string]float64 `json:"samples"`
}

// Save is what followed a saved file in the dev loop.
type Save struct {
	Build  int      `json:"build"` // that runs after it
	Files  []string `json:"files,omitempty"`
	Steps  []Step   `json:"steps,omitempty"`
	Before string   `json:"before,omitempty"` // digest of the binary
	After  string   `json:"after,omitempty"`
}

// Step is one step of the dev loop.
type Step struct {
	Name    string `json:"name"` // generate, crds, build, apply, restart
	Took    int64  `json:"took"`
	OK      bool   `json:"ok"`
	Message string `json:"message,omitempty"`
}

// Finding is a finding as it was when it appeared, changed or was resolved. The last record of an ID holds.
type Finding struct {
	ID        string    `json:"id"`
	Type      string    `json:"type"` // hot-loop, conflict-storm, …
	Subject   string    `json:"subject"`
	Since     int64     `json:"since"`
	Until     int64     `json:"until,omitempty"` // when it was resolved
	Message   string    `json:"message"`
	Certainty Certainty `json:"certainty"`
	Fix       string    `json:"fix"`
	Evidence  []int64   `json:"evidence"` // Seq of records

	Build      int `json:"build,omitempty"`      // of the controller that ran when it appeared
	ResolvedBy int `json:"resolvedBy,omitempty"` // build with which it ended; 0 if it ended without a new one
}

// Rights is what the roles and bindings of a cluster grant to a user, when a recording starts and when that changes.
type Rights struct {
	User   string  `json:"user"`
	Grants []Grant `json:"grants"`
}

// Grant is one rule of a role.
type Grant struct {
	Role      string   `json:"role"`         // as "ClusterRole foo" or "Role default/foo"
	Namespace string   `json:"ns,omitempty"` // where it holds; empty for everywhere
	Verbs     []string `json:"verbs"`
	Groups    []string `json:"groups,omitempty"`
	Resources []string `json:"resources,omitempty"`
	Names     []string `json:"names,omitempty"`
	Paths     []string `json:"paths,omitempty"`
}

// NeededFor returns the verbs of requests, and the groups of their resources, for which one permission is needed. Who watches needs "list"
// too: clients use it where a server cannot stream what is there, and this one can. Events are the same objects in both of their groups, and
// which of the two a client writes to is decided by its library, in one version so and in another otherwise.
func NeededFor(verb, group, resource string) (verbs, groups []string) {
	verbs, groups = []string{verb}, []string{group}
	if verb == "list" {
		verbs = append(verbs, "watch")
	}
	if both := []string{"", "events.k8s.io"}; resource == "events" && slices.Contains(both, group) {
		groups = both
	}
	return verbs, groups
}

// Gap is a time in which records were dropped, or of which a file that was damaged later has none that can be read.
type Gap struct {
	From    int64          `json:"from"`
	To      int64          `json:"to"`
	Dropped map[Kind]int64 `json:"dropped"`
	Why     string         `json:"why"`
	Damaged bool           `json:"damaged,omitempty"` // they were recorded; Dropped is what is known to be missing at least
}

// Index is the last record of a recording that was closed. A recording without one is read from its start.
type Index struct {
	Members []Member       `json:"members"`
	Counts  map[Kind]int64 `json:"counts"`
	Open    []string       `json:"open,omitempty"` // Finding.ID of findings that were not resolved
}

// Member is a gzip member of a recording's file.
type Member struct {
	Offset  int64 `json:"offset"` // bytes
	Seq     int64 `json:"seq"`    // of its first record
	From    int64 `json:"from"`   // earliest T of its records
	To      int64 `json:"to"`     // latest T of its records
	Records int64 `json:"records"`
	Defs    int64 `json:"defs,omitempty"` // definitions in it

	missing error // why none of its records is in the file; nil for one that is there
}
