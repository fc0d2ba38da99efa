// SPDX-License-Identifier: Apache-2.0

package stories

import (
	"context"
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
	"strings"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// page is a page of "crdctl view" in a browser.
type page struct {
	*world
	ctx context.Context
}

var pageURL = regexp.MustCompile(`http://127\.0\.0\.1:\d+/\S*`)

// browse starts a Chromium without a window, which ends with the test.
func (w *world) browse() context.Context {
	w.Helper()
	path := ""
	for _, name := range []string{"chromium-headless-shell", "headless-shell", "chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	require.NotEmpty(w, path, "stories of the page need Chromium: apt-get install chromium-headless-shell")
	options := []chromedp.ExecAllocatorOption{chromedp.ExecPath(path), chromedp.UserDataDir(w.TempDir()), chromedp.WindowSize(1440, 900)}
	for _, flag := range []string{"headless", "no-sandbox", "disable-gpu", "disable-quic", "no-first-run", "disable-background-networking", "disable-component-update", "disable-sync"} {
		options = append(options, chromedp.Flag(flag, true))
	}
	ctx, stopProcess := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, stop := chromedp.NewContext(ctx)
	w.Cleanup(func() {
		stop()
		stopProcess()
	})
	require.NoError(w, chromedp.Do(ctx))
	return ctx
}

// view starts "crdctl view", and opens its page in a tab.
func (w *world) view(browser context.Context, dir string, args ...string) (*page, *process) {
	w.Helper()
	p := w.start(dir, crdctl, append([]string{"view"}, args...)...)
	url := ""
	w.until("the page has a URL", func() bool {
		url = pageURL.FindString(p.text())
		return url != ""
	})
	ctx, stop := chromedp.NewContext(browser)
	w.Cleanup(stop)
	require.NoError(w, chromedp.Do(ctx, chromedp.Navigate(url)))
	return &page{w, ctx}, p
}

func (p *page) press(key string) {
	p.Helper()
	require.NoError(p, chromedp.Do(p.ctx, chromedp.KeyEvent(key)))
}

// unfolds opens the list of findings that were resolved.
func (p *page) unfolds() {
	p.Helper()
	p.shows("h2 button[aria-expanded=false]", "resolved")
	_, err := chromedp.Run(p.ctx, chromedp.Evaluate[bool](`(document.querySelector("h2 button[aria-expanded=false]").click(), true)`))
	require.NoError(p, err)
}

// click clicks the first element that has a text, as soon as there is one.
func (p *page) click(selector, text string) {
	p.Helper()
	p.shows(selector, text)
	_, err := chromedp.Run(p.ctx, chromedp.Evaluate[bool](fmt.Sprintf(`([...document.querySelectorAll(%q)].find((e) => %s)?.click(), true)`, selector, has(text))))
	require.NoError(p, err)
}

// scroll goes to the end of a table, which has only the rows that are seen.
func (p *page) scroll(selector string) {
	p.Helper()
	_, err := chromedp.Run(p.ctx, chromedp.Evaluate[bool](fmt.Sprintf(`(document.querySelector(%q)?.scrollTo(0, 1e6), true)`, selector)))
	require.NoError(p, err)
}

// compared is a row of the table of what was before the newest save and after it, without its unit.
func (p *page) compared(name string) (before, after float64) {
	p.Helper()
	cells, err := chromedp.Run(p.ctx, chromedp.Evaluate[[]string](fmt.Sprintf(
		`([...document.querySelectorAll(".compare tr")].map((r) => [...r.children].map((c) => c.textContent)).find((r) => r[0] === %q) ?? [])`, name)))
	require.NoError(p, err)
	if len(cells) == 3 {
		for i, to := range []*float64{&before, &after} {
			figure, _, _ := strings.Cut(cells[i+1], " ")
			*to, _ = strconv.ParseFloat(figure, 64)
		}
	}
	return before, after
}

// has is an expression that reports whether the element e has a text, however it is spaced.
func has(text string) string {
	return fmt.Sprintf(`(e.textContent ?? '').replace(/\s+/g, ' ').includes(%q)`, strings.Join(strings.Fields(text), " "))
}

// has reports whether an element has a text now.
func (p *page) has(selector, text string) bool {
	p.Helper()
	found, err := chromedp.Run(p.ctx, chromedp.Evaluate[bool](fmt.Sprintf(`[...document.querySelectorAll(%q)].some((e) => %s)`, selector, has(text))))
	require.NoError(p, err)
	return found
}

// shows waits until an element has a text. Texts of a page that does not show it are in the failure.
func (p *page) shows(selector, text string) {
	p.Helper()
	p.until(fmt.Sprintf("the page has %s with %q", selector, text), func() bool { return p.has(selector, text) }, func() string {
		all, err := chromedp.Run(p.ctx, chromedp.Evaluate[string](`document.body.innerText`))
		require.NoError(p, err)
		return "it has\n" + all
	})
}
