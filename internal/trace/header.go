// SPDX-License-Identifier: Apache-2.0

package trace

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
	Levels     []string `json:"levels,omitempty"` // what was captured: audit or proxy, watch, admission, conversion, failedOpen, kubeEvent, log, loop, hook
	Redacted   []string `json:"redacted,omitempty"`
	CutFrom    string   `json:"cutFrom,omitempty"`    // name of the recording that this one was cut from
	Begin      int64    `json:"begin,omitempty"`      // T at which that part begins: what is older shows the state at it
	Incomplete bool     `json:"incomplete,omitempty"` // that one ends before its run did; of a file that was opened, it does
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
