// SPDX-License-Identifier: Apache-2.0

//go:build !unix

package standalone

import "os"

// awaitEnd returns when the parent has ended. The number of the parent stays the same here, but a handle can be waited for.
func awaitEnd(parent int) {
	p, err := os.FindProcess(parent)
	if err != nil {
		return
	}
	_, _ = p.Wait()
}
