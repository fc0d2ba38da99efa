// SPDX-License-Identifier: Apache-2.0

// Package render renders an object's desired children from Go templates: a directory of YAML files instead of a hook.
//
// It knows nothing of Kubernetes, and nothing of how children are applied: it makes the answer that a hook would give. A rendering
// depends on the request alone, not on the clock, chance, the environment or the order of a map. Only its output is bounded: package
// renderhelper bounds its time and memory, which cannot be done in the process that goes on.
//
// Each file *.yaml, *.yml or *.tmpl gives children, one a YAML document. Files whose name begins with _ only define blocks for the
// others (also *.tpl). The file status.* gives the parent's status, and customize.* the list of related resources.
//
// An absent field is not an error in itself, so that if, with and default work on it; to print it is one, since an empty value in a
// manifest is not what the author meant.
package render
