// SPDX-License-Identifier: Apache-2.0

package stories

import (
	"fmt"
	"net/http"
	"strings"
	"sync"

	"github.com/stretchr/testify/assert"

	"github.com/crdctl/crdctl/e2e/internal/harness/faultproxy"
)

// requestsFail has what comes between a loop and the API server go wrong, one after the other.
func (r *trusted) requestsFail() {
	proxy := r.proxy()
	loop := r.runLoop(proxy.kubeconfig, "--hook-persistent")
	r.setAll("first", names(20)...)
	r.reconciled()
	before := loop.spends()
	r.writeHangs(proxy)
	r.watchClosed(proxy)
	r.gone410(proxy, loop)
	r.answersInTrouble(proxy, loop)
	loop.isAsBefore(before, 64)
	loop.ends()
}

// watchClosed ends the watches while objects are written: in order, by a closed connection, and in the middle of an event.
func (r *trusted) watchClosed(proxy *proxy) {
	r.Helper()
	all := names(20)
	ended := 0
	for i, how := range []faultproxy.End{{Clean: true}, {}, {Middle: true}} {
		for round := range 3 {
			value := fmt.Sprintf("value-%d-%d", i, round)
			var writer sync.WaitGroup
			writer.Go(func() { r.setAll(value, all...) })
			ended += proxy.EndWatches(how)
			writer.Wait()
			r.reconciled(all[round]) // also when nothing else is written any more
		}
		r.check(r.things().Delete(r.Context(), all[i], deleteAtOnce))
	}
	assert.GreaterOrEqual(r, ended, 9, "watches were ended")
	r.reconciled()
}

// gone410 answers that a version is too old, to the request for a watch and in a watch.
func (r *trusted) gone410(proxy *proxy, loop *loop) {
	r.Helper()
	all, from := names(20), len(loop.text())
	for round := range 3 {
		refuse := proxy.Inject(3, faultproxy.IsWatch, faultproxy.Refuse(http.StatusGone, "Expired"))
		cut := proxy.EndWatches(faultproxy.End{Clean: true})
		assert.NotZero(r, cut, "round %d: there was no watch to be ended", round)
		r.setAll(fmt.Sprintf("request-%d", round), all...)
		r.check(r.things().Delete(r.Context(), all[round], deleteAtOnce)) // which no watch tells of any more
		r.until("watches were refused", func() bool { return refuse.Count() == 3 })
		r.reconciled()
	}
	for round := range 3 {
		r.setAll(fmt.Sprintf("event-%d", round), all...)
		proxy.EndWatches(faultproxy.End{Clean: true, Last: string(faultproxy.Event(http.StatusGone, "Expired"))})
		r.setAll(fmt.Sprintf("after-%d", round), all...)
		r.reconciled()
	}
	assert.NotContains(r, loop.text()[from:], "List failed", "a version that is too old is not logged as a refusal")
}

// answersInTrouble is an API server that is overloaded, cuts its lists, and hangs up.
func (r *trusted) answersInTrouble(proxy *proxy, loop *loop) {
	r.Helper()
	all := names(20)
	loop.seen = len(loop.text())
	for round, answer := range []http.HandlerFunc{
		faultproxy.Refuse(http.StatusTooManyRequests, "TooManyRequests"), faultproxy.Refuse(http.StatusServiceUnavailable, "ServiceUnavailable"),
		faultproxy.Refuse(http.StatusInternalServerError, "InternalError"), faultproxy.HangUp, halfList,
	} {
		lists := proxy.Inject(4, isList, answer)
		watches := proxy.Inject(2, faultproxy.IsWatch, faultproxy.Refuse(http.StatusGone, "Expired")) // or there would be no lists
		writes := proxy.Inject(10, isWrite, answer)
		proxy.EndWatches(faultproxy.End{})
		r.setAll(fmt.Sprintf("trouble-%d", round), all...)
		r.reconciled()
		for what, f := range map[string]*faultproxy.Fault{"lists": lists, "watches": watches, "writes": writes} {
			assert.NotZero(r, f.Count(), "round %d: no %s were refused", round, what)
			f.End()
		}
	}
	loop.waitFor("API server does not answer", "API server answers again")
}

// halfList is an answer that ends in the middle of an object.
func halfList(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = fmt.Fprint(w, `{"kind":"List","metadata":{"resourceVersion":"1"},"items":[{"metadata":{"name":"half","namesp`)
}

// writeHangs has the API server take a write and never answer: other keys go on, and the write is tried again.
func (r *trusted) writeHangs(proxy *proxy) {
	r.Helper()
	all := names(20)
	hanging := proxy.Inject(1, func(q *http.Request) bool { return isWrite(q) && strings.HasSuffix(q.URL.Path, "/"+all[0]+"-0") }, faultproxy.Hang)
	r.setAll("second", all[0])
	r.until("a write hangs", func() bool { return hanging.Count() == 1 })
	r.setAll("second", all[1:]...)
	r.reconciled(all[1:]...)
	r.reconciled()
}
