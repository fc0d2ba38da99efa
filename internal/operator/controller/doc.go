// Package controller is the control loop embedded in crdctl: it follows any custom resource without a Go project, and says
// in the log what a controller would see and do. For each kind it has the well-known pipeline: Reflector (list and
// watch) → FIFO of deltas → store and event handlers → work queue → workers → reconciler.
//
// It is not a framework for writing controllers, it installs no CRDs, and it does not start an API server. It knows
// nothing of the terminal either: it logs to the slog.Logger that it is handed, and prints nothing. What client-go
// says through klog is the caller's business.
//
// # Log messages
//
// Scripts and end-to-end tests look for these messages, so their wording is fixed. Every message about a kind has the
// attribute kind, every message about an object also has key.
//
//	Event handlers set up
//	Starting control loop
//	Waiting for caches to sync
//	Caches synced                              objects
//	Started workers                            count
//
//	Object added                               resourceVersion, spec
//	Spec changed                               resourceVersion, spec
//	Object changed                             resourceVersion (the spec is the same)
//	Deletion requested                         resourceVersion, finalizers
//	Key is gone from the cache
//	Deletion handled
//	Successfully synced "default/crontab-demo"
//	Reconcile failed; retrying with back-off   err, failures; stack after a panic
//	Key dropped: it is not valid               err
//
//	customresourcedefinition crontabs.stable.example.com is not installed yet; waiting for it
//	customresourcedefinition crontabs.stable.example.com is gone; waiting for it
//	customresourcedefinition crontabs.stable.example.com is installed
//	API server does not answer; trying until it does   err
//	API server answers again
//	API server refuses to list; trying until it does not   err
//	Events lost                                count, err
//
//	Shutting down workers
//	Control loop stopped
//
// At debug level the pipeline shows itself, for people and not for scripts: "Reflector listed", "Reflector watches",
// "FIFO popped", "Handler queues".
package controller
