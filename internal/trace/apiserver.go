// SPDX-License-Identifier: Apache-2.0

package trace

import "encoding/json"

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
	Items        int              `json:"items,omitempty"`  // of a list that was answered; RVOut is that of the list
	Drift        []Change         `json:"drift,omitempty"`  // Old was sent by an update, New is what was stored
	Body         json.RawMessage  `json:"body,omitempty"`   // what was sent, with Bodies all
}

// Version is a new version of an object.
type Version struct {
	Object      ObjectID        `json:"obj"`
	Type        string          `json:"type"` // ADDED, MODIFIED or DELETED
	RV          uint64          `json:"rv"`
	Generation  int64           `json:"generation,omitempty"`
	By          string          `json:"by,omitempty"`      // Request.ID of the write; empty if it was not seen
	Guessed     bool            `json:"guessed,omitempty"` // By is only likely: the times fit, and no other request was seen
	Prev        uint64          `json:"prev,omitempty"`    // RV that Changes are relative to; 0 for the first that was seen
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
	Began  int64    `json:"began,omitempty"` // when it began to be sent, if that was more than a millisecond before T, when it was known to be sent
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
	Objects    int             `json:"objects,omitempty"`    // converted
	Patch      json.RawMessage `json:"patch,omitempty"`      // of a mutating webhook, as JSON patch; values as Bodies allows
	PatchBytes int             `json:"patchBytes,omitempty"` // size of the whole patch
	Reason     string          `json:"reason,omitempty"`     // why a webhook that answered did not allow it
	Err        string          `json:"err,omitempty"`        // why the call itself failed
	FailedOpen bool            `json:"failedOpen,omitempty"` // the call failed, and failurePolicy: Ignore let the request pass
	Canceled   bool            `json:"canceled,omitempty"`   // the client went away before there was an answer: the call neither failed nor was denied
}
