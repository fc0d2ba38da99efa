// SPDX-License-Identifier: Apache-2.0

package ui

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestRepeat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var at []string
		stop := Repeat(5*time.Second, 10*time.Second, func(passed time.Duration) { at = append(at, passed.String()) })
		time.Sleep(26 * time.Second)
		stop()
		time.Sleep(time.Minute)
		assert.Equal(t, "5s 15s 25s", strings.Join(at, " "), "position")
	})
}

// Work that takes minutes has fewer lines after the first one.
func TestShowLines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		_, done := Lines(&out).Show(t.Context(), "working")
		time.Sleep(125 * time.Second)
		done()
		var want strings.Builder
		for _, passed := range strings.Fields("10s 20s 30s 40s 50s 1m0s 1m30s 2m0s") {
			_, _ = fmt.Fprintf(&want, "crdctl: working (%s)\n", passed)
		}
		assert.Equal(t, want.String(), out.String())
	})
}

// What is short is not shown; what is long is shown with what the go command is at, in lines or in place.
func TestShow(t *testing.T) {
	for name, drawn := range map[string]bool{"lines": false, "drawn": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var out, words bytes.Buffer
				d := Display{w: &out, drawn: drawn}
				_, done := d.Show(t.Context(), "working")
				time.Sleep(time.Second)
				done()
				assert.LessOrEqual(t, out.Len(), 0, "short work is shown: %q", out.String())
				ctx, done := d.Show(t.Context(), "working")
				ended := Step(ctx, "building it")
				w := GoOutput(ctx, &words)
				_, _ = fmt.Fprint(w, "go: downloading k8s.io/api v0.37.1\ngo: downloading k8s.io/client-go v0.37.1\n")
				time.Sleep(11 * time.Second)
				ended()
				_, _ = fmt.Fprint(w, "k8s.io/api/core/v1\n# example.com/x\nx/x.go:1:2: no good\nk8s.io/cl")
				_, _ = fmt.Fprint(w, "ient-go/rest\n")
				time.Sleep(10 * time.Second)
				done()
				done() // once more does nothing
				for _, want := range []string{"working: building it; downloading k8s.io/client-go v0.37.1, module 2 (10s)", "working: 2 packages compiled (20s)"} {
					assert.Contains(t, out.String(), want, "shown")
				}
				assert.Equal(t, "# example.com/x\nx/x.go:1:2: no good\n", words.String(), "the others")
				if drawn && !strings.HasSuffix(out.String(), "\r\x1b[K") || !drawn && strings.Contains(out.String(), "\x1b") {
					t.Errorf("shown %q", out.String())
				}
			})
		})
	}
}

// One package is not "1 packages".
func TestShowOnePackage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		ctx, done := Lines(&out).Show(t.Context(), "working")
		_, _ = fmt.Fprint(GoOutput(ctx, io.Discard), "k8s.io/api/core/v1\n")
		time.Sleep(lineEvery + time.Second)
		done()
		assert.Equal(t, "crdctl: working: 1 package compiled (10s)\n", out.String())
	})
}

// A line that is printed each time has the explanation once.
func TestShowExplains(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		_, done := Lines(&out).Explain("it takes minutes").Show(t.Context(), "working")
		time.Sleep(2*lineEvery + time.Second)
		done()
		assert.Equal(t, "crdctl: working (10s); it takes minutes\ncrdctl: working (20s)\n", out.String())
	})
}

// Without anything shown, nothing is lost.
func TestGoOutputAlone(t *testing.T) {
	var words bytes.Buffer
	_, _ = fmt.Fprintln(GoOutput(context.Background(), &words), "x.go:1:1: no good")
	assert.Contains(t, words.String(), "no good", "lost")
}
