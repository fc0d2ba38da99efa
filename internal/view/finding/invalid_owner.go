// SPDX-License-Identifier: Apache-2.0

package finding

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/trace"
	"github.com/crdctl/crdctl/internal/view/model"
)

var invalidOwner = &Type{
	Name:  "invalid-owner",
	Means: "an owner reference names an owner that the garbage collector treats as missing, or one that the controller watches without controller: true",
	Fix:   "an owner is in the namespace of the owned object, or cluster-scoped, and its UID, kind and name are those of the reference; set it with controllerutil.SetControllerReference",
	needs: []trace.Kind{trace.KindVersion},
	install: func(b base) {
		o := &owners{base: b, of: map[*model.Object]bool{}, sources: map[*model.Who]map[string]bool{}}
		b.onVersion = append(b.onVersion, o.version)
		b.onLog = append(b.onLog, o.log)
	},
}

type owners struct {
	base

	of map[*model.Object]bool // that have a finding
	// sources are the kinds whose events a controller gets, after the kind that it reconciles, as its lines name them.
	sources map[*model.Who]map[string]bool
}

// anySource stands for a kind that a line does not name.
const anySource = "any"

var eventSource = regexp.MustCompile(`^kind source: \*\w+\.(\w+)$`)

// log notes an event source, as controller-runtime names each at the start.
func (d *owners) log(b *trace.Log, _ trace.Record) {
	if b.Message != "Starting EventSource" {
		return
	}
	who := d.m.Actor(b.Actor).Who
	if d.sources[who] == nil {
		d.sources[who] = map[string]bool{}
	}
	kind, _ := b.Attrs["controllerKind"].(string)
	source, _ := b.Attrs["source"].(string)
	found := eventSource.FindStringSubmatch(source)
	if kind == "" || found == nil || found[1] == "Unstructured" || found[1] == "PartialObjectMetadata" {
		d.sources[who][anySource] = true
		return
	}
	d.sources[who][kind+" "+found[1]] = true
}

// maps reports whether events of a kind may lead a program to reconcile an owner. Its client watches what it only reads, too.
func (d *owners) maps(who *model.Who, o, owner *model.Object) bool {
	sources := d.sources[who]
	return sources == nil || sources[anySource] || sources[owner.Resource().Kind+" "+o.Resource().Kind]
}

func (d *owners) version(v *model.Version) {
	o := v.Object
	if newest := o.Newest(); v != newest && newest.Type != "DELETED" { // the garbage collector may have been as fast as that
		return
	}
	if len(v.Owners) == 0 && !d.of[o] {
		return
	}
	if v.Type != "DELETED" {
		for _, ref := range v.Owners {
			problem, certainty := d.problem(v, ref)
			if problem == "" {
				continue
			}
			d.of[o] = true
			names := "names an owner that is not valid,"
			if certainty != trace.Certain {
				names = "names the owner"
			}
			message, seqs := fmt.Sprintf("%s %s %s %s %s", o, names, ref.Kind, ref.Name, problem), []int64{v.Seq}
			if wrote := firstWith(v, ref); wrote != nil {
				certainty, seqs = withWriter(certainty, wrote), append(seqs, wrote.Seq)
				message += "; written " + writtenBy(wrote)
			}
			d.report(trace.Finding{Subject: o.String(), Certainty: certainty, Evidence: evidence(seqs...), Message: message}, v.T)
			return
		}
	}
	if d.of[o] {
		delete(d.of, o)
		d.resolve(o.String())
	}
}

// firstWith is the version that has the owner reference of a version first, or nil if it is not held: who writes something else of the
// object does not write the reference.
func firstWith(v *model.Version, ref trace.Owner) *model.Version {
	all := v.Object.Versions
	for i := slices.Index(all, v); i >= 0; i-- {
		if i == 0 && all[i].Type != "ADDED" {
			return nil
		}
		if i == 0 || !slices.ContainsFunc(all[i-1].Owners, func(o trace.Owner) bool { return o.UID == ref.UID }) {
			return all[i]
		}
	}
	return nil
}

// problem is why a reference is not valid, or "".
func (d *owners) problem(v *model.Version, ref trace.Owner) (string, trace.Certainty) {
	if problem := d.absent(v.Object, ref); problem != "" {
		return problem, trace.Certain
	}
	owner := d.m.ByUID(ref.UID)
	if ref.Controller || owner == nil || v.Object.Controller() != nil || v.Request == nil || !v.Request.Actor.Who.Own() {
		return "", ""
	}
	who := v.Request.Actor.Who
	if d.m.Sees(who, owner) && d.m.Sees(who, v.Object) && d.maps(who, v.Object, owner) {
		return fmt.Sprintf("without controller: true; %s watches both, and Owns() maps changes of it to the owner only with builder.MatchEveryOwner", who.Name), trace.Likely
	}
	return "", ""
}

// absent is why the garbage collector does not find an owner where it looks, or "".
func (e *Engine) absent(o *model.Object, ref trace.Owner) string {
	owner := e.m.ByUID(ref.UID)
	if owner == nil {
		group, _, found := strings.Cut(ref.APIVersion, "/")
		if !found {
			group = ""
		}
		for r := range e.m.Resources() {
			if r.Kind != ref.Kind || r.Group != group {
				continue
			}
			namespace := o.Namespace
			if !r.Namespaced {
				namespace = ""
			}
			if other := e.m.ByName(model.GroupResource(r), namespace, ref.Name); other != nil && !other.Deleted && other.Newest() != nil {
				return fmt.Sprintf("absent: the reference has the UID %s, and the one of that name has %s", ref.UID, other.UID)
			}
		}
		return ""
	}
	kind := owner.Resource().Kind
	switch {
	case owner.Namespace != "" && o.Namespace == "":
		return fmt.Sprintf("in namespace %s, which an object that is cluster-scoped cannot refer to", owner.Namespace)
	case owner.Namespace != "" && owner.Namespace != o.Namespace:
		return fmt.Sprintf("absent in namespace %s (it is in %s)", o.Namespace, owner.Namespace)
	case owner.Name != ref.Name, kind != "" && kind != ref.Kind:
		return fmt.Sprintf("absent: the UID is that of %s", owner)
	}
	return ""
}
