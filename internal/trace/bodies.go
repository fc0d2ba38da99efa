// SPDX-License-Identifier: Apache-2.0

package trace

// Kind implements Body.
func (*Header) Kind() Kind { return KindHeader }

// Kind implements Body.
func (*Def) Kind() Kind { return KindDef }

// Kind implements Body.
func (*Request) Kind() Kind { return KindRequest }

// Kind implements Body.
func (*Version) Kind() Kind { return KindVersion }

// Kind implements Body.
func (*Watch) Kind() Kind { return KindWatch }

// Kind implements Body.
func (*Event) Kind() Kind { return KindEvent }

// Kind implements Body.
func (*Queue) Kind() Kind { return KindQueue }

// Kind implements Body.
func (*Reconcile) Kind() Kind { return KindReconcile }

// Kind implements Body.
func (*Decision) Kind() Kind { return KindDecision }

// Kind implements Body.
func (*Hook) Kind() Kind { return KindHook }

// Kind implements Body.
func (*Admission) Kind() Kind { return KindAdmission }

// Kind implements Body.
func (*Log) Kind() Kind { return KindLog }

// Kind implements Body.
func (*KubeEvent) Kind() Kind { return KindKubeEvent }

// Kind implements Body.
func (*Metrics) Kind() Kind { return KindMetrics }

// Kind implements Body.
func (*Save) Kind() Kind { return KindSave }

// Kind implements Body.
func (*Finding) Kind() Kind { return KindFinding }

// Kind implements Body.
func (*Rights) Kind() Kind { return KindRights }

// Kind implements Body.
func (*Gap) Kind() Kind { return KindGap }

// Kind implements Body.
func (*Index) Kind() Kind { return KindIndex }

// Kind returns the kind that the line has.
func (u *Unknown) Kind() Kind { return u.K }
