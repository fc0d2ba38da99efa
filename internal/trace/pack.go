// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"bytes"
	"compress/flate"
	"io"
	"slices"
)

// packer compresses chunks. It keeps what flate allocates.
type packer struct {
	zip *flate.Writer
	out bytes.Buffer
}

var newline = []byte{'\n'}

// pack compresses the oldest chunk that is not, so that the memory holds some ten times as many records. r.mu is held.
func (r *ring) pack() {
	c := r.chunks[r.packed]
	r.packed++
	if r.packer.zip == nil {
		r.packer.zip, _ = flate.NewWriter(&r.packer.out, flate.BestSpeed) // fails for other levels
	}
	r.packer.out.Reset()
	r.packer.zip.Reset(&r.packer.out)
	for i := range c.seqs {
		_, _ = r.packer.zip.Write(c.line(i).text) // a buffer takes all
		_, _ = r.packer.zip.Write(newline)
	}
	_ = r.packer.zip.Close()
	r.bytes -= c.size()
	r.chunks[r.packed-1] = &chunk{last: c.last, plain: c.size(), packed: slices.Clone(r.packer.out.Bytes())}
	r.bytes += r.chunks[r.packed-1].size()
}

// unpack returns a chunk with its lines. r.mu is held.
func (r *ring) unpack(c *chunk) *chunk {
	switch {
	case c.packed == nil:
		return c
	case r.unpacked != nil && r.unpacked.last == c.last:
		return r.unpacked
	}
	lines, _ := io.ReadAll(flate.NewReader(bytes.NewReader(c.packed))) // pack made it
	out := &chunk{last: c.last, text: make([]byte, 0, len(lines))}
	for line := range bytes.Lines(lines) {
		line = bytes.TrimSuffix(line, newline)
		h, _ := parseHead(line)
		out.text = append(out.text, line...)
		out.seqs, out.ends = append(out.seqs, h.seq), append(out.ends, len(out.text))
	}
	r.unpacked = out
	return out
}
