// SPDX-License-Identifier: Apache-2.0

package server_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/trace"
)

// Everything can be done with the keyboard.
func TestKeyboard(t *testing.T) {
	p := open(t, serve(t, crontab()).URL())
	p.has(".finding.open", "reconciled by its own status write")
	eval[bool](p, `(document.querySelector("[aria-label='Help: keys']").focus(), true)`)
	p.key("?")
	p.has("dialog[open]", "version before")
	p.waits(`document.activeElement.closest("dialog") !== null`)
	p.key("4")
	p.waits(`document.querySelector("[role=tab][aria-selected=true]").innerText.includes("Now")`)
	p.key(kb.Escape)
	p.waits(`!document.querySelector("dialog[open]") && document.activeElement.ariaLabel === "Help: keys"`)
	p.key("4")
	p.has(".view .row", "PUT status")
	for range 60 {
		p.key("j")
	}
	p.waits(`document.querySelector("crd-rows[aria-label=Requests]").scrollTop > 0`)
	p.waits(`!!document.querySelector("crd-rows[aria-label=Requests] .row.selected")`)
	p.has(".why", "Decided on")
	first := eval[string](p, `document.querySelector(".why h3").innerText`)
	p.key(kb.ArrowLeft)
	p.waits(fmt.Sprintf(`document.querySelector(".why h3").innerText !== %q`, first))
	p.key(kb.Escape)
	p.waits(fmt.Sprintf(`document.querySelector(".why h3").innerText === %q`, first))
	p.key(kb.Enter)
	p.has(".object-head", "version 5102")
	p.key("[")
	p.has(".object-head", "version 5101")
	p.has(".tree", "as of version 5101")
	p.key("]")
	p.has(".object-head", "version 5102")
	p.key("d")
	p.has(".object-parts pre", `"cronSpec"`)
	eval[bool](p, `(document.querySelector(".tree crd-rows").focus(), true)`)
	p.key(kb.ArrowDown)
	p.waits(`document.getElementById(document.querySelector(".tree crd-rows").getAttribute("aria-activedescendant"))?.ariaSelected === "true"`)
	p.key("/")
	p.key("kubectl")
	p.key(kb.Enter)
	p.key("4")
	p.has(".view .none", "No request of the controller matches")
	p.waits(`document.getElementById("search").value.endsWith("kubectl")`)
	p.key("/")
	p.key(kb.Escape)
	p.waits(`document.getElementById("search").value === "" && document.activeElement.id !== "search"`)
	p.has(".view .row", "POST")
	p.key("f")
	p.waits(`document.activeElement.classList.contains("chip")`)
	p.key("l")
	p.waits(`!!document.querySelector(".log.shut")`)
	eval[bool](p, `(document.querySelector("[role=tab][aria-selected=true]").focus(), true)`)
	p.key(kb.ArrowRight)
	p.waits(`document.activeElement.id === "tab-time" && document.activeElement.ariaSelected === "true"`)
	eval[bool](p, `(document.querySelector(".brush input").focus(), true)`)
	p.key(kb.ArrowRight)
	p.key(kb.ArrowRight)
	p.has(".brush", "all time")
	p.key("s")
	p.has(".notice", "--save part.crdctl.gz")
	assert.Regexp(t, `crontab\.crdctl\.gz --from 2026-11-2\dT\d\d:\d\d:\d\d\.\d{9}[+-]\d\d:\d\d --save `, eval[string](p, `document.querySelector(".notices").innerText`))
}

// The search finds an object, not its versions; a time without any is not an object without any.
func TestVersionsOfAnObjectThatWasSearched(t *testing.T) {
	url := serve(t, crontab()).URL()
	p := open(t, url)
	p.has(".tree .row", "CronTab")
	p.click("#search") // not the key: what chromedp presses is typed, too, though the page prevents it
	p.key("default/x")
	p.key(kb.Enter)
	p.waits(`document.querySelectorAll(".tree .row").length === 2`) // x and its child
	p.click(".tree .row")
	p.has("crd-rows[aria-label=Versions] .row", "status.lastSeen")
	p = open(t, url+"&view=object&obj=1&from=1&to=2")
	p.has("crd-rows[aria-label=Versions] .none", "No version in the selected time.")
}

// Keys are faster than answers: those for rows that have not come yet count once they are there.
func TestKeysBeforeRows(t *testing.T) {
	p := open(t, serve(t, crontab()).URL())
	p.has(".finding.open", "reconciled by its own status write")
	p.key("4jj")
	p.waits(`document.querySelector("crd-rows[aria-label=Requests] .row.selected")?.ariaRowIndex === "3"`)
	eval[bool](p, `(document.querySelector("crd-rows[aria-label=Requests]").focus(), true)`)
	p.key(kb.End) // the last row is far below those that were asked for
	p.waits(`(() => { const e = document.querySelector("crd-rows[aria-label=Requests]"); return e.querySelector(".row.selected")?.ariaRowIndex === e.ariaRowCount; })()`)
	picked := eval[int](p, `(() => {
		const e = document.querySelector("crd-rows[aria-label=Requests]");
		let picked = 0;
		e.pick = () => { picked++; };
		e.params = { q: "other" };
		e.move(-1);
		return picked;
	})()`)
	assert.Zero(t, picked, "a row that other parameters led to")
}

