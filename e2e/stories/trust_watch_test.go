package stories

import (
	"fmt"
	"net/http"
	"strings"
	"sync"

	"github.com/crdctl/crdctl/e2e/internal/harness/faultproxy"
)

// watchClosed ends the watches, in order, without a word, and in the middle of an event, while objects are written.
func (r *trusted) watchClosed() {
	proxy := r.proxy()
	loop := r.runLoop(proxy.kubeconfig, "--hook-persistent")
	all := names(30)
	r.setAll("first", all...)
	r.reconciled()
	before := loop.spends()

	ended := 0
	for i, how := range []faultproxy.End{{Clean: true}, {}, {Middle: true}} {
		for round := range 5 {
			value := fmt.Sprintf("value-%d-%d", i, round)
			var writer sync.WaitGroup
			writer.Go(func() { r.setAll(value, all...) })
			ended += proxy.EndWatches(how)
			writer.Wait()
			r.reconciled(all[round]) // also when nothing else is written any more
		}
		r.check(r.things().Delete(r.Context(), all[i], deleteAtOnce))
	}
	if ended < 15 {
		r.Errorf("%d watches were ended, want 15 at least", ended)
	}
	r.reconciled()
	loop.isAsBefore(before, 64)
	loop.ends()
}

// gone410 answers that a version is too old, to the request for a watch and in a watch.
func (r *trusted) gone410() {
	proxy := r.proxy()
	loop := r.runLoop(proxy.kubeconfig, "--hook-persistent")
	all := names(30)
	r.setAll("first", all...)
	r.reconciled()
	before := loop.spends()

	for round := range 5 {
		refuse := proxy.Inject(3, faultproxy.IsWatch, faultproxy.Refuse(http.StatusGone, "Expired"))
		cut := proxy.EndWatches(faultproxy.End{Clean: true})
		if cut == 0 {
			r.Errorf("round %d: there was no watch to be ended", round)
		}
		r.setAll(fmt.Sprintf("request-%d", round), all...)
		r.check(r.things().Delete(r.Context(), all[round], deleteAtOnce)) // which no watch tells of any more
		r.settles("watches were refused", func() bool { return refuse.Count() == 3 })
		r.reconciled()
	}
	for round := range 5 {
		r.setAll(fmt.Sprintf("event-%d", round), all...)
		proxy.EndWatches(faultproxy.End{Clean: true, Last: string(faultproxy.Event(http.StatusGone, "Expired"))})
		r.setAll(fmt.Sprintf("after-%d", round), all...)
		r.reconciled()
	}
	if strings.Contains(loop.text(), "API server refuses") {
		r.Error("a version that is too old is no refusal to be told of")
	}
	loop.isAsBefore(before, 64)
	loop.ends()
}

// answersInTrouble is an API server that is overloaded, cuts its lists, and hangs up.
func (r *trusted) answersInTrouble() {
	proxy := r.proxy()
	loop := r.runLoop(proxy.kubeconfig)
	all := names(20)
	r.setAll("first", all...)
	r.reconciled()
	before := loop.spends()

	for round, answer := range []http.HandlerFunc{
		faultproxy.Refuse(http.StatusTooManyRequests, "TooManyRequests"), faultproxy.Refuse(http.StatusServiceUnavailable, "ServiceUnavailable"),
		faultproxy.Refuse(http.StatusInternalServerError, "InternalError"), faultproxy.HangUp, halfList,
	} {
		lists := proxy.Inject(4, isList, answer)
		watches := proxy.Inject(2, faultproxy.IsWatch, faultproxy.Refuse(http.StatusGone, "Expired")) // or there would be no lists
		writes := proxy.Inject(20, isWrite, answer)
		proxy.EndWatches(faultproxy.End{})
		r.setAll(fmt.Sprintf("trouble-%d", round), all...)
		r.reconciled()
		for what, f := range map[string]*faultproxy.Fault{"lists": lists, "watches": watches, "writes": writes} {
			if f.Count() == 0 {
				r.Errorf("round %d: no %s were refused", round, what)
			}
			f.End()
		}
	}
	loop.waitFor("API server does not answer", "API server answers again")
	loop.isAsBefore(before, 64)
	loop.ends()
}

// halfList is an answer that ends in the middle of an object.
func halfList(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = fmt.Fprint(w, `{"kind":"List","metadata":{"resourceVersion":"1"},"items":[{"metadata":{"name":"half","namesp`)
}

// writeHangs has the API server take a write and never answer: other keys go on, and the write is tried again.
func (r *trusted) writeHangs() {
	proxy := r.proxy()
	loop := r.runLoop(proxy.kubeconfig)
	all := names(10)
	r.setAll("first", all...)
	r.reconciled()
	before := loop.spends()

	hanging := proxy.Inject(1, func(q *http.Request) bool { return isWrite(q) && strings.HasSuffix(q.URL.Path, "/"+all[0]+"-0") }, faultproxy.Hang)
	r.setAll("second", all[0])
	r.settles("a write hangs", func() bool { return hanging.Count() == 1 })
	r.setAll("second", all[1:]...)
	r.reconciled(all[1:]...)
	r.reconciled()
	loop.isAsBefore(before, 64)
	loop.ends()
}
