// SPDX-License-Identifier: Apache-2.0

package ui

import (
	"bytes"
	"io"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Lines get the name of their program, each as a whole, whatever the writes are.
func TestMargin(t *testing.T) {
	var out bytes.Buffer
	m := NewMargin(&out, false, "crdctl", "controller")
	own, child := m.Of("crdctl", Cyan, "crdctl: "), m.Of("controller", Yellow, "")
	for _, s := range []struct {
		w    io.Writer
		text string
	}{
		{child, "Started "}, {own, "crdctl: building\nx.go:1: no good\n"}, {child, "workers\n\ncrdctl: too\nno end"},
	} {
		_, _ = io.WriteString(s.w, s.text)
	}
	child.End()
	child.End()
	assert.Equal(t, `crdctl     │ building
crdctl     │ x.go:1: no good
controller │ Started workers
controller │ 
controller │ crdctl: too
controller │ no end
`, out.String())
}

func TestMarginColors(t *testing.T) {
	var out bytes.Buffer
	_, _ = io.WriteString(NewMargin(&out, true, "a").Of("a", Cyan, ""), "b\n")
	assert.Equal(t, "\x1b[36ma │ \x1b[mb\n", out.String())
}

// A line that never ends is not kept in memory.
func TestMarginBreaksLongLines(t *testing.T) {
	var out bytes.Buffer
	w := NewMargin(&out, false, "a").Of("a", Cyan, "")
	for range 3 {
		_, _ = w.Write(bytes.Repeat([]byte{'x'}, maxLine/2))
	}
	assert.Equal(t, len("a │ ")+maxLine+1, out.Len())
}
