// SPDX-License-Identifier: Apache-2.0

package logging

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"

	"github.com/go-logr/logr"
	"k8s.io/klog/v2"
)

// exit is what klog.Fatal panics with here instead of ending the process.
type exit struct{}

// capturing serializes who captures what is logged.
var capturing sync.Mutex

// Captured is what is logged, by goroutine: that is all that klog knows of who logs.
type Captured struct {
	mu    sync.Mutex
	lines map[string][]string
}

// Capture takes over what is logged, and klog.Fatal, until it is released.
func Capture() (_ *Captured, release func()) {
	capturing.Lock()
	c := &Captured{lines: map[string][]string{}}
	state := klog.CaptureState()
	exitBefore := klog.OsExit
	klog.LogToStderr(true) // with this, klog.Fatal dumps no goroutines
	klog.SetLogger(logr.New(sink{c}))
	klog.OsExit = func(int) { panic(exit{}) }
	return c, func() {
		klog.OsExit = exitBefore
		state.Restore()
		capturing.Unlock()
	}
}

// Guard runs what may call klog.Fatal, and returns its message as an error. What it logs without failing comes back as notes. A
// panic is an error, too: its stack means nothing to the user.
func (c *Captured) Guard(do func() error) (notes []string, err error) {
	defer func() {
		lines := c.take()
		switch r := recover().(type) {
		case nil:
			notes = lines
		case exit:
			err = errors.New(lastLine(lines))
		case error:
			err = r
		default:
			err = fmt.Errorf("%v", r)
		}
	}()
	return nil, do()
}

// sink is what klog writes to.
type sink struct{ *Captured }

func (s sink) Init(logr.RuntimeInfo)                  {}
func (s sink) Enabled(int) bool                       { return true }
func (s sink) WithValues(...any) logr.LogSink         { return s }
func (s sink) WithName(string) logr.LogSink           { return s }
func (s sink) Info(_ int, msg string, kv ...any)      { s.add(nil, msg, kv) }
func (s sink) Error(err error, msg string, kv ...any) { s.add(err, msg, kv) }

func (c *Captured) add(err error, msg string, kv []any) {
	line := strings.TrimSpace(msg)
	if err != nil {
		line = strings.TrimSpace(line + ": " + err.Error())
	}
	for i := 0; i+1 < len(kv); i += 2 {
		line += fmt.Sprintf(" %v=%v", kv[i], kv[i+1])
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lines[goroutine()] = append(c.lines[goroutine()], line)
}

// take are the lines of this goroutine since the last time.
func (c *Captured) take() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	lines := c.lines[goroutine()]
	delete(c.lines, goroutine())
	return lines
}

// goroutine is the name of the goroutine in a stack trace, such as "goroutine 7".
func goroutine() string {
	var b [32]byte
	name, _, _ := bytes.Cut(b[:runtime.Stack(b[:], false)], []byte(" ["))
	return string(name)
}

// lastLine is the line that klog.Fatal wrote.
func lastLine(lines []string) string {
	if len(lines) == 0 {
		return "failed without a message"
	}
	return strings.TrimPrefix(lines[len(lines)-1], "Error: ")
}
