// SPDX-License-Identifier: Apache-2.0

// Package subprocess renders templates in helper processes, so that one object can neither kill nor stall the renderings of others.
//
// The objects that templates get can come from any user of the cluster: a template that is harmless for all objects but one may recurse without end, loop for hours or
// double a string until no memory is left. No list of limits inside text/template and its functions covers that, so each rendering is done
// by a helper, which is the same binary started again: it has an empty environment, knows the templates and one request, and is killed when
// it exceeds the time limit, or ends itself when it exceeds the memory limit. Helpers are kept between renderings.
//
// It is a Decider, and knows nothing of templates: package gotemplate parses and renders them, on both sides.
//
// The protocol is frames on the helper's standard input and output: a byte for the kind, four for the length, and the payload. The first
// frame to the helper is its setup; then each request is answered by one frame.
package subprocess
