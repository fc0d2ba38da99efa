// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// head is what all lines begin with.
type head struct {
	seq, t int64
	kind   Kind
}

// parseHead reads the head of a line. Lines that are written as AppendJSON does are not read any further.
func parseHead(line []byte) (head, error) {
	if h, ok := quickHead(line); ok {
		return h, nil
	}
	var h struct {
		Seq int64 `json:"seq"`
		T   int64 `json:"t"`
		K   Kind  `json:"k"`
	}
	if err := json.Unmarshal(line, &h); err != nil {
		return head{}, fmt.Errorf("decode a record: %w", err)
	}
	if h.K == "" {
		return head{}, errors.New(`decode a record: no field "k"`)
	}
	if h.Seq < 0 || h.Seq > maxSeq {
		return head{}, fmt.Errorf("decode a record: number %d is out of range", h.Seq)
	}
	if h.T < 0 || h.T > maxT {
		return head{}, fmt.Errorf("decode a record: time %d is out of range", h.T)
	}
	return head{h.Seq, h.T, h.K}, nil
}

func quickHead(line []byte) (h head, ok bool) {
	rest, ok := bytes.CutPrefix(line, []byte(`{"seq":`))
	if !ok {
		return h, false
	}
	if h.seq, rest, ok = cutNumber(rest, `,"t":`); !ok || h.seq > maxSeq {
		return h, false
	}
	if h.t, rest, ok = cutNumber(rest, `,"k":"`); !ok || h.t > maxT {
		return h, false
	}
	end := bytes.IndexByte(rest, '"')
	if end <= 0 || bytes.IndexByte(rest[:end], '\\') >= 0 || line[len(line)-1] != '}' {
		return h, false
	}
	h.kind = kindOf(rest[:end])
	return h, true
}

// kindOf does not allocate for kinds that are known.
func kindOf(b []byte) Kind {
	if k, ok := kindNames[string(b)]; ok {
		return k
	}
	return Kind(b)
}

// Known reports whether this version knows a kind of records.
func Known(k Kind) bool {
	_, known := bodies[k]
	return known
}

var kindNames = func() map[string]Kind {
	names := map[string]Kind{}
	for k := range bodies {
		names[string(k)] = k
	}
	return names
}()

// cutNumber reads a number of at most 18 digits, and what must follow it.
func cutNumber(b []byte, next string) (n int64, rest []byte, ok bool) {
	i := 0
	for ; i < len(b) && i < 18 && '0' <= b[i] && b[i] <= '9'; i++ {
		n = 10*n + int64(b[i]-'0')
	}
	if i == 0 {
		return 0, nil, false
	}
	rest, ok = bytes.CutPrefix(b[i:], []byte(next))
	return n, rest, ok
}
