// SPDX-License-Identifier: Apache-2.0

package hook

import (
	"cmp"
	"log/slog"
	"runtime"
	"time"
)

// Options say who is asked, and within which bounds.
type Options struct {
	Sync, Finalize, Customize Target // Sync must be set

	// Persistent has a program started once for all calls, which come to it as JSON lines.
	Persistent  bool
	Timeout     time.Duration // of one call; 10 s if 0
	MaxAnswer   int64         // bytes; 8 MiB if 0
	MaxParallel int           // programs that run at once, where one is started for each call; 4 for each CPU if 0
	Dir         string        // where programs are found and started
	// Mark is that of the programs' processes, see proc.Options. All that they started ends with Close.
	Mark string
	Log  *slog.Logger
}

func (o Options) withDefaults() Options {
	o.Timeout, o.MaxAnswer = cmp.Or(o.Timeout, 10*time.Second), cmp.Or(o.MaxAnswer, 8<<20)
	o.MaxParallel, o.Log = cmp.Or(o.MaxParallel, 4*runtime.NumCPU()), cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	return o
}
