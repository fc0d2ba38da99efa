// SPDX-License-Identifier: Apache-2.0

package sums

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"maps"
	"slices"
)

// encode writes what is known in a form that takes less time to read than to read the files: each run reads it whole. What was changed
// after the limit is left out.
func encode(dirs map[string][]known, limit int64) (data []byte) {
	text := func(s string) { data = append(binary.AppendUvarint(data, uint64(len(s))), s...) }
	for _, dir := range slices.Sorted(maps.Keys(dirs)) {
		files := slices.DeleteFunc(slices.Clone(dirs[dir]), func(k known) bool { return max(k.modified, k.changed) > limit })
		if len(files) == 0 {
			continue
		}
		text(dir)
		data = binary.AppendUvarint(data, uint64(len(files)))
		for _, k := range files {
			text(k.Name)
			for _, n := range []int64{k.size, k.modified, k.changed} {
				data = binary.AppendVarint(data, n)
			}
			data = binary.AppendUvarint(data, k.inode)
			data = append(data, k.Sum[:]...)
			if k.Generated {
				data = append(data, 1)
			} else {
				data = append(data, 0)
			}
		}
	}
	return data
}

// decode reads what encode wrote; of anything else, nothing is known.
func decode(data []byte) map[string][]known {
	d := decoder{data: data}
	dirs := map[string][]known{}
	for len(d.data) > 0 && d.err == nil {
		dir := d.text()
		n := min(d.number(), uint64(len(d.data))) // each takes more than a byte
		var files []known
		for ; n > 0 && d.err == nil; n-- {
			var k known
			k.Name = d.text()
			k.size, k.modified, k.changed, k.inode = d.signed(), d.signed(), d.signed(), d.number()
			copy(k.Sum[:], d.bytes(sha256.Size))
			k.Generated = d.bytes(1)[0] == 1
			files = append(files, k)
		}
		dirs[dir] = files
	}
	if d.err != nil {
		return nil
	}
	return dirs
}

type decoder struct {
	data []byte
	err  error
}

var errShort = errors.New("cut short")

func (d *decoder) bytes(n int) []byte {
	if n < 0 || len(d.data) < n {
		d.err, d.data = errShort, nil
		return make([]byte, sha256.Size)
	}
	b := d.data[:n]
	d.data = d.data[n:]
	return b
}

func (d *decoder) number() uint64 {
	v, n := binary.Uvarint(d.data)
	d.skip(n)
	return v
}

func (d *decoder) signed() int64 {
	v, n := binary.Varint(d.data)
	d.skip(n)
	return v
}

func (d *decoder) skip(n int) {
	if n <= 0 {
		d.err, d.data = errShort, nil
		return
	}
	d.data = d.data[n:]
}

func (d *decoder) text() string {
	n := d.number()
	if n > uint64(len(d.data)) {
		d.err, d.data = errShort, nil
		return ""
	}
	return string(d.bytes(int(n)))
}
