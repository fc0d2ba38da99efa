// SPDX-License-Identifier: Apache-2.0

package model

import "github.com/crdctl/crdctl/internal/trace"

// Log is a line that the controller printed.
type Log struct {
	*trace.Log

	Seq, T int64
}

func (m *Model) addLog(r trace.Record, b *trace.Log) {
	l := &Log{Log: b, Seq: r.Seq, T: r.T}
	m.logs = append(m.logs, l)
	if _, ok := b.Attrs["controllerKind"]; ok {
		m.controllerRuntime = true
	}
	if b.Reconcile != "" {
		m.logsOf[b.Reconcile] = append(m.logsOf[b.Reconcile], l)
	}
}

// ControllerRuntime reports whether a line is one of controller-runtime, which can print more about its reconciles.
func (m *Model) ControllerRuntime() bool { return m.controllerRuntime }

// Logs returns the lines that are held, by Seq. The caller must not change the slice.
func (m *Model) Logs() []*Log { return m.logs }

func (m *Model) forgetLog(b *trace.Log, before int64) {
	for len(m.logs) > 0 && m.logs[0].Seq < before {
		m.logs = keepTail(m.logs, 1)
	}
	if b.Reconcile != "" {
		delete(m.logsOf, b.Reconcile)
	}
}
