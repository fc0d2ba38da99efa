// SPDX-License-Identifier: Apache-2.0

// Package kubectl is kubectl inside this process, pointed at the project's control plane.
//
// It is not the user's kubectl: it has no plugins, it reads neither $KUBECONFIG nor ~/.kube/kuberc, and it keeps no
// discovery cache in the home directory. All of these speak of other clusters, and a command meant for the project's
// control plane must not end up in one of them; --kubeconfig is the one way there. It is not a client library either:
// what goes in is a command line, what comes out is text and an exit code.
//
// kubectl was written to be a process of its own. What it keeps in package variables (the fatal handler, the warning
// handler, klog) is set for one Run at a time and put back after it. Two of its habits remain: "auth can-i"
// (for no) and a signal during "get --watch" end the process themselves, with exit code 1, and "cp" and "logs" print
// some hints to os.Stdout and os.Stderr.
package kubectl
