// SPDX-License-Identifier: Apache-2.0

package object

import (
	"io"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// endless is an object again and again.
type endless struct {
	text string
	at   int
}

func (r *endless) Read(to []byte) (int, error) {
	n := copy(to, r.text[r.at:])
	r.at = (r.at + n) % len(r.text)
	return n, nil
}

var _ io.Reader = (*endless)(nil)

// What an object costs is the promise of this package. Sizes are no matter of time or luck, so they are held exactly.
func TestAnObjectIsTwoAllocations(t *testing.T) {
	for _, c := range []struct {
		name string
		keep Keep
		text string
		max  float64
	}{
		{"object", Whole, sample(1), 2}, // itself and its text
		{"event", Whole, `{"type":"ADDED","object":` + sample(1) + "}\n", 2},
	} {
		d := NewDecoder(&endless{text: c.text}, cronTab, c.keep, nil)
		var err error
		read := func() {
			if c.name == "event" {
				_, err = d.Event()
			} else {
				_, err = d.object()
			}
			require.NoError(t, err)
		}
		for range 100 {
			read() // until the buffers have their size
		}
		assert.LessOrEqual(t, testing.AllocsPerRun(1000, read), c.max, c.name)
	}
}

// Where no content is wanted, none is copied, even for a moment: lists of 50,000 have as many moments.
func TestIdentityDoesNotCopyContent(t *testing.T) {
	d := NewDecoder(strings.NewReader(sample(1)), cronTab, Identity, nil)
	_, err := d.object()
	require.NoError(t, err)
	assert.NotContains(t, string(d.buf), "cronSpec", "copied")
}

func TestTheTextIsNoLongerThanNeeded(t *testing.T) {
	text := sample(1)
	from, to := strings.Index(text, `"managedFields"`), strings.Index(text, `"name":"crontab-`)
	want := text[strings.Index(text, `"metadata"`):from] + text[to:len(text)-1]
	o := decode(t, text)
	assert.Equal(t, want, o.text)
	assert.Equal(t, len(o.Namespace())+len(o.Name())+len(o.UID())+len(o.ResourceVersion()), len(o.MetadataOnly().text), "the bare object's text")
	for name, part := range map[string]string{"name": o.Name(), "namespace": o.Namespace(), "UID": string(o.UID()), "version": o.ResourceVersion()} {
		if at := uintptr(unsafe.Pointer(unsafe.StringData(part))) - uintptr(unsafe.Pointer(unsafe.StringData(o.text))); at >= uintptr(len(o.text)) {
			t.Errorf("the %s is a text of its own", name)
		}
	}
	if size := unsafe.Sizeof(*o); size > 96 { // the next size that the allocator has is 112
		t.Errorf("the object beside its text is %d bytes", size)
	}
}
