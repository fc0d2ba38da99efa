// SPDX-License-Identifier: Apache-2.0

//go:build !linux && !darwin

package sums

import (
	"io/fs"
	"math"
)

// system says that a file may have changed at any time: its size and the time that programs give it prove nothing.
func system(fs.FileInfo) (inode uint64, changed int64) { return 0, math.MaxInt64 }
