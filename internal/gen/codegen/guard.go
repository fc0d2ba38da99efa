package codegen

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

// exit is what klog.Fatal does here in the place of leaving the process.
type exit struct{}

// running serialises who captures klog, which is global.
var running sync.Mutex

// capture takes over what is logged, and klog.Fatal, until it is released.
func capture() (*logSink, func()) {
	running.Lock()
	kept := &logSink{lines: map[string][]string{}}
	state := klog.CaptureState()
	exitBefore := klog.OsExit
	klog.LogToStderr(true) // with this, klog.Fatal dumps no goroutines
	klog.SetLogger(logr.New(kept))
	klog.OsExit = func(int) { panic(exit{}) }
	return kept, func() {
		klog.OsExit = exitBefore
		state.Restore()
		running.Unlock()
	}
}

// guard runs what may call klog.Fatal, and returns its words as an error. What it logs without failing comes back as
// notes.
func (s *logSink) guard(do func() error) (notes []string, err error) {
	defer func() {
		lines := s.take()
		switch r := recover().(type) {
		case nil:
			notes = lines
		case *EndlessError:
			err = r
		case exit:
			err = errors.New(lastWords(lines))
		default:
			// A generator that panics does so on its input; its stack says nothing to the user.
			err = fmt.Errorf("%v", r)
		}
	}()
	return nil, do()
}

// logSink collects what is logged, by goroutine: that is all that klog tells of who logs.
type logSink struct {
	mu    sync.Mutex
	lines map[string][]string
}

func (s *logSink) Init(logr.RuntimeInfo)                  {}
func (s *logSink) Enabled(int) bool                       { return true }
func (s *logSink) WithValues(...any) logr.LogSink         { return s }
func (s *logSink) WithName(string) logr.LogSink           { return s }
func (s *logSink) Info(_ int, msg string, kv ...any)      { s.add(nil, msg, kv) }
func (s *logSink) Error(err error, msg string, kv ...any) { s.add(err, msg, kv) }

func (s *logSink) add(err error, msg string, kv []any) {
	line := strings.TrimSpace(msg)
	if err != nil {
		line = strings.TrimSpace(line + ": " + err.Error())
	}
	for i := 0; i+1 < len(kv); i += 2 {
		line += fmt.Sprintf(" %v=%v", kv[i], kv[i+1])
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lines[goroutine()] = append(s.lines[goroutine()], line)
}

// take are the lines of this goroutine since the last time.
func (s *logSink) take() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	lines := s.lines[goroutine()]
	delete(s.lines, goroutine())
	return lines
}

// goroutine is the name of the goroutine in a stack trace, such as "goroutine 7".
func goroutine() string {
	var b [32]byte
	name, _, _ := bytes.Cut(b[:runtime.Stack(b[:], false)], []byte(" ["))
	return string(name)
}

// lastWords is the line that klog.Fatal wrote.
func lastWords(lines []string) string {
	if len(lines) == 0 {
		return "gave up without a word"
	}
	return strings.TrimPrefix(lines[len(lines)-1], "Error: ")
}
