// SPDX-License-Identifier: Apache-2.0

package server

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/trace"
)

// sessionOf has the records of a file, of one JSON line each.
func sessionOf(t *testing.T, file string) *session {
	t.Helper()
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	s := newSession(Options{MaxRecords: 1000})
	for line := range bytes.Lines(data) {
		r, err := trace.Parse(bytes.TrimSpace(line))
		require.NoError(t, err)
		s.add(t.Context(), r, false)
	}
	s.ended(false, nil)
	return s
}

// A finding marks the object that it is about, also if its subject names who or which field, too.
func TestFindingsMarkTheirObjects(t *testing.T) {
	for typ, object := range map[string]string{
		"hot-loop": "CronTab default/x", "conflict-storm": "Deployment default/x", "stale-write": "CronTab default/x", "event-spam": "CronTab default/x",
		"field-fight": "Deployment default/x",
	} {
		s := sessionOf(t, filepath.Join("..", "finding", "testdata", typ, "shows.jsonl"))
		assert.Equal(t, typ, s.problems()[object])
	}
}
