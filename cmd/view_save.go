// SPDX-License-Identifier: Apache-2.0

//go:build !crdctl_codegen && !crdctl_loop

package cmd

import (
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"

	"github.com/crdctl/crdctl/internal/trace"
	"github.com/crdctl/crdctl/internal/trace/redact"
	"github.com/crdctl/crdctl/internal/ui"
)

// cut writes a part of a recording to a file, and prints what is in it and what is not.
func (v *viewed) cut(s ui.Streams, path string, part iter.Seq2[trace.Record, error]) error {
	if v.file != nil {
		if same, err := v.file.Is(path); err != nil {
			return err
		} else if same {
			return ui.UsageErrorf("--save %s is the recording that is read; choose another name", path)
		}
	}
	redacted := 0
	index, err := trace.SaveFile(path, v.name, func(yield func(trace.Record, error) bool) {
		redacted = 0
		for rec, err := range part {
			redacted += len(redact.Value.FindAllIndex(rec.Raw, -1))
			if !yield(rec, err) {
				return
			}
		}
	})
	if err != nil {
		return fmt.Errorf("--save: %w", err)
	}
	var total int64
	for kind, n := range index.Counts {
		if kind != trace.KindHeader && kind != trace.KindDef {
			total += n
		}
	}
	if total == 0 {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return fmt.Errorf("%s: no records in that time; the recording covers %s to %s", v.name, v.clock(0), v.clock(v.end))
	}
	var end int64
	for _, m := range index.Members {
		end = max(end, m.To)
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if err := s.Printf("%s: %d records until %s, %d bytes", path, total, v.clock(end), info.Size()); err != nil {
		return err
	}
	if err := s.Printf("redacted before it was recorded (%d values):", redacted); err != nil {
		return err
	}
	for _, rule := range v.header.Redacted {
		if err := s.Printf("  %s", rule); err != nil {
			return err
		}
	}
	return s.Printf("Names, log lines and all other fields are in it; read it with \"zcat %s\" before you share it.", path)
}
