package composite

import (
	"testing"
	"time"

	"github.com/crdctl/crdctl/internal/loop/hook"
)

func TestAnswersThatAreRefused(t *testing.T) {
	for answer, want := range map[string]string{
		`[]`:                                     "sync hook: the answer is no JSON object: json: cannot unmarshal array into Go value of type map[string]json.RawMessage",
		`{"children":{}}`:                        "cannot unmarshal object into Go struct field answer.children of type []map[string]interface {}",
		`{"resyncAfterSeconds":"5"}`:             "cannot unmarshal string into Go struct field answer.resyncAfterSeconds of type float64",
		`{"status":[]}`:                          "sync hook: the answer's status is no object",
		`{"status":"ok"}`:                        "sync hook: the answer's status is no object",
		`{"events":[{"reason":"A"},{}]}`:         "sync hook: events[1] has no reason; give it one word in camel case",
		`{"events":[{"type":"x","reason":"A"}]}`: `sync hook: events[0] is of type "x"; there are Normal and Warning`,
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
		b.decider.answers[hook.Sync] = `{"Children":[],"error":"x"}`
		for range 3 {
			if _, err := b.reconcile(foo("a")); err != nil {
				b.Fatal(err)
			}
		}
		if n := b.log.Count("Hook's answer has a field that means nothing here"); n != 2 {
			b.Errorf("two fields were said %d times: %q", n, b.log.Said())
		}
		o := oddities{}
		for i := range 10 * mostOddities {
			o.isNew(string(rune('a' + i)))
		}
		if len(o.known) != mostOddities {
			b.Errorf("%d are remembered", len(o.known))
		}
	})
}

func TestResyncAfterSeconds(t *testing.T) {
	for answer, want := range map[string]time.Duration{
		`{"resyncAfterSeconds":0.5}`:  500 * time.Millisecond,
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
		if _, err := b.reconcile(foo("a")); err != nil {
			b.Fatal(err)
		}
		b.recorded.Expect(t, "two events", "Normal Scaled: to 3", "Warning Full: ")
	})
}
