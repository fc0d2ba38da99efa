package codegen

import (
	"errors"
	"fmt"
	"strings"

	"github.com/go-logr/logr"
	"k8s.io/klog/v2"
)

// exit is what klog.Fatal does here in the place of leaving the process.
type exit struct{}

// guard runs what may call klog.Fatal, and returns its words as an error. What is logged without failing comes back
// as notes. klog is global: the caller holds the lock.
func guard(do func() error) (notes []string, err error) {
	kept := &logSink{}
	state := klog.CaptureState()
	exitBefore := klog.OsExit
	defer func() {
		klog.OsExit = exitBefore
		state.Restore()
	}()
	klog.LogToStderr(true) // with this, klog.Fatal dumps no goroutines
	klog.SetLogger(logr.New(kept))
	klog.OsExit = func(int) { panic(exit{}) }

	defer func() {
		switch r := recover().(type) {
		case nil:
		case exit:
			err = errors.New(kept.last())
		default:
			// A generator that panics does so on its input; its stack says nothing to the user.
			err = fmt.Errorf("%v", r)
		}
		notes = kept.lines
	}()
	return nil, do()
}

// logSink collects what is logged.
type logSink struct {
	lines []string
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
	s.lines = append(s.lines, line)
}

// last is the line that klog.Fatal wrote.
func (s *logSink) last() string {
	if len(s.lines) == 0 {
		return "gave up without a word"
	}
	return strings.TrimPrefix(s.lines[len(s.lines)-1], "Error: ")
}
