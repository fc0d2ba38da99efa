// SPDX-License-Identifier: Apache-2.0

package load

import "embed"

// Code is the source of this package, tests included, for programs that crdctl builds of other versions of the
// generators.
//
//go:embed *.go
var Code embed.FS