// A range of time is drawn with the pointer, and all views keep to it.
func TestBrush(t *testing.T) {
	p := open(t, serve(t, crontab()).URL())
	p.key("4")
	p.has(".view .row", "PUT status")
	before := eval[string](p, `document.querySelector(".view crd-rows").ariaRowCount`)
	p.do(
		chromedp.MouseEvent("mousePressed", 500, 75, chromedp.ButtonLeft),
		chromedp.MouseEvent("mouseMoved", 700, 75, chromedp.ButtonLeft),
		chromedp.MouseEvent("mouseReleased", 700, 75, chromedp.ButtonLeft),
	)
	p.has(".brush", "all time")
	p.waits(fmt.Sprintf(`document.querySelector(".view crd-rows").ariaRowCount !== %q`, before))
}

// The flow shows at most all of the recording, however often its user zooms out.
func TestZoomOut(t *testing.T) {
	p := open(t, serve(t, crontab()).URL())
	p.key("2")
	for range 50 {
		p.click("[aria-label='Zoom out']")
		time.Sleep(30 * time.Millisecond) // so that the answer is there, and the next one begins with it
	}
	p.has(".brush", "12:00:00 to 12:00:03")
	p.has(".chips[aria-label=Flow] .hint", "12:00:00.000 to 12:00:03")
}

// What a screen reader has: names, roles and states of all regions, and findings as a status.
func TestAccessibilityTree(t *testing.T) {
	p := open(t, serve(t, crontab()).URL())
	p.has(".finding.open", "reconciled by its own status write")
	p.has(".tree .row", "CronTab")
	p.has(".log .row", "Successfully synced")
	nodes, err := chromedp.Call(p.ctx, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{})
	require.NoError(t, err)
	found := map[string]bool{}
	text := func(v *accessibility.Value) string {
		var s string
		if v != nil && len(v.Value) > 0 {
			_ = json.Unmarshal(v.Value, &s) // what is not a string is not compared
		}
		return s
	}
	for _, n := range nodes.Nodes {
		if !n.Ignored {
			found[strings.ToLower(strings.Join(strings.Fields(text(n.Role)+" "+text(n.Name)), " "))] = true
		}
	}
	for _, want := range []string{
		"tab Now", "tab Rights & hooks", "tabpanel Now", "complementary Objects", "complementary Why", "region Log", "treegrid Objects by owner", "grid Log lines",
		"columnheader message", "searchbox Search", "button Help: keys", "status", "list Last reconcile", "heading Last reconcile",
	} {
		assert.True(t, found[strings.ToLower(want)], "%q is not in the accessibility tree", want)
	}
	assert.True(t, eval[bool](p, `document.querySelector("[role=status]").innerText.includes("hot loop, CronTab default/x")`))
	for i, title := range []string{"Now", "Flow", "Object", "Requests", "Time", "Rights & hooks"} {
		p.key(fmt.Sprint(i + 1))
		p.waits(fmt.Sprintf(`document.querySelector("[role=tab][aria-selected=true]").innerText.includes(%q)`, title))
		assert.Empty(t, eval[[]string](p, `[...document.querySelectorAll("button, input, select")].filter((e) => !(e.innerText || e.ariaLabel || e.labels?.length || e.title)).map((e) => e.outerHTML)`), "%s has controls without a name", title)
	}
	p.key("2")
	p.has(".hint", "line:")
	p.key("t")
	p.has("crd-rows[aria-label=Flow] .row", "reconcile")
}

// j goes through a table in which several rows are of one record, and the tree marks the object that is shown.
func TestRowsOfOneRecord(t *testing.T) {
	r := newRecording(false)
	r.after(time.Second)
	r.hotLoop(controller, 1)
	p := open(t, serve(t, r).URL())
	p.click(".tree .row")
	p.has(".tree .row.selected", "CronTab")
	p.key("2")
	p.key("t")
	p.has("crd-rows[aria-label=Flow] .row", "waited")
	rows := eval[int](p, `document.querySelectorAll("crd-rows[aria-label=Flow] .row").length`)
	for range rows {
		p.key("j")
	}
	last := eval[string](p, `[...document.querySelectorAll("crd-rows[aria-label=Flow] .row")].at(-1).innerText`)
	p.has("crd-rows[aria-label=Flow] .row.selected", last)
}

// A row that is pressed is selected, although others came above it before the button was released.
func TestClickOnARowThatMoves(t *testing.T) {
	r := newRecording(true)
	r.after(time.Second)
	r.hotLoop(controller, 5)
	p := open(t, serve(t, r, live).URL())
	p.key("4")
	p.has(".view .row", "PUT status")
	const first = `document.querySelector("crd-rows[aria-label=Requests] .row")`
	pressed := eval[string](p, first+`.innerText`)
	at := eval[[]float64](p, `(() => { const b = `+first+`.getBoundingClientRect(); return [b.x + 40, b.y + b.height / 2]; })()`)
	p.do(chromedp.MouseEvent("mousePressed", at[0], at[1], chromedp.ButtonLeft, chromedp.ClickCount(1)))
	r.after(20 * time.Millisecond)
	r.add(&trace.Request{ID: r.nextID(), Actor: controller, Began: r.t, Verb: "list", Resource: cronTabs, Code: 200})
	p.waits(fmt.Sprintf(`%s.innerText !== %q`, first, pressed))
	p.do(chromedp.MouseEvent("mouseReleased", at[0], at[1], chromedp.ButtonLeft, chromedp.ClickCount(1)))
	p.has("crd-rows[aria-label=Requests] .row.selected", pressed)
}
