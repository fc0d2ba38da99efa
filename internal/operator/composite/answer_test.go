// SPDX-License-Identifier: Apache-2.0

package composite

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/crdctl/crdctl/internal/operator/hook"
)

func TestAnswersThatAreRefused(t *testing.T) {
	for answer, want := range map[string]string{
		`[]`:                                        "sync hook: the answer is a list; it must be an object",
		`{"children":{}}`:                           "sync hook: the answer's children is an object; it must be a list",
		`{"children":[{},5]}`:                       "sync hook: one of the answer's children is a number; it must be an object",
		`{"resyncAfterSeconds":"5"}`:                "sync hook: the answer's resyncAfterSeconds is a string; it must be a number",
		`{"finalized":1.5}`:                         "sync hook: the answer's finalized is a number; it must be true or false",
		`{"events":"x"}`:                            "sync hook: the answer's events is a string; it must be a list",
		`{"events":[[]]}`:                           "sync hook: one of the answer's events is a list; it must be an object",
		`{"events":[{"reason":true}]}`:              "sync hook: the answer's events.reason is true or false; it must be a string",
		`{"childern":[],"b":1,"status":{}}`:         "sync hook: the answer has no field children, but has the unknown b, childern; correct the name, or add \"children\": [] to delete all children",
		`{"children":[],"children":[{"kind":"X"}]}`: "sync hook: the answer has the key /children twice; give it one value",
		`{"children":[],"status":{"a":[1,{"b":1,"c":2,"b":3}]}}`: "sync hook: the answer has the key /status/a/1/b twice; give it one value",
		`{"status":[]}`:                          "sync hook: the answer's status is not an object",
		`{"status":"ok"}`:                        "sync hook: the answer's status is not an object",
		`{"events":[{"reason":"A"},{}]}`:         "sync hook: events[1] has no reason; set one word in CamelCase",
		`{"events":[{"type":"x","reason":"A"}]}`: `sync hook: events[0]: unknown type "x"; use Normal or Warning`,
	} {
		inBubble(t, []Served{deployments}, func(b *bed) {
			b.decider.answers[hook.Sync] = answer
			_, err := b.reconcile(foo("a"))
			expectError(t, err, want)
			b.wrote("an answer that is refused")
			b.recorded.Expect(t, "an answer that is refused", "Warning SyncError: "+err.Error())
		})
	}
}

func TestUnknownFieldsOfAnswersAreSaidOnce(t *testing.T) {
	inBubble(t, nil, func(b *bed) {
		b.decider.answers[hook.Sync] = `{"children":[],"Children":[],"error":"x"}`
		for range 3 {
			b.expect(foo("a"), "")
		}
		assert.Equal(b, 2, b.log.Count("Hook's answer has an unknown field"), "%q", b.log.Said())
		o := oddities{}
		for i := range 10 * mostOddities {
			o.isNew(string(rune('a' + i)))
		}
		assert.Len(b, o.known, mostOddities, "are remembered")
	})
}

func TestResyncAfterSeconds(t *testing.T) {
	for answer, want := range map[string]time.Duration{
		`{"resyncAfterSeconds":0.5}`:  500 * time.Millisecond,
		`{"resyncAfterSeconds":1e-7}`: 100 * time.Millisecond,
		`{"resyncAfterSeconds":null}`: 0,
		`{"resyncAfterSeconds":-3}`:   0, // as with Metacontroller: a hook may have computed it
		`{"resyncAfterSeconds":1e99}`: 365 * 24 * time.Hour,
	} {
		inBubble(t, nil, func(b *bed) {
			b.decider.answers[hook.Sync] = answer
			if result, err := b.reconcile(foo("a")); err != nil || result.After != want {
				b.Errorf("%s: again after %v, %v; want %v", answer, result.After, err, want)
			}
		})
	}
}

func TestEventsOfAnswersAreRecorded(t *testing.T) {
	inBubble(t, nil, func(b *bed) {
		b.decider.answers[hook.Sync] = `{"events":[{"reason":"Scaled","message":"to 3"},{"type":"Warning","reason":"Full"}]}`
		b.expect(foo("a"), "")
		b.recorded.Expect(t, "two events", "Normal Scaled: to 3", "Warning Full: ")
	})
}
