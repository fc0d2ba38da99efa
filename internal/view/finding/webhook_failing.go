// SPDX-License-Identifier: Apache-2.0

package finding

import "github.com/crdctl/crdctl/internal/trace"

var webhookFailing = &Type{
	Name:  "webhook-failing",
	lacks: throughProxy,
	Means: "calls of a webhook fail: the API server rejects the request or cannot convert the object",
	Fix:   "look at the error and at the output of the webhook's server: its port, its certificate, a panic, a timeout",
	needs: []trace.Kind{trace.KindAdmission},
	install: installWebhooks(1, func(b *trace.Admission, _ int64) bool { return b.Err != "" && !b.FailedOpen }, func(k webhook, c *calls) string {
		return k.String() + " fails: " + failedOf(c)
	}),
}
