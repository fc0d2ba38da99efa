// SPDX-License-Identifier: Apache-2.0

package server_test

import (
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
)

// The first screen has the finding as a sentence, and the table of requests leads to what made each.
func TestPageOfARecording(t *testing.T) {
	p := open(t, serve(t, crontab()).URL())
	p.has(".finding.open", "hot loop: CronTab default/x is reconciled by its own status write, 44/s")
	p.has(".finding.open", "secrets were never synced: 403")
	p.has(".finding.open .sure", "certain")
	p.has(".notice", "recording of")
	p.has(".last", "CronTab default/x")
	assert.NotContains(t, eval[string](p, `location.href`), "token", "the token stayed in the address bar")

	p.shoot("now")
	p.key("4")
	p.has("crd-rows[aria-label=Requests] .row", "PUT status")
	assert.True(t, eval[bool](p, `(() => { const e = document.querySelector("crd-rows[aria-label=Requests]"); return e.scrollWidth <= e.clientWidth; })()`), "columns are off screen")
	p.key("j")
	p.has(".why", "Sent by")
	p.has(".why", "which it wrote itself")
	p.has(".why .item.certain", "reconcile of CronTab default/x")
	p.shoot("requests")
	p.key("1")
	p.click(".tree .row")
	p.has(".object-head", "CronTab default/x")
	p.shoot("object")
	p.key("2")
	p.waits(`document.querySelector("canvas")?.width > 500`)
	p.has(".why", "Decided on")
	p.shoot("flow")
	p.key("5")
	p.has(".uplot", "requeue")
	p.shoot("time")
	p.key("6")
	p.has(".rights-parts", "//+kubebuilder:rbac:groups=\"\",resources=secrets,verbs=list")
	p.shoot("rights")
}

// The URL is copied from a sentence, with what follows it there.
func TestURLWithPunctuation(t *testing.T) {
	p := open(t, serve(t, crontab()).URL()+";")
	p.has(".finding.open", "hot loop: CronTab default/x is reconciled by its own status write")
}

// A time that is not nothing is not printed as nothing, and all times of day are printed alike.
func TestFormat(t *testing.T) {
	p := open(t, serve(t, crontab()).URL())
	p.has(".finding.open", "hot loop")
	eval[bool](p, `(import("/format.js").then((f) => { window.formatted = [0, 40, 41e3, 95e3, 5e6, 2.6e9].map(f.duration).join() + " " + f.clockOf(f.wall(1.5e9)); }), true)`)
	p.waits(`window.formatted === "0 ms,0 µs,41 µs,0.1 ms,5 ms,2.6 s 12:00:01"`)
}

// What is selected elsewhere may not be in the time that the flow opens on: the page says so, and leads there.
func TestFlowOfAnOlderSelection(t *testing.T) {
	r := newRecording(false)
	r.after(time.Second)
	r.hotLoop(controller, 3)
	r.after(time.Minute)
	r.hotLoop(controller, 3)
	p := open(t, serve(t, r).URL())
	p.key("4")
	p.has(".view .row", "PUT status")
	p.key("j")
	p.key("2")
	p.has(".why", "Sent by")
	p.has(".view .hint", "line:")
	p.waits(`!document.querySelector(".view").innerText.includes("The selected record is of")`)
	p.key("4")
	p.has(".view .row", "PUT status")
	eval[bool](p, `(document.querySelector("crd-rows[aria-label=Requests]").focus(), true)`)
	p.key(kb.End)
	p.key("2")
	p.has(".view .hint", "The selected record is of 12:00:01")
	p.click(".view .hint .ref")
	p.waits(`!document.querySelector(".view").innerText.includes("The selected record is of")`)
	p.has(".chips[aria-label=Flow] .hint", "12:00:00.000 to 12:00:06")
}
