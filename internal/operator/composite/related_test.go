// SPDX-License-Identifier: Apache-2.0

package composite

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/operator/controller"
	"github.com/crdctl/crdctl/internal/operator/hook"
	"github.com/crdctl/crdctl/internal/operator/operatortest"
)

// customizing has a customize hook with these rules, and an API server that says what it serves.
func customizing(rules ...string) func(*bed) {
	return func(b *bed) {
		b.decider.answers[hook.Customize] = `{"relatedResources":[` + strings.Join(rules, ",") + `]}`
		b.respond = func(r operatortest.Request) (int, string) {
			switch r.Path {
			case "/api/v1":
				return http.StatusOK, `{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"v1","resources":[{"name":"configmaps","kind":"ConfigMap","namespaced":true},{"name":"namespaces","kind":"Namespace"},{"name":"namespaces/status","kind":"Namespace"}]}`
			case "/apis/nobody/v1":
				return notFound()
			}
			return 0, ""
		}
	}
}

func labelled(namespace, name, label string) string {
	return fmt.Sprintf(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":%q,"namespace":%q,"uid":"uid-%s-%s","resourceVersion":"1","labels":{"for":%q}}}`, name, namespace, namespace, name, label)
}

// relatedIn reconciles until the related objects are known, and returns what the hook was shown of them.
func (b *bed) relatedIn(parent string) string {
	b.Helper()
	for { // a round for each kind that is new
		_, err := b.reconcile(parent)
		if err == nil {
			break
		}
		var later *controller.LaterError
		require.True(b, errors.As(err, &later), err)
		require.Equal(b, shortestWait, later.After, err)
		within()
	}
	body := string(b.decider.calls[len(b.decider.calls)-1].Body)
	_, body, _ = strings.Cut(body, `"related":`)
	body, _, _ = strings.Cut(body, `,"finalizing"`)
	return body
}

func TestRelatedObjectsAreThoseOfTheRules(t *testing.T) {
	one, two, far := labelled("default", "one", "a"), labelled("default", "two", "b"), labelled("far", "one", "a")
	const maps = `"apiVersion":"v1","resource":"configmaps"`
	for rules, want := range map[string]string{
		`{` + maps + `}`: `{"ConfigMap.v1":{"one":` + one + `,"two":` + two + `}}`,
		`{` + maps + `,"labelSelector":{"matchLabels":{"for":"a"}}}`: `{"ConfigMap.v1":{"one":` + one + `}}`,
		`{` + maps + `,"labelSelector":{}}`:                          `{"ConfigMap.v1":{"one":` + one + `,"two":` + two + `}}`,
		`{` + maps + `,"names":["two","x"]}`:                         `{"ConfigMap.v1":{"two":` + two + `}}`,
		`{` + maps + `,"names":["x"]}`:                               `{"ConfigMap.v1":{}}`,
		// Two rules about one kind, and one object.
		`{` + maps + `,"names":["two"],"namespace":"default"},{` + maps + `}`:        `{"ConfigMap.v1":{"one":` + one + `,"two":` + two + `}}`,
		`{` + maps + `,"names":["two"]},{"apiVersion":"v1","resource":"namespaces"}`: `{"ConfigMap.v1":{"two":` + two + `},"Namespace.v1":{}}`,
		``: `{}`,
	} {
		inBubble(t, nil, func(b *bed) {
			b.api.At("/api/v1/configmaps").Answer(nil, two, far, one)
			b.api.At("/api/v1/namespaces")
			assert.Equal(b, want, b.relatedIn(foo("a")), "%s: shown", rules)
		}, customizing(rules))
	}
	inBubble(t, nil, func(b *bed) {
		b.api.At("/api/v1/configmaps").Answer(nil, two, far, one)
		want := `{"ConfigMap.v1":{"default/one":` + one + `,"far/one":` + far + `}}`
		assert.Equal(b, want, b.relatedIn(strings.Replace(foo("a"), `"namespace":"default",`, "", 1)), "shown")
	}, customizing(`{`+maps+`,"names":["one"]}`), clusterScoped)
}

func TestRulesThatAreRefused(t *testing.T) {
	for rule, want := range map[string]string{
		`{"resource":"configmaps"}`: "customize hook: relatedResources[0]: apiVersion or resource is missing",
		`{"apiVersion":"v1","resource":"configmaps","namespaceSelector":{}}`:                                  "namespaceSelector is not supported; use labelSelector or namespace",
		`{"apiVersion":"v1","resource":"configmaps","names":["a"],"labelSelector":{}}`:                        "names and labelSelector cannot be used together; use one of them",
		`{"apiVersion":"v1","resource":"configmaps","namespace":"far"}`:                                       "its namespace is far, but the parent is in default; a namespaced object can only be related to objects in its own namespace",
		`{"apiVersion":"v1","resource":"configmaps","labelSelector":{"matchExpressions":[{"operator":"x"}]}}`: `"x" is not a valid label selector operator`,
		`{"apiVersion":"nobody/v1","resource":"things"}`:                                                      "the API server does not serve things in nobody/v1",
		`5`: "customize hook: one of the answer's relatedResources is a number; it must be an object",
		`{"apiVersion":"v1","resource":"configmaps","names":"a"}`: "customize hook: the answer's relatedResources.names is a string; it must be a list",
	} {
		inBubble(t, nil, func(b *bed) {
			b.expect(foo("a"), want)
			assert.Zero(b, b.decider.asked(hook.Sync), "the hook was asked without what it wants to see")
		}, customizing(rule))
	}
}

func TestUnknownFieldsOfRulesAreSaidOnce(t *testing.T) {
	inBubble(t, nil, func(b *bed) {
		b.api.At("/api/v1/configmaps")
		b.decider.answers[hook.Customize] = `{"relatedResource":[],"relatedResources":[{"apiVersion":"v1","resource":"configmaps","name":"a"},{"apiVersion":"v1","resource":"configmaps","name":"b"}]}`
		b.relatedIn(foo("a"))
		b.relatedIn(foo("b"))
		const said = "Hook's answer has an unknown field kind=Foo field="
		assert.Equal(b, 1, b.log.Count(said+"relatedResource "), "%q", b.log.Said())
		assert.Equal(b, 1, b.log.Count(said+"relatedResources[].name "), "%q", b.log.Said())
		b.decider.answers[hook.Customize] = `{"relatedResources":{}}`
		b.expect(foo("c"), "customize hook: the answer's relatedResources is an object; it must be a list")
	}, customizing())
}

func TestCustomizeHookIsAskedOncePerGenerationAndChangeOfTheHook(t *testing.T) {
	epoch := int64(0)
	inBubble(t, nil, func(b *bed) {
		for _, c := range []struct {
			when, parent string
			asked        int
			epoch        int64
		}{
			{"first", foo("a"), 1, 0},
			{"the same", foo("a", `"resourceVersion":"2"`), 0, 0},
			{"another generation", foo("a", `"generation":2`), 1, 0},
			{"another hook", foo("a", `"generation":2`), 1, 1},
			{"the same again", foo("a", `"generation":2`), 0, 1},
			{"another object of that name", strings.Replace(foo("a", `"generation":2`), "uid-a", "uid-b", 1), 1, 1},
			{"no generation", foo("a", `"generation":0`), 1, 1},
			{"no generation again", foo("a", `"generation":0`), 1, 1},
		} {
			epoch = c.epoch
			b.expect(c.parent, "")
			if asked := b.decider.asked(hook.Customize); asked != c.asked {
				b.Errorf("%s: asked %d times, want %d", c.when, asked, c.asked)
			}
		}
	}, customizing(), func(b *bed) { b.options.Epoch = func() int64 { return epoch } })
}

func TestRelatedChangeReconcilesThoseWhoAsked(t *testing.T) {
	inBubble(t, nil, func(b *bed) {
		maps := b.api.At("/api/v1/configmaps")
		b.relatedIn(foo("a"))
		b.decider.answers[hook.Customize] = `{"relatedResources":[{"apiVersion":"v1","resource":"configmaps","names":["one"]}]}`
		b.relatedIn(foo("b"))
		b.decider.answers[hook.Customize] = `{}`
		b.relatedIn(foo("c"))
		b.enqueued.Expect(t, "nothing changed")
		send := func(kind, object string) { maps.Send(kind, object); synctest.Wait() }
		send("ADDED", labelled("default", "one", "x"))
		b.enqueued.Expect(t, "one that b asked for", "default/b related")
		send("MODIFIED", strings.Replace(labelled("default", "one", "a"), `"1"`, `"2"`, 1))
		b.enqueued.Expect(t, "it has a's label now", "default/a related", "default/b related")
		send("MODIFIED", strings.Replace(labelled("default", "one", "x"), `"1"`, `"3"`, 1))
		b.enqueued.Expect(t, "it had a's label", "default/a related", "default/b related")
		send("ADDED", labelled("far", "one", "a"))
		b.enqueued.Expect(t, "in another namespace")
		b.reconciler.related.forget(b.parent(foo("b")).Key())
		send("DELETED", labelled("default", "one", "x"))
		b.enqueued.Expect(t, "b is gone")
	}, customizing(`{"apiVersion":"v1","resource":"configmaps","labelSelector":{"matchLabels":{"for":"a"}}}`))
}

// Who may not list what a hook asks for is not asked ten times a second.
func TestRelatedObjectsThatCannotBeListedAreWaitedForLongerAndLonger(t *testing.T) {
	inBubble(t, nil, func(b *bed) {
		b.api.At("/api/v1/configmaps").Answer(errors.New("no connection"))
		var waits []time.Duration
		for range 12 {
			_, err := b.reconcile(foo("a"))
			var later *controller.LaterError
			require.True(b, errors.As(err, &later), err)
			waits = append(waits, later.After)
			time.Sleep(later.After)
		}
		if waits[0] != shortestWait || waits[11] != longestWait || waits[3] <= waits[1] {
			b.Errorf("%v", waits)
		}
	}, customizing(`{"apiVersion":"v1","resource":"configmaps"}`))
}
