// SPDX-License-Identifier: Apache-2.0

package tree

// Hook is for tests: it is called whenever a file was read for a plan, when a tree was compared with the disk, and before
// and after files are put in place.
var Hook func(point string)

func hook(point string) {
	if Hook != nil {
		Hook(point)
	}
}
