// SPDX-License-Identifier: Apache-2.0

package server_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/trace"
	"github.com/crdctl/crdctl/internal/view/server"
)

// browser is one Chromium for all tests of this package.
var browser struct {
	once sync.Once
	ctx  context.Context
	stop func()
	err  error
}

func TestMain(m *testing.M) {
	code := m.Run()
	if browser.stop != nil {
		browser.stop()
	}
	os.Exit(code)
}

const install = "apt-get install chromium-headless-shell"

func startBrowser() {
	path := ""
	for _, name := range []string{"chromium-headless-shell", "headless-shell", "chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		browser.err = fmt.Errorf("tests of the page need Chromium: %s", install)
		return
	}
	profile, err := os.MkdirTemp("", "crdctl-chromium-")
	if err != nil {
		browser.err = err
		return
	}
	options := []chromedp.ExecAllocatorOption{chromedp.ExecPath(path), chromedp.UserDataDir(profile), chromedp.WindowSize(1440, 900), chromedp.Env("TZ=UTC")}
	for _, flag := range []string{"headless", "no-sandbox", "disable-gpu", "disable-quic", "no-first-run", "disable-background-networking", "disable-component-update", "disable-sync"} {
		options = append(options, chromedp.Flag(flag, true))
	}
	ctx, stopProcess := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, stopBrowser := chromedp.NewContext(ctx)
	browser.ctx = ctx
	browser.stop = func() {
		stopBrowser()
		stopProcess()
		_ = os.RemoveAll(profile)
	}
	browser.err = chromedp.Do(ctx)
}

// tab is a page of the browser. A message on its console, an exception or a violation of the content security policy
// fails the test.
type tab struct {
	t      *testing.T
	ctx    context.Context
	mu     sync.Mutex
	wrong  []string
	expect []string // parts of messages that the test provokes
}

func open(t *testing.T, url string, expect ...string) *tab {
	t.Helper()
	browser.once.Do(startBrowser)
	require.NoError(t, browser.err)
	ctx, cancel := chromedp.NewContext(browser.ctx)
	ctx, stop := context.WithTimeout(ctx, 2*time.Minute)
	p := &tab{t: t, ctx: ctx, expect: expect}
	var listeners sync.WaitGroup
	listen(p, &listeners, log.EntryAdded, func(e log.EventEntryAdded) string {
		return fmt.Sprintf("%s %s: %s %s", e.Entry.Source, e.Entry.Level, e.Entry.Text, e.Entry.URL)
	})
	listen(p, &listeners, runtime.ExceptionThrown, func(e runtime.EventExceptionThrown) string {
		message := "exception: " + e.ExceptionDetails.Text
		if e.ExceptionDetails.Exception != nil {
			message += " " + e.ExceptionDetails.Exception.Description
		}
		return message
	})
	listen(p, &listeners, runtime.ConsoleAPICalled, func(e runtime.EventConsoleAPICalled) string {
		message := string(e.Type) + ":"
		for _, a := range e.Args {
			message += " " + string(a.Value) + a.Description
		}
		return message
	})
	t.Cleanup(func() {
		stop()
		cancel()
		listeners.Wait()
		require.Empty(t, p.wrong, "the page complained")
	})
	p.do(chromedp.Navigate(url))
	return p
}

// listen notes what an event says, unless the test expects it.
func listen[E any](p *tab, all *sync.WaitGroup, event cdp.Event[E], words func(E) string) {
	events := chromedp.Events(p.ctx, event)
	all.Go(func() {
		for e, err := range events {
			if err != nil {
				return
			}
			message := words(e)
			if slices.ContainsFunc(p.expect, func(part string) bool { return strings.Contains(message, part) }) {
				continue
			}
			p.mu.Lock()
			p.wrong = append(p.wrong, message)
			p.mu.Unlock()
		}
	})
}

func (p *tab) do(actions ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	if err := chromedp.Do(p.ctx, actions...); err != nil {
		p.mu.Lock()
		defer p.mu.Unlock()
		require.NoError(p.t, err, "the page: %v", p.wrong)
	}
}

// eval evaluates an expression in the page.
func eval[T any](p *tab, expression string) T {
	p.t.Helper()
	v, err := chromedp.Run(p.ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		p.mu.Lock()
		defer p.mu.Unlock()
		require.NoError(p.t, err, "%s; the page: %v", expression, p.wrong)
	}
	return v
}

// waits until an expression is true. It asks from outside: the page's policy forbids code made of strings.
func (p *tab) waits(expression string) {
	p.t.Helper()
	for end := time.Now().Add(30 * time.Second); !eval[bool](p, expression); time.Sleep(30 * time.Millisecond) {
		if time.Now().After(end) {
			p.mu.Lock()
			defer p.mu.Unlock()
			require.Fail(p.t, "the page never had it", "%s\n%v\nthe page has:\n%s", expression, p.wrong, eval[string](p, `document.body.innerText`))
		}
	}
}

// has waits until an element has a text.
func (p *tab) has(selector, text string) {
	p.t.Helper()
	p.waits(fmt.Sprintf(`[...document.querySelectorAll(%q)].some((e) => (e.innerText ?? '').includes(%q))`, selector, text))
}

// click clicks with the mouse on the first element that is seen. It does not hold on to the element, as chromedp.Click does: a table makes its rows anew
// with each answer.
func (p *tab) click(selector string) {
	p.t.Helper()
	find := fmt.Sprintf(`[...document.querySelectorAll(%q)].find((e) => e.checkVisibility())`, selector)
	p.waits(fmt.Sprintf(`!!%s`, find))
	at := eval[[]float64](p, fmt.Sprintf(`(() => {
		const e = %s;
		e?.scrollIntoView({ block: "nearest", inline: "nearest" });
		const r = e?.getClientRects()[0];
		return r ? [r.x + r.width / 2, r.y + r.height / 2] : [];
	})()`, find))
	if len(at) == 0 {
		p.click(selector) // it went in the meantime
		return
	}
	p.do(chromedp.MouseClickXY(at[0], at[1]))
}

func (p *tab) key(keys string) { p.t.Helper(); p.do(chromedp.KeyEvent(keys)) }

// serve serves a recording until the test ends.
func serve(t *testing.T, source trace.Source, set ...func(*server.Options)) *server.Server {
	t.Helper()
	o := server.Options{Source: source, File: "crontab.crdctl.gz", Frame: 50 * time.Millisecond}
	for _, f := range set {
		f(&o)
	}
	s, err := server.New(o)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx) }()
	t.Cleanup(func() {
		cancel()
		require.NoError(t, <-done)
	})
	return s
}

var screenshots = flag.String("screenshots", "", "`directory` to write screenshots of the page to")

// shoot writes a screenshot, if it was asked for.
func (p *tab) shoot(name string) {
	p.t.Helper()
	if *screenshots == "" {
		return
	}
	png, err := chromedp.Run(p.ctx, chromedp.CaptureScreenshot())
	require.NoError(p.t, err)
	require.NoError(p.t, os.WriteFile(filepath.Join(*screenshots, name+".png"), png, 0o644))
}
