// SPDX-License-Identifier: Apache-2.0

//go:build !crdctl_codegen && !crdctl_loop

package cmd

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"

	"github.com/crdctl/crdctl/internal/trace"
)

// lines is a recording in a file of JSON lines, gzipped or not.
type lines struct{ file string }

func openRecording(file string) (trace.Source, error) {
	if _, err := os.Stat(file); err != nil {
		return nil, err
	}
	return lines{file}, nil
}

func (lines) Live() bool { return false }

func (l lines) Records(ctx context.Context, after int64) iter.Seq2[trace.Record, error] {
	return func(yield func(trace.Record, error) bool) {
		f, err := os.Open(l.file)
		if err != nil {
			yield(trace.Record{}, err)
			return
		}
		defer f.Close()
		var in io.Reader = bufio.NewReader(f)
		if magic, _ := in.(*bufio.Reader).Peek(2); bytes.Equal(magic, []byte{0x1f, 0x8b}) {
			if in, err = gzip.NewReader(in); err != nil {
				yield(trace.Record{}, err)
				return
			}
		}
		s := bufio.NewScanner(in)
		s.Buffer(nil, 64<<20)
		for n := 1; s.Scan(); n++ {
			r, err := trace.Parse(bytes.Clone(s.Bytes()))
			if err != nil {
				yield(trace.Record{}, fmt.Errorf("line %d: %w", n, err))
				return
			}
			if r.Seq > after && !yield(r, nil) || ctx.Err() != nil {
				return
			}
		}
		if err := s.Err(); err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
			yield(trace.Record{}, err)
		}
	}
}
