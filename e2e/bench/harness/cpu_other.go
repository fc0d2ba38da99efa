//go:build !unix

package harness

import "time"

// cpu returns 0: the benchmark runs on unix systems only.
func cpu() time.Duration { return 0 }
