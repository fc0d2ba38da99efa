// SPDX-License-Identifier: Apache-2.0

package workspace

import (
	"slices"
	"strings"
)

// Foreign reports whether a directory of this name holds nothing that a project's authors write: it is hidden, or is for the code of others
// or for what tools make. The root of a project may be named so, too.
func Foreign(name string) bool {
	return strings.HasPrefix(name, ".") || slices.Contains([]string{"vendor", "node_modules", "third_party", "_output"}, name)
}
