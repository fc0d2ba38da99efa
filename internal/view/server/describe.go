// SPDX-License-Identifier: Apache-2.0

package server

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/crdctl/crdctl/internal/trace"
	"github.com/crdctl/crdctl/internal/view/model"
)

// describe is a record in one line.
func (s *session) describe(r trace.Record) string {
	switch b := r.Body.(type) {
	case *trace.Request:
		if req := s.model.RequestAt(r.Seq); req != nil {
			return requestItem(req).Text
		}
	case *trace.Version:
		if o := s.model.Object(b.Object); o != nil {
			return fmt.Sprintf("%s: %s, version %d", o, b.Type, b.RV)
		}
	case *trace.Event:
		name := "an object"
		if o := s.model.Object(b.Object); o != nil {
			name = o.String()
		}
		return fmt.Sprintf("%s of %s, version %d, delivered to %s", b.Type, name, b.RV, actorName(s.model.Actor(b.Actor)))
	case *trace.Watch:
		return fmt.Sprintf("watch of %s by %s: %s %s", model.GroupResource(s.model.Resource(b.Resource)), actorName(s.model.Actor(b.Actor)), b.State, b.End)
	case *trace.Reconcile:
		return fmt.Sprintf("reconcile of %s by %s: %s %s", b.Key, b.Controller, b.State, b.Result)
	case *trace.Queue:
		return fmt.Sprintf("queue of %s: %s %s %s", b.Controller, b.Op, b.Key, b.Why)
	case *trace.Hook:
		text := fmt.Sprintf("hook %s %s: %s", b.Name, b.Op, model.Duration(r.T-b.Began-b.Waited))
		if b.Waited >= int64(time.Millisecond) {
			text += fmt.Sprintf(", after it waited %s for its turn", model.Duration(b.Waited))
		}
		return text
	case *trace.Admission:
		return fmt.Sprintf("%s %s %s: %s", b.Type, b.Name, b.Op, model.Duration(r.T-b.Began))
	case *trace.Decision:
		return fmt.Sprintf("%s: %s, %s", b.Child, b.Action, b.Why)
	case *trace.Log:
		return b.Message
	case *trace.KubeEvent:
		return fmt.Sprintf("%s event %s: %s", b.Type, b.Reason, b.Message)
	case *trace.Save:
		if s := savedOf(r, b); !s.Restarted {
			return s.Label
		}
		return fmt.Sprintf("save that led to build %d", b.Build)
	case *trace.Finding:
		return b.Type + ": " + b.Subject
	case *trace.Gap:
		return "recording gap: " + b.Why
	}
	return fmt.Sprintf("%s #%d", r.Body.Kind(), r.Seq)
}

func indent(raw json.RawMessage) string {
	var b bytes.Buffer
	if json.Indent(&b, raw, "", "  ") != nil {
		return string(raw)
	}
	return b.String()
}

// number prints a figure with as many digits as one reads at a glance.
func number(f float64) string {
	if f >= 10 {
		return strconv.FormatFloat(f, 'f', 0, 64)
	}
	return strings.TrimSuffix(strconv.FormatFloat(f, 'f', 1, 64), ".0")
}
