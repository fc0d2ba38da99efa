// SPDX-License-Identifier: Apache-2.0

package record

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/crdctl/crdctl/internal/trace"
)

// A webhook that denies a request works: only a call that failed has an error.
func TestDenialIsNotAFailure(t *testing.T) {
	for message, want := range map[string]trace.Admission{
		`admission webhook "vcrontab.kb.io" denied the request: CronTab.batch.example.com "x" is invalid: spec.schedule: Required value`: {Name: "vcrontab.kb.io", Reason: `admission webhook "vcrontab.kb.io" denied the request: CronTab.batch.example.com "x" is invalid: spec.schedule: Required value`},
		`admission webhook "vcrontab.kb.io" denied the request without explanation`:                                                      {Name: "vcrontab.kb.io", Reason: `admission webhook "vcrontab.kb.io" denied the request without explanation`},
		`Internal error occurred: failed calling webhook "vcrontab.kb.io": failed to call webhook: connection refused`:                   {Name: "vcrontab.kb.io", Err: `Internal error occurred: failed calling webhook "vcrontab.kb.io": failed to call webhook: connection refused`},
		`pods "x" is forbidden: exceeded quota: q`:                                                                                       {Name: "ResourceQuota", Err: `pods "x" is forbidden: exceeded quota: q`},
	} {
		got := trace.Admission{Name: "ResourceQuota"}
		refused(&got, message)
		assert.Equal(t, want, got)
	}
}

// The plugin of webhooks that waits for its informers is no slow webhook.
func TestTypeOfPlugin(t *testing.T) {
	for _, plugin := range []string{"MutatingAdmissionWebhook", "ValidatingAdmissionWebhook", "ResourceQuota"} {
		assert.Equal(t, "plugin", typeOf(plugin, plugin))
	}
	assert.Equal(t, "mutating", typeOf("MutatingAdmissionWebhook", "vcrontab.kb.io"))
	assert.Equal(t, "policy", typeOf("ValidatingAdmissionPolicy", "ValidatingAdmissionPolicy"))
}
