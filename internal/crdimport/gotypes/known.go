// SPDX-License-Identifier: Apache-2.0

package gotypes

import (
	"encoding/json"
	"sync"
)

// The schemas that controller-tools makes of types of Kubernetes which are used instead of local ones: no
// controller has helpers for a copy of them. TestKnownTypes holds them to controller-tools. Types of k8s.io/api are not
// among them: their schemas change with every release, and with them what the CRD requires.
var (
	// ConditionSchema is the schema of metav1.Condition.
	ConditionSchema = parsed(`{"type": "object", "required": ["lastTransitionTime", "message", "reason", "status", "type"], "properties": {
		"lastTransitionTime": {"type": "string", "format": "date-time"},
		"message": {"type": "string", "maxLength": 32768},
		"observedGeneration": {"type": "integer", "format": "int64", "minimum": 0},
		"reason": {"type": "string", "minLength": 1, "maxLength": 1024, "pattern": "^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$"},
		"status": {"type": "string", "enum": ["True", "False", "Unknown"]},
		"type": {"type": "string", "maxLength": 316,
			"pattern": "^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$"}}}`)
	// LabelSelectorSchema is the schema of metav1.LabelSelector.
	LabelSelectorSchema = parsed(`{"type": "object", "x-kubernetes-map-type": "atomic", "properties": {
		"matchLabels": {"type": "object", "additionalProperties": {"type": "string"}},
		"matchExpressions": {"type": "array", "x-kubernetes-list-type": "atomic", "items": {"type": "object", "required": ["key", "operator"], "properties": {
			"key": {"type": "string"}, "operator": {"type": "string"},
			"values": {"type": "array", "x-kubernetes-list-type": "atomic", "items": {"type": "string"}}}}}}}`)
)

func parsed(text string) func() *schema {
	return sync.OnceValue(func() *schema {
		s := &schema{}
		if err := json.Unmarshal([]byte(text), s); err != nil {
			panic(err) // it is a constant
		}
		return s
	})
}
