// SPDX-License-Identifier: Apache-2.0

// Package hook asks a user's program or web server what children an object is to have, in Metacontroller's request and answer
// format. A program is started for each call, or once for all calls (JSON lines); a URL is called by POST.
//
// It knows nothing of Kubernetes: a call's body and its answer are JSON objects that others make and read. Whatever a program does
// (hang, crash, print rubbish or far too much, leave children of its own), the call ends in time with an error that says so, memory is
// bounded, and other calls go on.
package hook
