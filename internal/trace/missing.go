// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"cmp"
	"slices"
)

// addMissing adds what is missing between members: as members that cannot be read, or those that come later in the file.
func (b *rebuilding) addMissing() {
	members, partial := b.f.index.Members, b.f.partial
	b.f.index.Members = make([]Member, 0, len(members)+len(b.missing))
	canMove := len(b.missing) <= maxMoved
	for i, m := range members {
		for len(b.missing) > 0 && b.missing[0].Offset <= m.Offset {
			var later []Member
			if canMove && i != partial {
				later = members[i:]
				if i < partial { // of the partial member, not all records may be read
					later = members[i:partial]
				}
			}
			b.addNext(later)
		}
		if m.Records == 0 { // it was moved
			continue
		}
		if i == partial {
			b.f.partial = len(b.f.index.Members)
		}
		b.f.index.Members = append(b.f.index.Members, m)
	}
	for len(b.missing) > 0 {
		b.addNext(nil)
	}
}

// addNext adds what is missing next, unless members that come later have all of it: these are moved.
func (b *rebuilding) addNext(later []Member) {
	m := b.missing[0]
	b.missing = b.missing[1:]
	if m.Records == 0 {
		return
	}
	isOf := func(o Member) bool { return m.Seq <= o.Seq && o.Seq < m.Seq+m.Records && o.Records > 0 }
	n := int64(0)
	for _, o := range later {
		if isOf(o) {
			n += o.Records
		}
	}
	if n != m.Records {
		b.f.index.Members = append(b.f.index.Members, m)
		return
	}
	var moved []Member
	for i, o := range later {
		if isOf(o) {
			moved = append(moved, o)
			later[i].Records = 0
		}
	}
	slices.SortStableFunc(moved, func(a, b Member) int { return cmp.Compare(a.Seq, b.Seq) })
	b.f.index.Members = append(b.f.index.Members, moved...)
}
