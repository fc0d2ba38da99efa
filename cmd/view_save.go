// SPDX-License-Identifier: Apache-2.0

//go:build !crdctl_codegen && !crdctl_loop

package cmd

import (
	"errors"
	"fmt"
	"iter"
	"maps"
	"os"
	"slices"

	"github.com/crdctl/crdctl/internal/text"
	"github.com/crdctl/crdctl/internal/trace"
	"github.com/crdctl/crdctl/internal/trace/redact"
	"github.com/crdctl/crdctl/internal/ui"
)

// errNothing keeps what has the path: there is nothing to write.
var errNothing = errors.New("no records")

// cut writes a part of a recording to a file, and prints what is in it and what is not.
func (v *viewed) cut(s ui.Streams, path string, part iter.Seq2[trace.Record, error]) error {
	if v.file != nil {
		if same, err := v.file.Is(path); err != nil {
			return err
		} else if same {
			return ui.UsageErrorf("--save %s is the recording that is read; choose another name", path)
		}
	}
	redacted, empty, missing := map[trace.Kind]int{}, true, int64(0)
	index, err := trace.SaveFile(path, v.name, func(yield func(trace.Record, error) bool) {
		redacted, empty, missing = map[trace.Kind]int{}, true, 0
		for rec, err := range part {
			missing += rec.Unreadable()
			if n := len(redact.Value.FindAllIndex(rec.Raw, -1)); n > 0 {
				kind := trace.Kind("a later version")
				if rec.Body != nil {
					kind = rec.Body.Kind()
				}
				redacted[kind] += n
			}
			if rec.Body != nil && rec.Body.Kind() != trace.KindHeader && rec.Body.Kind() != trace.KindDef && !v.isBefore(rec) {
				empty = false
			}
			if !yield(rec, err) {
				return
			}
		}
		if empty {
			yield(trace.Record{}, errNothing)
		}
	})
	switch {
	case errors.Is(err, errNothing):
		return fmt.Errorf("%s: no records in that time; the recording covers %s to %s", v.name, v.clock(v.header.Begin), v.clock(v.end))
	case err != nil:
		return fmt.Errorf("--save: %w", err)
	}
	var end, total int64 // with the header and definitions, as --findings counts
	for _, m := range index.Members {
		end = max(end, m.To)
		total += m.Records
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if err := s.Printf("%s: %s until %s, %d bytes", path, text.Count(int(total), "record", "records"), v.clock(end), info.Size()); err != nil {
		return err
	}
	n, of := 0, ""
	for _, kind := range slices.Sorted(maps.Keys(redacted)) {
		n, of = n+redacted[kind], fmt.Sprintf("%s, %d in records of %s", of, redacted[kind], kind)
	}
	if err := s.Printf("redacted before it was recorded (%s%s), by these rules:", text.Count(n, "value", "values"), of); err != nil {
		return err
	}
	for _, rule := range v.header.Redacted {
		if err := s.Printf("  %s", rule); err != nil {
			return err
		}
	}
	if err := s.Printf("Names, log lines and all other fields are in it; read it with \"zcat %s\" before you share it.", path); err != nil {
		return err
	}
	if missing > 0 { // as for --export
		return fmt.Errorf("%s: at least %s could not be read: the file is damaged; what was saved has gaps for them", v.name, text.Count(int(missing), "record", "records"))
	}
	return nil
}
