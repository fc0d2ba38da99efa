// SPDX-License-Identifier: Apache-2.0

package subprocess

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
)

// The kinds of frames.
const (
	frameSetup     byte = 'S' // to the helper: setup as JSON; answered by frameAnswer
	frameSync      byte = 's' // to the helper: a request
	frameCustomize byte = 'c'
	frameAnswer    byte = 'a' // from the helper: what was rendered
	frameError     byte = 'e' // from the helper: why nothing was
	frameOutput    byte = 'o' // from the helper: it would be more than the limit
)

// setup is what a helper must know before the first request.
type setup struct {
	Files     map[string]string `json:"files"`
	MaxOutput int               `json:"maxOutput"`
	// Seconds end a rendering of a helper whose parent is gone.
	Seconds float64 `json:"seconds"`
}

func writeFrame(w *bufio.Writer, kind byte, payload []byte) error {
	var head [5]byte
	head[0] = kind
	binary.BigEndian.PutUint32(head[1:], uint32(len(payload))) // a request of 4 GiB does not fit into memory three times
	_, _ = w.Write(head[:])
	_, _ = w.Write(payload)
	return w.Flush() // has the error of the writes too
}

func readFrame(r *bufio.Reader, limit int) (kind byte, payload []byte, err error) {
	var head [5]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return 0, nil, err
	}
	n := binary.BigEndian.Uint32(head[1:])
	if uint64(n) > uint64(limit) { // limits are positive
		return 0, nil, fmt.Errorf("a frame of %d bytes exceeds %d", n, limit)
	}
	payload = make([]byte, n)
	_, err = io.ReadFull(r, payload)
	return head[0], payload, err
}
