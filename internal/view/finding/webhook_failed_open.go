// SPDX-License-Identifier: Apache-2.0

package finding

import "github.com/crdctl/crdctl/internal/trace"

var webhookFailedOpen = &Type{
	Name:  "webhook-failed-open",
	lacks: noFailedOpen,
	Means: "calls of a webhook with failurePolicy: Ignore fail: the API server goes on as if it had not been asked",
	Fix:   "look at the error; use failurePolicy: Fail if what the webhook checks must hold",
	needs: []trace.Kind{trace.KindAdmission},
	install: installWebhooks(1, func(b *trace.Admission, _ int64) bool { return b.FailedOpen }, func(k webhook, c *calls) string {
		return k.String() + " failed, and its objects were stored without it: " + failedOf(c)
	}),
}
