// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"cmp"
	"maps"
	"slices"
	"sync"
)

const chunkBytes = 64 << 10

// ring holds the lines of the last records, in chunks of which the oldest goes as a whole.
type ring struct {
	maxBytes int64

	mu         sync.Mutex
	header     line
	defs       []definition // by seq; apart from the others, because they stay
	defBytes   int64
	chunks     []*chunk
	bytes      int64 // of chunks
	packed     int   // of chunks, those at the begin that are compressed
	packer     packer
	plainBytes int64  // of chunks as they were before
	unpacked   *chunk // the one that was read last of those that are compressed
	kept       []line // by seq: what is left of chunks that went
	keptBytes  int64
	open       map[string]pinned // findings that are not resolved, by ID
	last       int64             // seq of the newest record
	turn       int64             // last, when all records of the turn before had gone
	closed     bool
	more       chan struct{} // closed, and replaced, when a record was added
}

type line struct {
	seq  int64
	text []byte
	body Body // what text says, if it is at hand
}

// definition is the line of a Def, and the object that it defines, if it does.
type definition struct {
	line
	object ObjectID
}

// pinned is a finding that is open: the seq of its newest record, and of its evidence.
type pinned struct {
	seq      int64
	evidence []int64
}

type chunk struct {
	last   int64  // seq
	plain  int64  // size before it was compressed
	packed []byte // what all others are made of, if it is not nil
	text   []byte // of which no line changes
	seqs   []int64
	ends   []int  // of lines in text
	bodies []Body // of lines; nil in all chunks but the last two, which spares readers that follow the decoding
}

func (c *chunk) line(i int) line {
	begin := 0
	if i > 0 {
		begin = c.ends[i-1]
	}
	l := line{seq: c.seqs[i], text: c.text[begin:c.ends[i]:c.ends[i]]}
	if c.bodies != nil {
		l.body = c.bodies[i]
	}
	return l
}

// record decodes the line.
func (l line) record() (Record, error) {
	if l.body == nil {
		return Parse(l.text)
	}
	h, err := parseHead(l.text)
	return Record{Seq: h.seq, T: h.t, Raw: l.text, Body: l.body}, err
}

func (c *chunk) size() int64 { return int64(cap(c.packed) + cap(c.text) + 16*cap(c.ends)) }

func newRing(maxBytes int64) *ring {
	return &ring{maxBytes: cmp.Or(maxBytes, defaultMaxBytes), open: map[string]pinned{}, more: make(chan struct{})}
}

// add keeps a record, whose line it copies, and whose body readers get if the line says all that it has. Readers see it after changed.
func (r *ring) add(rec *Record, text []byte, whole bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last = rec.Seq
	switch b := rec.Body.(type) {
	case *Header:
		r.header = line{seq: rec.Seq, text: slices.Clone(text)}
		return
	case *Def:
		d := definition{line: line{seq: rec.Seq, text: slices.Clone(text)}}
		if b.Object != nil {
			d.object = b.Object.ID
		}
		r.defs = append(r.defs, d)
		r.defBytes += int64(len(text))
		return
	case *Finding:
		if b.Until != 0 {
			delete(r.open, b.ID)
		} else {
			r.open[b.ID] = pinned{rec.Seq, b.Evidence}
		}
	}
	n := len(r.chunks)
	if n == 0 || len(r.chunks[n-1].text)+len(text) > cap(r.chunks[n-1].text) {
		c := &chunk{text: make([]byte, 0, max(chunkBytes, len(text)))}
		if n > 0 {
			lines := len(r.chunks[n-1].seqs) + 8
			c.seqs, c.ends, c.bodies = make([]int64, 0, lines), make([]int, 0, lines), make([]Body, 0, lines)
		}
		if n > 1 {
			r.chunks[n-2].bodies = nil
		}
		r.chunks = append(r.chunks, c)
		r.bytes += c.size()
		r.plainBytes += c.size()
		n++
		for r.bytes > r.maxBytes/2 && r.packed < n-2 { // half of the memory is for what is old, which is a tenth of its size then
			r.pack()
		}
		// Two chunks go for each that comes, so that definitions are forgotten; but none that would have room without compression.
		for range 2 {
			if r.packed > 0 && r.defBytes > r.maxBytes/2 && r.plainBytes > r.maxBytes {
				r.evict()
			}
		}
		n = len(r.chunks)
	}
	c := r.chunks[n-1]
	before := c.size()
	c.text = append(c.text, text...)
	c.last = rec.Seq
	c.seqs = append(c.seqs, rec.Seq)
	c.ends = append(c.ends, len(c.text))
	if whole {
		c.bodies = append(c.bodies, rec.Body)
	} else {
		c.bodies = append(c.bodies, nil)
	}
	r.bytes += c.size() - before
	r.plainBytes += c.size() - before
	for r.bytes > r.maxBytes+chunkBytes && len(r.chunks) > 1 { // without the oldest, maxBytes are still there
		r.evict()
	}
}

