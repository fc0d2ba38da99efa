// SPDX-License-Identifier: Apache-2.0

// Package controller is the control loop embedded in crdctl: it follows any custom resource without a Go project, and says
// in the log what a controller would see and do. For each kind it has the well-known pipeline: Reflector (list and
// watch) → FIFO of deltas → store and event handlers → work queue → workers → reconciler.
//
// It is not a framework for writing controllers, it installs no CRDs, and it does not start an API server. It logs to the
// slog.Logger that it is handed, and prints nothing. What client-go says through klog is the caller's business.
//
// Scripts and end-to-end tests look for its log messages, so their wording is fixed: see TestStoryOfAnObject. Every message about a kind
// has the attribute kind, every message about an object also has key. At debug level the pipeline shows itself, for people only.
package controller
