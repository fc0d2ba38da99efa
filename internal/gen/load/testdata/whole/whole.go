// SPDX-License-Identifier: Apache-2.0

package whole

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

type task struct {
	Wait *metav1.Duration
	name string // that is not exported, and selected
}

// text has calls in a function value, and of methods that are promoted.
var text = func(t task) string { return t.Wait.Duration.Round(time.Second).String() }

var name = task{name: "first"}.name

var wrong int = "a type error"
