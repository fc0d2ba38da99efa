// SPDX-License-Identifier: Apache-2.0

package stories

import (
	"slices"
	"time"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/trace"
	"github.com/crdctl/crdctl/internal/view/finding"
	"github.com/crdctl/crdctl/internal/view/model"
)

// While its child waits for the garbage collector, the page has the reference in red, in the tree and at the object.
func (p *page) showsTheInvalidOwner() {
	p.Helper()
	p.shows(".tree .row.red", "other/abroad")
	p.click(".tree .row.red", "✗ owner")
	p.shows(".object-head", "ConfigMap other/abroad")
	p.shows(".facts .bad", "its owner CronTab default/abroad is in another namespace")
	p.press("1")
	p.shows(".finding.open", "CronTab abroad absent in namespace other")
}

// In the page, the version of the object with the annotation leads to the request and the reconcile that wrote it.
func (p *page) showsWhyTwice() {
	p.Helper()
	p.click(".tree .row", "CronTab default/twice")
	p.press("3")
	p.shows(".object-head", "CronTab default/twice")
	p.click("crd-rows[aria-label=Versions] .row", "metadata.annotations")
	p.shows(".fields", "stable.example.com/seen")
	p.shows(".why h4", "Written by")
	p.shows(".why .item", "PUT crontabs.stable.example.com default/twice by view, build 1: 200")
	p.click(".why .ref", "reconcile of CronTab default/twice") // the second, which it led to
	p.shows(".why h4", "Because")
	p.shows(".why .item", "written by view, build 1: PUT")
	p.shows(".why .field", `["stable.example.com/seen"]`)
	p.press(kb.Escape) // back to the version
	p.shows(".why h4", "Changed")
	p.press(kb.ArrowLeft) // to the request
	p.shows(".why h4", "Sent by")
	p.shows(".why .item", "reconcile of CronTab default/twice")
}

// In the flow, the delivery of the child's end is followed by a reconcile and by the request that makes it again.
func (p *page) showsTheChildComeBack() {
	p.Helper()
	p.press("2")
	p.shows(".chips[aria-label=Flow] .hint", "line:")
	p.press("/")
	p.press("parent")
	p.press(kb.Enter)
	p.press("t")
	p.until("the flow goes back to when the child was deleted", func() bool {
		p.click("[aria-label='Zoom out']", "−")
		p.scroll("crd-rows[aria-label=Flow]") // the newest is at the top
		return p.has("crd-rows[aria-label=Flow] .row", "DELETED of ConfigMap default/parent")
	})
	p.shows("crd-rows[aria-label=Flow] .row", "POST configmaps default/parent by view, build 1: 201")
	p.click("crd-rows[aria-label=Flow] .row", "DELETED of ConfigMap default/parent")
	p.shows(".why", "DELETED")
}

// findsInTime prints how long after the first request that is a part of it the run recorded a finding, by the times of the recording: 1 to 3 s
// as a rule, and 5 s at most is the goal. A busy machine may take longer, but not a minute.
func (r *recorded) findsInTime(kind, subject string, part func(*trace.Request) bool) {
	r.Helper()
	began := int64(0)
	for record := range r.records(r.file) {
		switch b := record.Body.(type) {
		case *trace.Request:
			if began == 0 && part(b) {
				began = record.T
			}
		case *trace.Finding:
			if b.Type != kind || b.Subject != subject {
				continue
			}
			require.NotZero(r, began, "%s is found before it happens", kind)
			r.Logf("%s of %s was found after %v", kind, subject, time.Duration(record.T-began))
			assert.Less(r, time.Duration(record.T-began), time.Minute, "%s of %s", kind, subject)
			return
		}
	}
	r.Errorf("the run recorded no %s of %s", kind, subject)
}

// A denied watch is found when it was refused twice: informers try again in a second or two.
func (r *recorded) seesTheDenialAtOnce() {
	r.Helper()
	refused, engine := 0, finding.New()
	for record := range r.records(r.file) {
		if q, ok := record.Body.(*trace.Request); ok && (q.Verb == "list" || q.Verb == "watch") && q.Code == 403 {
			refused++
		}
		engine.Add(record)
		if find(engine.Findings(), "watch-denied", "secrets") != nil {
			break
		}
	}
	assert.LessOrEqual(r, refused, 4)
	assert.GreaterOrEqual(r, refused, 2)
}

