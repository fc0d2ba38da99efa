// SPDX-License-Identifier: Apache-2.0

package export

import (
	"bytes"
	"encoding/json"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"

	"github.com/crdctl/crdctl/internal/trace"
)

func records(yield func(trace.Record, error) bool) {
	for i, b := range []trace.Body{
		&trace.Header{Start: "2026-11-23T10:00:00.5+01:00"},
		&trace.Def{Actor: &trace.Actor{ID: 1, Name: "crontab", User: "crdctl", Agent: "crontab/v0"}},
		&trace.Def{Resource: &trace.Resource{ID: 1, Version: "v1", Resource: "namespaces"}},
		&trace.Def{Resource: &trace.Resource{ID: 2, Group: "example.com", Version: "v1", Resource: "crontabs"}},
		&trace.Def{Object: &trace.Object{ID: 1, UID: "u", Resource: 2, Namespace: "a", Name: "x"}},
		&trace.Request{ID: "r-1.1", Actor: 1, Verb: "apply", Resource: 2, Namespace: "a", Name: "x", Object: 1, Subresource: "status", Code: 409,
			Reason: "Conflict", Message: "no", RVIn: 6, FieldManager: "m", Force: true, DryRun: true, Decision: "allow", Because: "admin",
			Layers: map[string]int64{"etcd": 5}, Body: json.RawMessage(`{"a":1}`)},
		&trace.Request{ID: "v2.x", Actor: 1, Verb: "watch", Resource: 1, Namespace: "a", Name: "a", Code: 200},
		&trace.Admission{Type: "mutating", Name: "m.example.com", Request: "r-1.1", Err: "late"},
		&trace.Hook{Name: "sync.py", Op: "sync", Reconcile: "r-1"},
		&trace.Reconcile{ID: "r-1", Controller: "crontab", Actor: 1, Key: "a/x", State: "end", Result: "error", Err: "conflict"},
	} {
		if !yield(trace.Record{Seq: int64(i + 1), T: int64(i) * 1e9, Body: b}, nil) {
			return
		}
	}
}

// The API server's own type reads what is written, and nothing is left over.
func TestAuditIsWhatTheAPIServerWrites(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, Audit(&out, records))
	d := json.NewDecoder(&out)
	d.DisallowUnknownFields()
	var conflict, watch auditv1.Event
	require.NoError(t, d.Decode(&conflict))
	require.NoError(t, d.Decode(&watch))
	assert.False(t, d.More())
	assert.Equal(t, "audit.k8s.io/v1", conflict.APIVersion)
	assert.Equal(t, auditv1.LevelRequest, conflict.Level)
	assert.Equal(t, auditv1.StageResponseComplete, conflict.Stage)
	assert.Equal(t, "/apis/example.com/v1/namespaces/a/crontabs/x/status?dryRun=All&fieldManager=m&force=true", conflict.RequestURI)
	assert.Equal(t, "patch", conflict.Verb)
	assert.Equal(t, "crdctl", conflict.User.Username)
	assert.Equal(t, &auditv1.ObjectReference{
		Resource: "crontabs", Namespace: "a", Name: "x", UID: "u", APIGroup: "example.com", APIVersion: "v1", ResourceVersion: "6", Subresource: "status",
	}, conflict.ObjectRef)
	assert.EqualValues(t, 409, conflict.ResponseStatus.Code)
	assert.EqualValues(t, "Conflict", conflict.ResponseStatus.Reason)
	assert.JSONEq(t, `{"a":1}`, string(conflict.RequestObject.Raw))
	assert.Equal(t, time.Date(2026, 11, 23, 9, 0, 5, 5e8, time.UTC), conflict.StageTimestamp.UTC())
	assert.Equal(t, "admin", conflict.Annotations["authorization.k8s.io/reason"])
	assert.Equal(t, "/api/v1/namespaces/a?watch=true", watch.RequestURI)
	assert.Equal(t, auditv1.LevelMetadata, watch.Level)
}

// A span is a child only where an ID proves it.
func TestSpansOfAReconcileAreOneTrace(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, OTLP(&out, records))
	var data tracesData
	require.NoError(t, json.Unmarshal(out.Bytes(), &data))
	spans := map[string]span{}
	services := map[string]string{}
	for _, r := range data.ResourceSpans {
		for _, s := range r.ScopeSpans[0].Spans {
			spans[s.Name], services[s.Name] = s, r.Resource.Attributes[0].Value.String
		}
	}
	require.Len(t, spans, 5)
	reconcile := spans["reconcile a/x"]
	request := spans["apply crontabs/status"]
	assert.Empty(t, reconcile.ParentID)
	assert.Equal(t, &status{2, "conflict"}, reconcile.Status)
	assert.Len(t, reconcile.TraceID, 32)
	assert.Len(t, reconcile.SpanID, 16)
	assert.Equal(t, reconcile.SpanID, request.ParentID)
	assert.Equal(t, "409 Conflict: no", request.Status.Message)
	assert.Equal(t, request.SpanID, spans["mutating m.example.com"].ParentID)
	assert.Equal(t, reconcile.SpanID, spans["sync sync.py"].ParentID)
	for name, s := range spans {
		if name == "watch namespaces" {
			assert.NotEqual(t, reconcile.TraceID, s.TraceID)
			assert.Empty(t, s.ParentID)
		} else {
			assert.Equal(t, reconcile.TraceID, s.TraceID, name)
		}
	}
	assert.Equal(t, "crontab", services["reconcile a/x"])
	assert.Equal(t, reconcile.End, reconcile.Start, "its begin is not recorded")
	assert.Equal(t, time.Date(2026, 11, 23, 9, 0, 9, 5e8, time.UTC).UnixNano(), func() int64 {
		n, err := strconv.ParseInt(reconcile.End, 10, 64)
		require.NoError(t, err)
		return n
	}())
}

func TestErrorsOfTheRecordingAreReturned(t *testing.T) {
	broken := func(yield func(trace.Record, error) bool) { yield(trace.Record{}, os.ErrClosed) }
	require.ErrorIs(t, Audit(&bytes.Buffer{}, broken), os.ErrClosed)
	require.ErrorIs(t, OTLP(&bytes.Buffer{}, broken), os.ErrClosed)
	noStart := func(yield func(trace.Record, error) bool) { yield(trace.Record{Body: &trace.Header{Start: "x"}}, nil) }
	require.ErrorContains(t, Audit(&bytes.Buffer{}, noStart), "start")
}
