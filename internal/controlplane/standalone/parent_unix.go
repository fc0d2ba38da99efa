// SPDX-License-Identifier: Apache-2.0

//go:build unix

package standalone

import (
	"os"
	"time"
)

// awaitEnd returns when the parent has ended: another process is the parent then.
func awaitEnd(parent int) {
	for os.Getppid() == parent {
		time.Sleep(parentEvery)
	}
}
