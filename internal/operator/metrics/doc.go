// SPDX-License-Identifier: Apache-2.0

// Package metrics is the HTTP side of the loop: probes, metrics, profiles. The metrics have the names of client-go and
// component-base, so that the dashboards and alerts that exist fit.
//
// They are in a registry of their own. The process may run an API server as well, whose metrics are in the global one and are
// no business of who watches the loop; so nothing here is registered globally, and client-go's hooks for it, which would
// count the API server's own clients too, are not used: the loop's client counts its requests itself (Metrics.Transport).
// Without metrics there is no Metrics, every method of a nil one does nothing, and nothing is allocated.
//
// It knows nothing of kinds, hooks and Leases but their names.
package metrics
