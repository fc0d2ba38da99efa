// SPDX-License-Identifier: Apache-2.0

package trace

import "encoding/json"

// Format is the version of the format that this package writes. A reader of a newer format reads what it knows.
const Format = 1

// Header is the first record of a recording.
type Header struct {
	Format     int      `json:"format"`
	Crdctl     string   `json:"crdctl"`               // version of crdctl
	Kubernetes string   `json:"kubernetes,omitempty"` // version of the API server
	Start      string   `json:"start"`                // wall clock at T = 0, RFC 3339 with nanoseconds
	Run        string   `json:"run"`                  // random; another run has another
	Project    string   `json:"project,omitempty"`    // Go module path or directory name
	Plane      Plane    `json:"plane"`
	Bodies     Bodies   `json:"bodies"`
	Levels     []string `json:"levels,omitempty"` // what was captured: audit, watch, admission, conversion, log, loop, hook
	Redacted   []string `json:"redacted,omitempty"`
	CutFrom    string   `json:"cutFrom,omitempty"` // name of the recording that this one was cut from
}

// Plane is the kind of API server that was recorded.
type Plane string

// The planes. Through a proxy only the requests of the controller itself are seen.
const (
	PlaneOwn   Plane = "own"
	PlaneProxy Plane = "proxy"
)

// Bodies says how much of objects is recorded.
type Bodies string

// The levels of bodies. None still has changes of metadata and status; changed has changes of all fields; all has the
// whole first version of each object and what requests sent, too.
const (
	BodiesNone    Bodies = "none"
	BodiesChanged Bodies = "changed"
	BodiesAll     Bodies = "all"
)

// Def defines one number that later records use. Exactly one field is set.
type Def struct {
	Actor    *Actor    `json:"actor,omitempty"`
	Resource *Resource `json:"resource,omitempty"`
	Object   *Object   `json:"object,omitempty"`
}

// Class groups actors by what they are to the author of the controller.
type Class string

// The classes of actors.
const (
	ClassController Class = "controller" // the project's own
	ClassBuiltin    Class = "builtin"    // the built-in loop of crdctl
	ClassKubectl    Class = "kubectl"    // kubectl with the user's credential
	ClassSystem     Class = "system"     // controllers of Kubernetes that run in this process, and the API server
	ClassCrdctl     Class = "crdctl"     // crdctl itself
	ClassOther      Class = "other"
)

// Actor is who sends requests: one credential, user agent and build.
type Actor struct {
	ID    ActorID `json:"id"`
	Name  string  `json:"name"` // for messages: "crontab", "kubectl", "garbage-collector"
	Class Class   `json:"class"`
	User  string  `json:"user"`
	Agent string  `json:"agent,omitempty"`
	Build int     `json:"build,omitempty"` // of the controller, from 1
	PID   int     `json:"pid,omitempty"`
}

// Resource is an API resource.
type Resource struct {
	ID         ResourceID `json:"id"`
	Group      string     `json:"group,omitempty"`
	Version    string     `json:"version"`
	Resource   string     `json:"resource"` // plural
	Kind       string     `json:"kind,omitempty"`
	Namespaced bool       `json:"namespaced,omitempty"`
}

// Object is one object, from its creation to its end.
type Object struct {
	ID        ObjectID   `json:"id"`
	UID       string     `json:"uid"`
	Resource  ResourceID `json:"resource"`
	Namespace string     `json:"ns,omitempty"`
	Name      string     `json:"name"`
}

// Request is a request to the API server, recorded when it was answered. T is the time of the answer's end. A request
// that opens a watch is recorded when the watch ends.
type Request struct {
	ID           string           `json:"id"` // audit ID
	Actor        ActorID          `json:"actor"`
	Began        int64            `json:"began"`
	Verb         string           `json:"verb"` // get, list, watch, create, update, patch, apply, delete, deletecollection
	Resource     ResourceID       `json:"resource,omitempty"`
	Subresource  string           `json:"sub,omitempty"`
	Namespace    string           `json:"ns,omitempty"`
	Name         string           `json:"name,omitempty"`
	Object       ObjectID         `json:"obj,omitempty"`
	Path         string           `json:"path,omitempty"` // of a request that is not about a resource
	Selector     string           `json:"selector,omitempty"`
	Code         int              `json:"code"`
	Reason       string           `json:"reason,omitempty"`  // of the Status that was answered
	Message      string           `json:"message,omitempty"` // of the Status that was answered
	RVIn         uint64           `json:"rvIn,omitempty"`    // resource version that was sent
	RVOut        uint64           `json:"rvOut,omitempty"`   // resource version that was answered
	NoOp         bool             `json:"noop,omitempty"`    // the write changed nothing
	FieldManager string           `json:"fieldManager,omitempty"`
	Force        bool             `json:"force,omitempty"`
	DryRun       bool             `json:"dryRun,omitempty"`
	Decision     string           `json:"decision,omitempty"` // allow or forbid
	Because      string           `json:"because,omitempty"`  // which binding allowed it
	Warnings     []string         `json:"warnings,omitempty"`
	Layers       map[string]int64 `json:"layers,omitempty"` // nanoseconds in etcd, admission, decode, serialize, write
	Bytes        int64            `json:"bytes,omitempty"`  // of the answer
	Drift        []Change         `json:"drift,omitempty"`  // Old was sent by an update, New is what was stored
	Body         json.RawMessage  `json:"body,omitempty"`   // what was sent, with Bodies all
}