// evict takes out the oldest chunk, but for the lines that are pinned. These have a quarter of the memory at most.
func (r *ring) evict() {
	oldest := r.chunks[0]
	r.bytes -= oldest.size()
	r.plainBytes -= cmp.Or(oldest.plain, oldest.size())
	r.chunks = slices.Delete(r.chunks, 0, 1)
	r.packed = max(0, r.packed-1)
	pins := map[int64]bool{}
	for _, f := range r.open {
		pins[f.seq] = true
		for _, seq := range f.evidence {
			pins[seq] = true
		}
	}
	if len(pins) > 0 {
		oldest = r.unpack(oldest)
	}
	r.kept = slices.DeleteFunc(r.kept, func(l line) bool { return !pins[l.seq] })
	r.keptBytes = 0
	for _, l := range r.kept {
		r.keptBytes += int64(len(l.text))
	}
	for i, seq := range oldest.seqs {
		if l := oldest.line(i); pins[seq] && r.keptBytes+int64(len(l.text)) <= r.maxBytes/4 {
			r.kept = append(r.kept, line{seq: seq, text: slices.Clone(l.text)})
			r.keptBytes += int64(len(l.text))
		}
	}
}

// turned reports whether all records have gone that were there when it last returned true.
func (r *ring) turned() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.chunks) == 0 || r.chunks[0].last <= r.turn || r.unpack(r.chunks[0]).seqs[0] <= r.turn {
		return false
	}
	r.turn = r.last
	return true
}

// needed returns what the records need that stay when others go.
func (r *ring) needed() map[any]bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	needed := references{seen: map[any]bool{}}
	for _, l := range r.kept {
		if rec, err := Parse(l.text); err == nil {
			needed.add(rec.Body)
		}
	}
	return needed.seen
}

// forget takes out definitions of objects.
func (r *ring) forget(objects map[ObjectID]bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	defs := make([]definition, 0, len(r.defs)-len(objects)) // what is taken out must not be kept by the array
	for _, d := range r.defs {
		if !objects[d.object] {
			defs = append(defs, d)
		} else {
			r.defBytes -= int64(len(d.text))
		}
	}
	r.defs = defs
}

// changed wakes readers that wait.
func (r *ring) changed() {
	r.mu.Lock()
	defer r.mu.Unlock()
	close(r.more)
	r.more = make(chan struct{})
}

// close ends readers when they have read all.
func (r *ring) close() {
	r.mu.Lock()
	r.closed = true
	r.mu.Unlock()
	r.changed()
}

// openFindings returns the IDs of findings that are not resolved.
func (r *ring) openFindings() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Sorted(maps.Keys(r.open))
}

// first returns the header, and the definitions up to seq.
func (r *ring) first(seq int64) []line {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.defined([]line{r.header}, 0, seq)
}

// next returns up to some hundred lines after seq. If there are none, more is closed when that changes, unless closed is
// true.
func (r *ring) next(seq int64) (lines []line, more <-chan struct{}, closed bool) {
	const limit = 256
	r.mu.Lock()
	defer r.mu.Unlock()
	lines = make([]line, 0, max(0, min(limit, r.last-seq)))
	k, _ := slices.BinarySearchFunc(r.kept, seq+1, func(l line, seq int64) int { return cmp.Compare(l.seq, seq) })
	lines = append(lines, r.kept[k:min(len(r.kept), k+limit)]...)
	c, _ := slices.BinarySearchFunc(r.chunks, seq+1, func(c *chunk, seq int64) int { return cmp.Compare(c.last, seq) })
	for ; c < len(r.chunks) && len(lines) < limit; c++ {
		of := r.unpack(r.chunks[c])
		i, _ := slices.BinarySearch(of.seqs, seq+1)
		for ; i < len(of.seqs) && len(lines) < limit; i++ {
			lines = append(lines, of.line(i))
		}
	}
	end := r.last // of the definitions that come between the lines, or after them if there are no more
	if len(lines) == limit {
		end = lines[limit-1].seq
	}
	lines = r.defined(lines, seq, end)
	slices.SortFunc(lines, func(a, b line) int { return cmp.Compare(a.seq, b.seq) })
	return lines, r.more, r.closed
}

// defined appends the definitions after one seq, up to another. r.mu is held.
func (r *ring) defined(lines []line, after, to int64) []line {
	i, _ := slices.BinarySearchFunc(r.defs, after+1, func(d definition, seq int64) int { return cmp.Compare(d.seq, seq) })
	for ; i < len(r.defs) && r.defs[i].seq <= to; i++ {
		lines = append(lines, r.defs[i].line)
	}
	return lines
}