// The second reconcile of an object was caused by the annotation that the first wrote.
func (r *recorded) seesWhyTwice(m *model.Model) {
	r.Helper()
	all := m.Reconciles(model.Key{Controller: "crontab", Key: "default/twice"})
	saved := int64(0)
	for record := range m.Records(0, 1<<62) {
		if b, ok := record.Body.(*trace.Save); ok && slices.Equal(b.Files, []string{"main.go"}) {
			saved = record.T
			break
		}
	}
	require.NotZero(r, saved)
	before := slices.DeleteFunc(slices.Clone(all), func(rec *model.Reconcile) bool { return rec.Began > saved })
	require.Len(r, before, 2, "reconciles until the controller was restarted")
	for _, cause := range m.Causes(all[1]) {
		v := cause.Version
		if v == nil || v.Request == nil || v.Request.Verb != "update" || len(v.Changes) == 0 {
			continue
		}
		assert.Equal(r, "view", v.Request.Actor.Name)
		assert.Equal(r, trace.Likely, cause.Certainty, "lines prove no cause")
		assert.Contains(r, v.Changes[0].Path, "metadata.annotations")
		assert.Equal(r, v.RV, cause.RV)
		assert.Equal(r, v.RV, v.Request.RVOut)
		writer, sent := m.ReconcileOf(v.Request)
		assert.Same(r, all[0], writer)
		assert.Equal(r, trace.Certain, sent.Certainty, "its requests name the reconcile")
		return
	}
	r.Errorf("no cause of the second reconcile is the write of the first: %+v", m.Causes(all[1]))
}

// A child with a controller reference is deleted: its end is delivered, a reconcile follows, and makes it again.
func (r *recorded) seesTheChildComeBack(m *model.Model) {
	r.Helper()
	var ended, made int64
	var create *model.Request
	for o := range m.Objects() {
		if o.String() != "ConfigMap default/parent" {
			continue
		}
		for _, v := range o.Versions {
			switch {
			case v.Type == "DELETED":
				require.NotNil(r, v.Request)
				assert.Equal(r, trace.ClassKubectl, v.Request.Actor.Class)
				require.NotEmpty(r, o.Deliveries)
				ended = v.T
			case v.Type == "ADDED" && v.Request != nil && ended != 0:
				assert.Equal(r, "create", v.Request.Verb)
				made, create = v.T, v.Request
			}
		}
	}
	require.NotZero(r, ended, "the end of the child is not recorded")
	require.NotZero(r, made, "the child that came back is not recorded")
	// On a busy machine the request that ended it is answered after the one that made it again.
	assert.True(r, slices.ContainsFunc(m.Reconciles(model.Key{Controller: "crontab", Key: "default/parent"}), func(rec *model.Reconcile) bool {
		return rec.Ended > min(ended, made) && rec.Began < made
	}), "no reconcile between the end of the child and its return")
	const tolerance = int64(time.Millisecond) // lines and requests have clocks of two processes
	rec, link := m.ReconcileOf(create)
	require.NotNil(r, rec)
	assert.Equal(r, trace.Certain, link.Certainty)
	assert.Equal(r, "default/parent", rec.Key)
	assert.LessOrEqual(r, rec.Began, create.Began+tolerance, "the request is a part of the reconcile")
	assert.GreaterOrEqual(r, rec.Ended+tolerance, create.T)
}

// Each save has its steps, and the build that runs after it.
func (r *recorded) seesTheSaves(m *model.Model) {
	r.Helper()
	var saves []*trace.Save
	metrics := 0
	for record := range m.Records(0, 1<<62) {
		switch b := record.Body.(type) {
		case *trace.Save:
			saves = append(saves, b)
		case *trace.Metrics:
			metrics++
		}
	}
	assert.Positive(r, metrics)
	byFile := slices.DeleteFunc(slices.Clone(saves), func(s *trace.Save) bool { return !slices.Equal(s.Files, []string{"main.go"}) })
	require.Len(r, byFile, 3)
	broken, good := byFile[0], byFile[1]
	step := func(s *trace.Save, name string) trace.Step {
		i := slices.IndexFunc(s.Steps, func(step trace.Step) bool { return step.Name == name })
		require.GreaterOrEqual(r, i, 0, "no step %s in %+v", name, s)
		return s.Steps[i]
	}
	assert.False(r, step(broken, "build").OK)
	assert.Contains(r, step(broken, "build").Message, "undefined: nothing")
	assert.Equal(r, 1, broken.Build)
	assert.Equal(r, broken.Before, broken.After)
	assert.True(r, step(good, "restart").OK)
	assert.Equal(r, 2, good.Build)
	assert.NotEqual(r, good.Before, good.After)
}