// Version is a new version of an object.
type Version struct {
	Object      ObjectID        `json:"obj"`
	Type        string          `json:"type"` // ADDED, MODIFIED or DELETED
	RV          uint64          `json:"rv"`
	Generation  int64           `json:"generation,omitempty"`
	By          string          `json:"by,omitempty"`   // Request.ID of the write; empty if it was not seen
	Prev        uint64          `json:"prev,omitempty"` // RV that Changes are relative to; 0 for the first that was seen
	Changes     []Change        `json:"changes,omitempty"`
	ManagedOnly bool            `json:"managedOnly,omitempty"` // nothing but managedFields and the version differs
	Owners      []Owner         `json:"owners,omitempty"`
	Finalizers  []string        `json:"finalizers,omitempty"`
	Deleting    string          `json:"deleting,omitempty"` // deletionTimestamp
	Full        json.RawMessage `json:"full,omitempty"`     // the whole object without managedFields, with Bodies all and Prev 0
}

// Owner is an owner reference.
type Owner struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Name       string `json:"name"`
	UID        string `json:"uid"`
	Controller bool   `json:"controller,omitempty"`
}

// Watch is the life of a watch.
type Watch struct {
	ID        string     `json:"id"` // Request.ID
	Actor     ActorID    `json:"actor"`
	State     string     `json:"state"` // open, synced (the initial events were sent) or end; retry is the client's: it lists again, because of End
	Resource  ResourceID `json:"resource"`
	Namespace string     `json:"ns,omitempty"`
	Labels    string     `json:"labels,omitempty"`
	Fields    string     `json:"fields,omitempty"`
	FromRV    uint64     `json:"fromRV,omitempty"`
	End       string     `json:"end,omitempty"` // why it ended: client, timeout, expired, error
	Objects   int64      `json:"objects,omitempty"`
	Events    int64      `json:"events,omitempty"`
	Bytes     int64      `json:"bytes,omitempty"`
}

// Event is the delivery of a version to the client of a watch.
type Event struct {
	Watch  string   `json:"watch"` // Watch.ID
	Actor  ActorID  `json:"actor"`
	Type   string   `json:"type"` // ADDED, MODIFIED, DELETED or ERROR
	Object ObjectID `json:"obj,omitempty"`
	RV     uint64   `json:"rv,omitempty"`
}

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

// Admission is a call of a webhook, a conversion, a policy or an admission plugin.
type Admission struct {
	Type       string          `json:"type"` // mutating, validating, conversion, policy, plugin
	Name       string          `json:"name"`
	Request    string          `json:"request,omitempty"` // Request.ID
	Op         string          `json:"op,omitempty"`      // CREATE, UPDATE, DELETE, or FROM->TO of a conversion
	Resource   ResourceID      `json:"resource,omitempty"`
	Began      int64           `json:"began"`
	Allowed    bool            `json:"allowed,omitempty"`
	Objects    int             `json:"objects,omitempty"` // converted
	Patch      json.RawMessage `json:"patch,omitempty"`
	Reason     string          `json:"reason,omitempty"` // why a webhook that answered did not allow it
	Err        string          `json:"err,omitempty"`    // why the call itself failed
	FailedOpen bool            `json:"failedOpen,omitempty"`
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
	Type    string   `json:"type"` // Normal or Warning
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

// Gap is a time in which records were dropped.
type Gap struct {
	From    int64          `json:"from"`
	To      int64          `json:"to"`
	Dropped map[Kind]int64 `json:"dropped"`
	Why     string         `json:"why"`
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
}

// Kind implements Body.
func (*Header) Kind() Kind { return KindHeader }

// Kind implements Body.
func (*Def) Kind() Kind { return KindDef }

// Kind implements Body.
func (*Request) Kind() Kind { return KindRequest }

// Kind implements Body.
func (*Version) Kind() Kind { return KindVersion }

// Kind implements Body.
func (*Watch) Kind() Kind { return KindWatch }

// Kind implements Body.
func (*Event) Kind() Kind { return KindEvent }

// Kind implements Body.
func (*Queue) Kind() Kind { return KindQueue }

// Kind implements Body.
func (*Reconcile) Kind() Kind { return KindReconcile }

// Kind implements Body.
func (*Decision) Kind() Kind { return KindDecision }

// Kind implements Body.
func (*Hook) Kind() Kind { return KindHook }

// Kind implements Body.
func (*Admission) Kind() Kind { return KindAdmission }

// Kind implements Body.
func (*Log) Kind() Kind { return KindLog }

// Kind implements Body.
func (*KubeEvent) Kind() Kind { return KindKubeEvent }

// Kind implements Body.
func (*Metrics) Kind() Kind { return KindMetrics }

// Kind implements Body.
func (*Save) Kind() Kind { return KindSave }

// Kind implements Body.
func (*Finding) Kind() Kind { return KindFinding }

// Kind implements Body.
func (*Rights) Kind() Kind { return KindRights }

// Kind implements Body.
func (*Gap) Kind() Kind { return KindGap }

// Kind implements Body.
func (*Index) Kind() Kind { return KindIndex }

// Kind returns the kind that the line has.
func (u *Unknown) Kind() Kind { return u.K }
