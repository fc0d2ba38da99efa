// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/crdctl/crdctl/internal/operator/operatortest"
	"github.com/crdctl/crdctl/internal/trace"
)

// From what was delivered to what was sent, each step refers to the one before it.
func TestTheLoopIsRecorded(t *testing.T) {
	b := newBed(t)
	records := operatortest.NewRecords()
	b.Trace, b.TraceBodies = records, trace.BodiesChanged
	ids := &operatortest.Names{}
	b.api.Respond(func(r operatortest.Request) (int, string) {
		if r.AuditID != "" {
			ids.Add(r.AuditID + " " + r.Method)
		}
		code, body := b.usual(r)
		if r.Method == http.MethodPatch {
			b.api.At(maps).Answer(nil, body)
		}
		return code, body
	})
	end := b.start()
	b.applied(`"data":{"count":"1"}`)
	b.until("decision", func() bool { return len(operatortest.RecordsOf[*trace.Decision](records)) > 0 })
	first := operatortest.RecordsOf[*trace.Reconcile](records)[0]
	assert.Equal(t, "foos.example.com default/a begin loop", first.Controller+" "+first.Key+" "+first.State+" "+first.Source)
	assert.Equal(t, "own", first.Causes[0].Why)
	assert.Equal(t, uint64(1), first.Causes[0].RV)
	assert.Equal(t, first.Object, first.Causes[0].Object)
	assert.Equal(t, trace.Certain, first.Causes[0].Certainty)
	assert.Contains(t, ids.All(), first.ID+".2 PATCH", "GET is the first")

	asked := operatortest.RecordsOf[*trace.Hook](records)[0]
	assert.Equal(t, first.ID+" sync templates", asked.Reconcile+" "+asked.Op+" "+asked.Name[strings.LastIndexByte(asked.Name, '/')+1:])
	assert.Contains(t, string(asked.Question), `"parent":{"apiVersion":"example.com/v1"`)
	assert.Contains(t, string(asked.Answer), `"count":"1"`)

	decided := operatortest.RecordsOf[*trace.Decision](records)[0]
	decided.Object = 0
	assert.Equal(t, &trace.Decision{Reconcile: first.ID, Child: "ConfigMap default/a", Action: "create", Why: "not applied since the start"}, decided)

	b.template(strings.Replace(oneMap, `"1"`, `"changed"`, 1))
	b.applied(`"data":{"count":"changed"}`)
	for _, why := range []string{"hook", "child"} {
		b.until("reconcile because of "+why, func() bool {
			return slices.ContainsFunc(operatortest.RecordsOf[*trace.Reconcile](records), func(r *trace.Reconcile) bool {
				return slices.ContainsFunc(r.Causes, func(c trace.Cause) bool { return c.Why == why })
			})
		})
	}
	end()
	last := ""
	for _, d := range operatortest.RecordsOf[*trace.Decision](records) {
		if d.Why == "the answer changed" {
			last = d.Action
		}
	}
	assert.NotEmpty(t, last, "the new template")
	assert.True(t, slices.ContainsFunc(operatortest.RecordsOf[*trace.Log](records), func(l *trace.Log) bool {
		return l.Level == "info" && l.Message == "Successfully synced" && l.Key == "default/a" && l.Attrs["kind"] == "Foo"
	}), "its lines are recorded, too")
}
