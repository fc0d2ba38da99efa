// SPDX-License-Identifier: Apache-2.0

package finding

import (
	"fmt"

	"github.com/crdctl/crdctl/internal/trace"
	"github.com/crdctl/crdctl/internal/view/model"
)

var watchesAllSecrets = &Type{
	Name: "watches-all-secrets",
	Means: "the controller watches the Secrets of all namespaces, without a selector: the API server sends it each of them, which its role has to allow. " +
		"A cache keeps each in memory; the built-in loop keeps those that its objects own, and all if a customize hook asks for Secrets",
	Fix: "restrict the cache to a namespace or a label (controller-runtime: cache.Options.ByObject; client-go: WithNamespace or WithTweakListOptions of the informer factory), watch metadata only, " +
		"or get single Secrets without a cache (controller-runtime: client.CacheOptions.DisableFor)",
	needs: []trace.Kind{trace.KindWatch},
	install: func(b base) {
		a := &allSecrets{base: b, open: map[*model.Who]map[string]bool{}, ended: map[*model.Who]int64{}}
		b.onWatch = append(b.onWatch, a.watch)
		b.onTick = append(b.onTick, a.tick)
	},
}

const (
	secretsQuiet = 10 * second

	// restrictLoop is what to do for the built-in loop, which has no code of the author's.
	restrictLoop = "name the namespaces to follow (--namespace); or remove Secrets from --owns, and do not ask for them in the customize hook, if the hook does not need them"
)

type allSecrets struct {
	base

	open  map[*model.Who]map[string]bool // watches
	ended map[*model.Who]int64
}

func (a *allSecrets) watch(w *model.Watch, b *trace.Watch, r trace.Record) {
	who := w.Actor.Who
	if !who.Own() || w.Resource.Group != "" || w.Resource.Resource != "secrets" || b.Namespace != "" || b.Labels != "" || b.Fields != "" {
		return
	}
	if b.State == "end" {
		delete(a.open[who], w.ID)
		a.ended[who] = r.T
		return
	}
	if a.open[who] == nil {
		a.open[who] = map[string]bool{}
	}
	a.open[who][w.ID] = true
	message := fmt.Sprintf("%s watches all Secrets of the cluster", who.Name)
	if n := max(b.Objects, w.Delivered); n > 0 {
		message += fmt.Sprintf(", %d so far", n)
	}
	fix := ""
	if who.Class == trace.ClassBuiltin {
		fix = restrictLoop
	}
	a.report(trace.Finding{Subject: who.Name, Message: message, Certainty: trace.Certain, Evidence: evidence(w.Seq, r.Seq), Fix: fix}, r.T)
}

func (a *allSecrets) tick(now int64) {
	for who, t := range a.ended {
		if len(a.open[who]) > 0 {
			delete(a.ended, who)
		} else if now-t > secretsQuiet {
			delete(a.ended, who)
			a.resolve(who.Name)
		}
	}
}
