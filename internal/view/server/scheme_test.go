// SPDX-License-Identifier: Apache-2.0

package server_test

import (
	"fmt"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// Canvases change their colors with the page, also if nothing else changes.
func TestColorScheme(t *testing.T) {
	p := open(t, serve(t, crontab()).URL(), "willReadFrequently") // advice for pages that read their canvas
	scheme := func(value string) {
		_, err := chromedp.Call(p.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: value}},
		})
		require.NoError(t, err)
	}
	const lane = `[...document.querySelector("crd-flow canvas").getContext("2d").getImageData(1, 21, 1, 1).data].join()`
	const line = `getComputedStyle(document.querySelector("crd-chart .u-marker")).borderColor`
	for key, c := range map[string]struct{ drawn, expression string }{
		"2": {"crd-flow canvas", lane},
		"5": {"crd-chart .u-legend", line},
	} {
		scheme("light")
		p.key(key)
		p.waits(fmt.Sprintf(`!!document.querySelector(%q)`, c.drawn))
		p.waits(c.expression + ` !== "0,0,0,0"`)
		light := eval[string](p, c.expression)
		scheme("dark")
		p.waits(fmt.Sprintf(`%s !== %q`, c.expression, light))
		scheme("light")
		p.waits(fmt.Sprintf(`%s === %q`, c.expression, light))
	}
}
