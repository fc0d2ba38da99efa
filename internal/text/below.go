// SPDX-License-Identifier: Apache-2.0

package text

import "strings"

// Below reports whether p is dir or below it. Both are slash-separated and clean: paths relative to the same directory, whose name
// is ".", or import paths.
func Below(dir, p string) bool { return dir == "." || p == dir || strings.HasPrefix(p, dir+"/") }
