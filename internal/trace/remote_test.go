// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"context"
	"iter"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRemote(t *testing.T) {
	r := recorder(t, Options{})
	server := httptest.NewServer(Handler(r))
	t.Cleanup(server.Close)
	r.Add(&Log{Message: "first"})
	waitFor(t, r)
	remote := Remote{Client: server.Client(), URL: server.URL}
	assert.False(t, remote.Live())
	assert.Equal(t, all(t, untilNow{r}, 0), all(t, remote, 0), "what is there")
	assert.Equal(t, "header", kinds(all(t, remote, 2)))

	remote.Follow = true
	assert.True(t, remote.Live())
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var got []Record
	for rec, err := range remote.Records(ctx, 0) { // each line comes when it is made: the next is only made then
		require.NoError(t, err)
		if got = append(got, rec); len(got) == 5 {
			cancel()
		} else if len(got) > 1 {
			r.Add(&Log{Message: "more"})
		}
	}
	assert.Equal(t, "header log log log log", kinds(got))

	var last error
	for rec, err := range remote.Records(t.Context(), 0) {
		if last = err; rec.Seq == 5 {
			require.NoError(t, r.Close())
		}
	}
	assert.ErrorContains(t, last, server.URL, "the end of a recording that goes on is an error")
}

// untilNow is a recorder that is not followed.
type untilNow struct{ *Recorder }

func (r untilNow) Records(ctx context.Context, after int64) iter.Seq2[Record, error] {
	return r.held(ctx, after, false, func() {})
}

func TestRemoteThatRefuses(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(server.Close)
	for _, err := range (Remote{Client: server.Client(), URL: server.URL}).Records(t.Context(), 0) {
		require.ErrorIs(t, err, ErrNotRecorded)
	}
	w := httptest.NewRecorder()
	Handler(recorder(t, Options{})).ServeHTTP(w, httptest.NewRequest(http.MethodGet, Path+"?after=x", nil))
	assert.Equal(t, http.StatusBadRequest, w.Code)
	w = httptest.NewRecorder()
	Handler(recorder(t, Options{})).ServeHTTP(w, httptest.NewRequest(http.MethodPost, Path, nil))
	assert.Equal(t, http.StatusMethodNotAllowed, w.Code)
}

// What another process records from now on becomes part of a recording: with its own numbers, by its own clock.
func TestCopy(t *testing.T) {
	from, to := recorder(t, Options{}), recorder(t, Options{})
	connected := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		close(connected)
		Handler(from).ServeHTTP(w, req)
	}))
	t.Cleanup(server.Close)
	remote := Remote{Client: server.Client(), URL: server.URL}
	add := func(r *Recorder, name, id string) {
		resource := r.Defs().Resource(Resource{Version: "v1", Resource: name})
		object := r.Defs().Object(Object{UID: name, Resource: resource, Name: name})
		r.Add(&Request{ID: id, Actor: r.Defs().Actor(Actor{Name: name}), Began: r.Now(), Resource: resource, Object: object})
		r.Add(&Event{Object: object, Actor: r.Defs().Actor(Actor{Name: name})})
	}
	add(to, "mine", "mine") // so that the numbers differ
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	copied := make(chan error, 1)
	go func() {
		copied <- Copy(ctx, to, remote, func(a Actor) Actor { a.Build = 7; return a })
	}()
	actors, resources, objects := map[ActorID]Actor{}, map[ResourceID]Resource{}, map[ObjectID]Object{}
	var got []string
	before := int64(0)
	for rec, err := range to.Records(ctx, 0) {
		require.NoError(t, err)
		switch b := rec.Body.(type) {
		case *Def:
			switch {
			case b.Actor != nil:
				actors[b.Actor.ID] = *b.Actor
			case b.Resource != nil:
				resources[b.Resource.ID] = *b.Resource
			default:
				objects[b.Object.ID] = *b.Object
			}
			continue
		case *Request:
			got = append(got, b.ID, actors[b.Actor].Name, resources[b.Resource].Resource, objects[b.Object].Name, resources[objects[b.Object].Resource].Resource)
			assert.LessOrEqual(t, before, b.Began)
			assert.LessOrEqual(t, b.Began, rec.T)
			before = b.Began
		case *Event:
			got = append(got, objects[b.Object].UID)
		}
		switch len(got) {
		case 6: // the recording's own
			<-connected // what it recorded before is not copied
			add(from, "theirs", "theirs")
		case 12:
			assert.Equal(t, []string{"mine", "mine", "mine", "mine", "mine", "mine", "theirs", "theirs", "theirs", "theirs", "theirs", "theirs"}, got)
			assert.Equal(t, 7, actors[2].Build)
			require.NoError(t, from.Close())
			assert.Error(t, <-copied, "the other recording ended")
			return
		}
	}
}

// An object that is used stays known, however many others are defined.
func TestCopyKnowsObjectsInUse(t *testing.T) {
	to := NewDefs(func(*Def) {})
	c := copier{to: numbering{defs: to}}
	for id := ObjectID(1); id <= 5*maxCopied; id++ {
		c.define(&Def{Object: &Object{ID: id, UID: strconv.FormatInt(int64(id), 10)}})
		if id%(maxCopied/2) == 0 {
			require.Equal(t, ObjectID(1), c.object(1), id)
		}
	}
	assert.Zero(t, c.object(2), "what is not used is forgotten")
}

// numbering is a sink that only numbers.
type numbering struct {
	Sink

	defs *Defs
}

// Defs implements Sink.
func (n numbering) Defs() *Defs { return n.defs }
