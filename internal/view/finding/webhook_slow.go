// SPDX-License-Identifier: Apache-2.0

package finding

import (
	"fmt"

	"github.com/crdctl/crdctl/internal/text"
	"github.com/crdctl/crdctl/internal/trace"
	"github.com/crdctl/crdctl/internal/view/model"
)

var webhookSlow = &Type{
	Name:  "webhook-slow",
	lacks: throughProxy,
	Means: "at least 3 calls of a webhook within a minute took more than half a second: each write of the objects waits for it",
	Fix:   "read from caches in the webhook, and call nothing else; narrow its rules, its selectors or its matchConditions",
	needs: []trace.Kind{trace.KindAdmission},
	install: installWebhooks(3, func(_ *trace.Admission, took int64) bool { return took > webhookSlowTook }, func(k webhook, c *calls) string {
		took, slowest := model.Duration(webhookSlowTook), model.Duration(c.slowest)
		return fmt.Sprintf("%s is slow: %d of %s took more than %s, the slowest %s", k, c.n(), text.Count(c.all.n(), "call", "calls"), took, slowest)
	}),
}
