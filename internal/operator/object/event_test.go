// SPDX-License-Identifier: Apache-2.0

package object

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
)

func eventsOf(text string, keep Keep, owned func(Owner) bool) (events []watch.Event, end error) {
	d := NewDecoder(strings.NewReader(text), cronTab, keep, owned)
	for {
		event, err := d.Event()
		if err != nil {
			return events, err
		}
		events = append(events, event)
	}
}

func TestEventsOfEachType(t *testing.T) {
	var text strings.Builder
	types := []watch.EventType{watch.Added, watch.Modified, watch.Deleted, watch.Bookmark, watch.Added}
	for i, of := range types {
		fmt.Fprintf(&text, `{"type":"%s","object":%s}`+"\n", of, sample(i))
	}
	events, end := eventsOf(text.String(), Whole, nil)
	require.ErrorIs(t, end, io.EOF)
	require.Len(t, events, len(types))
	for i, event := range events {
		o, ok := event.Object.(*Object)
		require.Equal(t, types[i], event.Type, "event %d is %s of a %T", i, event.Type, event.Object)
		require.True(t, ok, "event %d is %s of a %T", i, event.Type, event.Object)
		expectDecoded(t, o, []byte(sample(i)))
	}
}

// The reflector ends the list at the annotation, and only if it is that of a bookmark.
func TestBookmarkEndsTheInitialEvents(t *testing.T) {
	const metadata = `{"metadata":{"resourceVersion":"7"%s}}`
	for more, want := range map[string]bool{``: false, `,"annotations":{"a":"b"}`: false, `,"annotations":{"k8s.io/initial-events-end":"true"}`: true} {
		for _, keep := range []Keep{Whole, Identity} {
			events, _ := eventsOf(`{"type":"BOOKMARK","object":`+fmt.Sprintf(metadata, more)+`}`, keep, func(Owner) bool { return false })
			require.Len(t, events, 1)
			require.Equal(t, watch.Bookmark, events[0].Type)
			o := events[0].Object.(*Object).GetObjectMeta()
			if got := o.GetAnnotations()[metav1.InitialEventsAnnotationKey] == "true"; got != want || o.GetResourceVersion() != "7" {
				t.Errorf("%q: end %v at %s", more, got, o.GetResourceVersion())
			}
		}
	}
}

func TestErrorEventIsTheStatus(t *testing.T) {
	events, _ := eventsOf(`{"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"too old resource version: 1 (9)","reason":"Expired","code":410}}`, Whole, nil)
	require.Len(t, events, 1)
	require.Equal(t, watch.Error, events[0].Type)
	if err := apierrors.FromObject(events[0].Object); !apierrors.IsResourceExpired(err) || err.Error() != "too old resource version: 1 (9)" {
		t.Error(err)
	}
}

// An object that another owns may have been ours until now.
func TestEventsOfWhatOthersOwnAreDeletions(t *testing.T) {
	text := ""
	for _, of := range []string{"ADDED", "MODIFIED", "DELETED"} {
		for _, owner := range []string{"mine", "theirs"} {
			text += fmt.Sprintf(`{"type":%q,"object":{"metadata":{"name":"a","ownerReferences":[{"name":%q,"controller":true}]}}}`, of, owner)
		}
	}
	events, _ := eventsOf(text, Whole, func(o Owner) bool { return o.Name == "mine" })
	var got []watch.EventType
	for _, event := range events {
		got = append(got, event.Type)
	}
	assert.Equal(t, "[ADDED DELETED MODIFIED DELETED DELETED DELETED]", fmt.Sprint(got), "%v, want", got)
}

func TestEventsEndWithTheConnection(t *testing.T) {
	first := `{"type":"ADDED","object":` + sample(1) + "}\n"
	second := `{"type":"MODIFIED","object":` + sample(2) + "}"
	for end := range len(second) {
		events, err := eventsOf(first+second[:end], Whole, nil)
		if len(events) != 1 || !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Fatalf("cut off after %d bytes of the second: %d events, then %v", end, len(events), err)
		}
	}
}

func TestEventRefuses(t *testing.T) {
	for _, text := range []string{
		`[]`, `null`, `5`, `<html>`, `{}`, `{"type":"ADDED"}`, `{"type":"ADDED","object":null}`, `{"type":"ADDED","object":[]}`,
		`{"object":{},"type":"ADDED"}`, `{"type":"ERROR","object":5}`, `{"type":"ADDED","object":{"metadata":{"uid":null}}}`, `{"type":"ADDED","object":{}]`,
	} {
		if events, err := eventsOf(text, Whole, nil); len(events) != 0 || errors.Is(err, io.EOF) && text != "" {
			t.Errorf("%s was read as %v, then %v", text, events, err)
		}
	}
}
