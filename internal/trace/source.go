// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"context"
	"iter"
)

// A Source gives the records of a recording: of this process, of another one that runs, or of a file.
type Source interface {
	// Records yields the records after seq, in order, starting with the header and the definitions that they need.
	// A source that is live waits for more until ctx ends; a file ends. Records that are no longer held are a Gap.
	// The last pair has the error that ended the sequence early, if any.
	Records(ctx context.Context, after int64) iter.Seq2[Record, error]
	// Live reports whether more records may come.
	Live() bool
}
