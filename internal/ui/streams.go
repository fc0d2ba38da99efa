// SPDX-License-Identifier: Apache-2.0

package ui

import (
	"encoding/json"
	"fmt"
	"io"
)

// Streams are where a command reads and writes: results go to Out, progress and messages to Err.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
}

// Report prints what is not the result.
func (s Streams) Report() Reporter { return NewReporter(s.Err) }

// Printf prints a result, as a line.
func (s Streams) Printf(format string, args ...any) error {
	_, err := fmt.Fprintf(s.Out, format+"\n", args...)
	return err
}

// JSON prints a result for programs.
func (s Streams) JSON(v any) error {
	encoder := json.NewEncoder(s.Out)
	encoder.SetIndent("", "  ")
	return encoder.Encode(v)
}

// Result prints a result in the form that -o names: as JSON, or as text does.
func (s Streams) Result(output string, v any, text func() error) error {
	switch output {
	case "json":
		return s.JSON(v)
	case "text":
		return text()
	}
	return UsageErrorf("--output %q must be text or json", output)
}
