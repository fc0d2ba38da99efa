// SPDX-License-Identifier: Apache-2.0

//go:build !crdctl_codegen && !crdctl_loop

package cmd

import (
	"bytes"
	"context"
	"io"

	"github.com/crdctl/crdctl/internal/ui"
)

// testOutput is where a command writes its standard output. "go test" prints nothing while it compiles, which takes minutes the first
// time: lines on standard error show that it does until the first package has a result, or compiled is called.
func testOutput(s ui.Streams, argv []string) (out io.Writer, compiled func()) {
	if len(argv) < 2 || argv[0] != "go" || argv[1] != "test" {
		return s.Out, func() {}
	}
	_, compiled = ui.Lines(s.Err).Explain("the first time, compiling the tests takes minutes").
		Show(context.Background(), "waiting for the first result of go test")
	return &untilResult{Writer: s.Out, result: compiled}, compiled
}

// untilResult calls a function at the first line that is a result of "go test": not one about a package without tests.
type untilResult struct {
	io.Writer
	result func()
	inLine bool // that goes on in the next write
	done   bool
}

func (u *untilResult) Write(p []byte) (int, error) {
	for line := range bytes.Lines(p) {
		if !u.done && !u.inLine && !bytes.HasPrefix(line, []byte("?")) && !bytes.HasPrefix(line, []byte("\t")) {
			u.done = true
			u.result()
		}
		u.inLine = line[len(line)-1] != '\n'
	}
	return u.Writer.Write(p)
}
