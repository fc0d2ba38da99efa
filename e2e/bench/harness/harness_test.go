// SPDX-License-Identifier: Apache-2.0

package harness

import (
	"net"
	"net/rpc"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCalls(t *testing.T) {
	h, err := fromArgs([]string{"kubeconfig", "3", "2", "10", "whole"})
	require.NoError(t, err)
	assert.Equal(t, []any{"kubeconfig", 3, "whole"}, []any{h.Kubeconfig, h.Workers, h.Variant})
	_, err = fromArgs([]string{"kubeconfig", "3"})
	assert.ErrorContains(t, err, "want KUBECONFIG")
	ours, theirs := net.Pipe()
	go h.serve(theirs)
	client := rpc.NewClient(ours)
	defer func() { _ = client.Close() }()

	assert.ErrorContains(t, client.Call("Calls.Noted", 0, new(Noted)), "nothing was begun")
	h.Saw(time.Now(), Name(0), "7")
	h.Saw(time.Now(), Name(0), "8")
	assert.Empty(t, h.synced, "one of two objects")
	h.Saw(time.Now(), Name(1), "5")
	h.Saw(time.Now(), Name(1), "9")
	var synced time.Time
	require.NoError(t, client.Call("Calls.Synced", 0, &synced))
	assert.False(t, synced.IsZero())
	assert.Empty(t, h.synced)

	require.NoError(t, client.Call("Calls.Begin", 2, new(int)))
	at := time.Unix(5, 6)
	for _, version := range []string{"12", "345", "678"} {
		h.Saw(at, Name(3), version)
	}
	var noted Noted
	require.NoError(t, client.Call("Calls.Noted", 0, &noted))
	assert.Equal(t, Noted{3, []Note{{3, 12, at.UnixNano()}, {3, 345, at.UnixNano()}}}, noted, "all are counted, and as many noted as there is space for")
	var heap uint64
	require.NoError(t, client.Call("Calls.Collect", 0, &heap))
	assert.NotZero(t, heap)
}
