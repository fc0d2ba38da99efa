// SPDX-License-Identifier: Apache-2.0

//go:build !crdctl_codegen && !crdctl_loop

package cmd

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/trace"
)

// What runs is judged at the time at which it is viewed, though nothing was recorded since: "crdctl run" does so, too.
func TestFindingsOfWhatRunsAreResolved(t *testing.T) {
	recorder, err := trace.New(trace.Options{})
	require.NoError(t, err)
	recorder.Add(&trace.Def{Actor: &trace.Actor{ID: 1, Name: "crontab", Class: trace.ClassController}})
	recorder.Add(&trace.Def{Resource: &trace.Resource{ID: 1, Resource: "configmaps", Kind: "ConfigMap"}})
	for range 3 {
		recorder.Add(&trace.Request{Actor: 1, Verb: "update", Resource: 1, Code: 403, Decision: "forbid"})
	}
	require.NoError(t, recorder.Close())
	for seconds, resolved := range map[int64]bool{1: false, 1000: true} {
		d, err := findingsOf(t.Context(), &viewed{Source: recorder, end: seconds * 1e9})
		require.NoError(t, err)
		require.Len(t, d.Findings, 1)
		assert.Equal(t, resolved, d.Findings[0].Until != 0, seconds)
	}
}
