// SPDX-License-Identifier: Apache-2.0

package controlplane

import (
	"fmt"
	"runtime"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

// newEtcdLog returns a log that prints nothing, and calls failed with the words after which etcd would end the process:
// a disk that is full, data that are broken. The goroutine that meets this ends in its place.
func newEtcdLog(failed func(error)) *zap.Logger {
	return zap.New(zapcore.NewNopCore(), zap.WithFatalHook(lastWords(failed)), zap.WithPanicHook(lastWords(failed)))
}

type lastWords func(error)

// OnWrite is called with what is logged, and may not return.
func (failed lastWords) OnWrite(entry *zapcore.CheckedEntry, fields []zapcore.Field) {
	err := fmt.Errorf("%s", entry.Message)
	for _, f := range fields {
		if cause, ok := f.Interface.(error); ok && f.Type == zapcore.ErrorType {
			err = fmt.Errorf("%s: %w", entry.Message, cause)
		}
	}
	failed(err)
	runtime.Goexit()
}
